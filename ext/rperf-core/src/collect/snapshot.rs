//! A snapshot: an owned copy of what was aggregated, ready to be named.

use super::aggregator::SampleKey;
use super::counters::Drops;
use super::stack_table::Nodes;
use crate::time::Nanos;

/// One sample of a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SnapshotSample {
    /// Stack, state, thread and labels.
    pub key: SampleKey,
    /// The time.
    pub weight: Nanos,
    /// How many ticks.
    pub count: u64,
    /// When it was taken, on the wall clock; 0 where equal samples were merged.
    pub moment: Nanos,
}

/// What was aggregated up to a moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// The samples.
    pub samples: Vec<SnapshotSample>,
    /// Their stacks.
    pub stacks: Nodes,
    /// What the aggregator dropped.
    pub drops: Drops,
}
