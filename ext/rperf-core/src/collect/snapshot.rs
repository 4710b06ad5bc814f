//! A snapshot: an owned copy of aggregated samples, which get names later.

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
    /// Time or values that it stands for.
    pub amount: A,
    /// Moment at which it was taken, on the wall clock; 0 where equal samples were merged.
    pub moment: Nanos,
}

/// Copy of all that was aggregated up to a moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// Samples of time, by each clock.
    pub times: ByClock<Vec<SnapshotSample>>,
    /// Samples of other values.
    pub values: Vec<SnapshotSample<Values>>,
    /// Objects in use.
    pub in_use: Vec<InUse>,
    /// Kinds of objects that the samples refer to.
    pub kinds: Vec<ObjectKind>,
    /// Names of the samples' values beyond those of the mode.
    pub value_names: Vec<String>,
    /// Stacks of the samples.
    pub stacks: Nodes,
}

impl Snapshot {
    /// Returns the keys of all samples: stack, state, thread and labels.
    pub fn keys(&self) -> impl Iterator<Item = &SampleKey> {
        let times = self.times.iter().flatten().map(|sample| &sample.key);
        let values = self.values.iter().map(|sample| &sample.key);
        let in_use = self.in_use.iter().map(|objects| &objects.key);
        times.chain(values).chain(in_use)
    }
}
