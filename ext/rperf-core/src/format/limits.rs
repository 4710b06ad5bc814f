//! Limits of the decoders, so that a small hostile file cannot use up the memory.

/// Maximum size of a profile that is decoded, in bytes after decompression: 1 GiB. A profile of
/// 20,000 stacks with 60 frames has 3 MB as pprof and 7 MB as JSON.
pub const MAX_BYTES: usize = 1 << 30;

/// Maximum number of rows in any table of a decoded profile (samples, functions, locations, ...).
pub const MAX_ROWS: usize = 1 << 24;

/// Maximum number of locations that all stacks of a decoded profile may have together.
pub const MAX_STACK_ENTRIES: usize = 1 << 28;

/// Maximum ratio of decompressed to compressed bytes, beyond [`RATIO_FLOOR`] decompressed bytes. It
/// is high, since stacks of deep recursion repeat themselves and compress well. For zeros the ratio
/// is about 1,030.
pub const MAX_RATIO: usize = 400;

/// Number of bytes that may be decompressed whatever the ratio is: 64 MiB.
pub const RATIO_FLOOR: usize = 64 << 20;

/// Maximum number of bytes of names, labels and comments, where each place that refers to a text
/// gets its own copy: 256 MiB.
const MAX_TEXT_BYTES: usize = 256 << 20;

/// Limit of bytes copied out of shared tables, where a few bytes of input can ask for many.
pub(super) struct Budget {
    left: usize,
}

impl Budget {
    /// Returns an unused budget of [`MAX_TEXT_BYTES`].
    pub(super) fn new() -> Self {
        Self { left: MAX_TEXT_BYTES }
    }

    /// Takes `bytes` off the budget; false, and nothing is taken, when fewer are left.
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
