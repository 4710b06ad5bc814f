//! What names a frame, or is its code, while that lives.

/// A method entry or an instruction sequence that lives: made where its address has been checked,
/// of a frame that the garbage collector keeps for as long as this is used (`roots::KeptFrames`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LiveFrame(u64);

impl LiveFrame {
    /// # Safety
    /// It must live at this address, and be kept for as long as this is used.
    pub(super) unsafe fn new(address: u64) -> Self {
        Self(address)
    }

    /// Its address.
    pub(super) fn address(self) -> u64 {
        self.0
    }
}
