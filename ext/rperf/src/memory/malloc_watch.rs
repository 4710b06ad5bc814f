//! The watch of malloc(3): it is on while a session samples memory by bytes.

use std::io;

use super::{blocks, byte_countdown};
use crate::config::{Malloc, SessionConfig};
use crate::os::mallocs::{self, Hooks};
use crate::vm::allocations;

/// Guard: memory is watched until it is dropped.
#[derive(Debug)]
pub struct MallocWatch(());

impl MallocWatch {
    /// Begins to watch. `H` gets the pieces, and the ends of blocks if it wants them.
    pub fn begin<H: Hooks>(config: &SessionConfig, malloc: Malloc) -> io::Result<Self> {
        if H::ENDS {
            blocks::begin(config.objects);
        }
        byte_countdown::begin(malloc.interval, config.seed());
        let watch = Self(());
        mallocs::begin::<H>(allocations::libruby(), malloc.everywhere)?;
        Ok(watch)
    }
}

impl Drop for MallocWatch {
    fn drop(&mut self) {
        byte_countdown::end();
        mallocs::end();
    }
}

/// Ends the drawing and forgets the blocks, in the child of a fork. The slots stay as they are
/// until the child has a watch of its own.
pub fn abandon() {
    byte_countdown::end();
    blocks::BLOCKS.abandon();
}
