//! A snapshot: an owned copy of what was aggregated, ready to be named.

use super::counters::Drops;
use crate::ids::{FrameId, LabelSetId, NativeId, ThreadSeq};
use crate::state::VmState;
use crate::time::Nanos;

/// One sample of a snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapshotSample {
    /// The frames, the leaf first.
    pub stack: Vec<FrameId>,
    /// What the thread did.
    pub state: VmState,
    /// The thread.
    pub thread: ThreadSeq,
    /// Its labels.
    pub labels: LabelSetId,
    /// The native function that ran for the innermost frame.
    pub native: NativeId,
    /// The time.
    pub weight: Nanos,
    /// How many ticks.
    pub count: u64,
}

/// What was aggregated up to a moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// The samples.
    pub samples: Vec<SnapshotSample>,
    /// What the aggregator dropped.
    pub drops: Drops,
    /// How many distinct stacks there are.
    pub unique_stacks: usize,
}
