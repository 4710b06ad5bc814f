//! The few offsets that no header promises: found by reads that cannot fault, proved against
//! `rb_profile_frames`, and only then used.
//!
//! Probed are the offset of the execution context in a thread's structure, and the size of a
//! control frame. Taken as given, and proved with the rest, are the order of the first members of
//! the execution context and of a control frame, and all else in `offsets`.

use std::fmt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use super::offsets::{WORD, context, frame, thread};
use crate::os::copier;
use crate::os::sync::Lock;

/// Maximum size of a VM stack, in words: `RUBY_THREAD_VM_STACK_SIZE` is a C int of bytes.
pub(super) const MAX_STACK_WORDS: usize = 1 << 28;

/// Address of the structure of a living thread in the VM (`rb_thread_t`). Only the module `vm`
/// makes and follows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadStruct(pub(super) usize);

/// Offset and size that were found by probing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Offset of the execution context in the thread's structure, in bytes.
    pub(super) thread_ec: usize,
    /// Size of a control frame in bytes.
    pub(super) frame_size: usize,
}

static PROVED: OnceLock<Layout> = OnceLock::new();
/// The candidate under proof.
static CANDIDATE: Lock<Option<Layout>> = Lock::new(None);
/// Whether some frames are laid out in another way from now on. Once set, it stays.
static WITHDRAWN: AtomicBool = AtomicBool::new(false);

impl Layout {
    /// Returns the proved layout, unless it has been withdrawn. Safe in a signal handler.
    pub fn proved() -> Option<&'static Self> {
        PROVED.get().filter(|_| !Self::is_withdrawn())
    }

    /// Withdraws the layout: none counts as proved any more. Running sessions change to safepoints.
    pub fn withdraw() {
        WITHDRAWN.store(true, Ordering::Release);
    }

    /// Returns whether the layout has been [withdrawn](Self::withdraw).
    pub fn is_withdrawn() -> bool {
        WITHDRAWN.load(Ordering::Acquire)
    }

    /// Returns the layout to compare with while a proof is under way.
    pub fn candidate() -> Option<Self> {
        *CANDIDATE.lock()
    }

    /// Returns all layouts under which the current thread's structure makes sense.
    pub fn candidates(structure: ThreadStruct) -> Vec<Self> {
        let Some(words) = copier::words::<{ thread::SEARCHED }>(structure.0) else { return Vec::new() };
        let contexts = words.iter().enumerate();
        let contexts = contexts.filter_map(|(index, word)| Some((index * WORD, bytes_of_frames(*word)?)));
        let layouts = contexts.flat_map(|(thread_ec, bytes)| {
            frame::SIZES
                .map(|frame_size| bytes.is_multiple_of(frame_size).then_some(Self { thread_ec, frame_size }))
        });
        layouts.flatten().collect()
    }

    /// Begins the proof of this layout.
    pub fn try_out(self) {
        *CANDIDATE.lock() = Some(self);
    }

    /// Ends the proof: from now on the layout is used if it `holds`.
    pub fn conclude(self, holds: bool) {
        *CANDIDATE.lock() = None;
        if holds {
            // Only one layout can be proved; a second proof of the same changes nothing.
            PROVED.get_or_init(|| self);
        }
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { thread_ec, frame_size } = self;
        write!(f, "context at byte {thread_ec} of a thread, frames of {frame_size} bytes")
    }
}

/// Returns the bytes that frames take up, if there is an execution context at `address`.
fn bytes_of_frames(address: usize) -> Option<usize> {
    if address == 0 || !address.is_multiple_of(WORD) {
        return None;
    }
    let [stack, size, frame] = copier::words::<{ context::WORDS }>(address)?;
    let sane_size = (256..=MAX_STACK_WORDS).contains(&size);
    let aligned = stack != 0 && stack.is_multiple_of(WORD) && frame.is_multiple_of(WORD);
    let end = stack.checked_add(size.checked_mul(WORD)?)?;
    (sane_size && aligned && frame > stack && frame < end).then(|| end - frame)
}
