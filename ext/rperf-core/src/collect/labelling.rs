//! What is known of a fiber's labels at a moment, small enough for one atomic word.

use crate::ids::{LabelSetId, WorkId};

/// A label set, and the unit of work that names what the set leaves open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Labelling {
    /// The set.
    pub set: LabelSetId,
    /// The unit of work.
    pub work: WorkId,
}

impl Labelling {
    /// Both numbers as one.
    pub fn to_word(self) -> u64 {
        u64::from(self.work.0) << u32::BITS | u64::from(self.set.0)
    }

    /// Of such a number.
    pub fn from_word(word: u64) -> Self {
        Self { set: LabelSetId(word as u32), work: WorkId((word >> u32::BITS) as u32) }
    }
}

impl From<LabelSetId> for Labelling {
    /// The set, outside of units of work.
    fn from(set: LabelSetId) -> Self {
        Self { set, work: WorkId::NONE }
    }
}
