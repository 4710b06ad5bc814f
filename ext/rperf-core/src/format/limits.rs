//! How much a decoder takes in, so that a small hostile file cannot use up the memory.

/// The largest profile that is decoded, in bytes once unzipped: 1 GiB. A profile of 20,000 stacks
/// with 60 frames has 3 MB as pprof and 7 MB as JSON.
pub const MAX_BYTES: usize = 1 << 30;

/// The most rows that any table of a decoded profile may have (samples, functions, locations, ...).
pub const MAX_ROWS: usize = 1 << 24;

/// The most locations that the stacks of a decoded profile may have in all.
pub const MAX_STACK_ENTRIES: usize = 1 << 28;

/// Beyond [`RATIO_FLOOR`] bytes, gzip may not make a profile larger than this many times its size.
///
/// Deep recursion repeats itself and packs well, so the limit is high: zeros come to about 1,030.
pub const MAX_RATIO: usize = 400;

/// What may be unzipped whatever the ratio: 64 MiB.
pub const RATIO_FLOOR: usize = 64 << 20;

/// The most bytes that names, labels and comments may have when each place that refers to a text
/// has its own copy: 256 MiB.
const MAX_TEXT_BYTES: usize = 256 << 20;

/// Counts bytes that are copied out of shared tables, where a few bytes of input can ask for many.
pub(super) struct Budget {
    left: usize,
}

impl Budget {
    /// All of it is left.
    pub(super) fn new() -> Self {
        Self { left: MAX_TEXT_BYTES }
    }

    /// Whether so many bytes more may be copied.
    pub(super) fn spend(&mut self, bytes: usize) -> bool {
        match self.left.checked_sub(bytes) {
            Some(left) => {
                self.left = left;
                true
            }
            None => false,
        }
    }
}
