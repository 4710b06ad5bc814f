//! A snapshot: an owned copy of what was aggregated, ready to be named.

use super::in_use::InUse;
use super::object_kinds::ObjectKind;
use super::sample_key::{SampleKey, Time};
use super::stack_table::Nodes;
use super::values::Values;
use crate::state::ByClock;
use crate::time::Nanos;

/// One sample of a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SnapshotSample<A = Time> {
    /// Stack, state, thread and labels.
    pub key: SampleKey,
    /// What it stands for.
    pub amount: A,
    /// When it was taken, on the wall clock; 0 where equal samples were merged.
    pub moment: Nanos,
}

/// What was aggregated up to a moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// The samples of time, by each clock.
    pub times: ByClock<Vec<SnapshotSample>>,
    /// The samples of other values.
    pub values: Vec<SnapshotSample<Values>>,
    /// The objects in use.
    pub in_use: Vec<InUse>,
    /// The kinds of objects that these refer to.
    pub kinds: Vec<ObjectKind>,
    /// What their values are called beyond those of the mode.
    pub value_names: Vec<String>,
    /// Their stacks.
    pub stacks: Nodes,
}

impl Snapshot {
    /// What all samples have of stack, thread and labels.
    pub fn keys(&self) -> impl Iterator<Item = &SampleKey> {
        let times = self.times.iter().flatten().map(|sample| &sample.key);
        let values = self.values.iter().map(|sample| &sample.key);
        let in_use = self.in_use.iter().map(|objects| &objects.key);
        times.chain(values).chain(in_use)
    }
}
