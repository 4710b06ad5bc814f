//! A living method entry or instruction sequence: it names a frame, or is the code of a frame.

/// Address of a living method entry or instruction sequence: made where it has been checked, of a
/// frame that the garbage collector keeps for as long as this is used (`roots::KeptFrames`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LiveFrame(u64);

impl LiveFrame {
    /// # Safety
    /// `address` must be that of a living method entry or instruction sequence, kept while in use.
    pub(super) unsafe fn new(address: u64) -> Self {
        Self(address)
    }

    /// Returns the address.
    pub(super) fn address(self) -> u64 {
        self.0
    }
}
