//! Rows that count each sample once, however often the sample meets them: recursion counts once.

/// The last sample that a row has counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counted(u32);

impl Counted {
    /// Notes a sample by its number, from 1. Returns whether the row has not counted it before.
    /// Samples come in the order of their numbers.
    pub(crate) fn is_new(&mut self, sample: u32) -> bool {
        std::mem::replace(&mut self.0, sample) != sample
    }

    /// Whether the row has counted any sample.
    pub(crate) fn is_any(self) -> bool {
        self.0 != 0
    }
}
