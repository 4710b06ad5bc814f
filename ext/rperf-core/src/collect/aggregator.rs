//! The aggregator: equal samples are merged, so that memory depends on the program, not on the
//! time.

use hashbrown::HashMap;

use super::counters::{DropCause, Drops};
use super::snapshot::SnapshotSample;
use crate::ids::{LabelSetId, StackId, ThreadSeq};
use crate::state::VmState;
use crate::time::Nanos;

/// What samples that are merged have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SampleKey {
    /// The stack.
    pub stack: StackId,
    /// What the thread did.
    pub state: VmState,
    /// The thread.
    pub thread: ThreadSeq,
    /// Its labels at the time.
    pub labels: LabelSetId,
}

#[derive(Clone, Copy, Debug, Default)]
struct Value {
    weight: Nanos,
    count: u64,
}

impl Value {
    fn of(self, key: SampleKey, moment: Nanos) -> SnapshotSample {
        SnapshotSample { key, weight: self.weight, count: self.count, moment }
    }
}

/// Samples in an order that depends on nothing else.
fn sorted(samples: impl Iterator<Item = SnapshotSample>) -> Vec<SnapshotSample> {
    let mut samples: Vec<_> = samples.collect();
    samples.sort_unstable_by_key(|sample| sample.key);
    samples
}

/// Raw samples are kept in chunks of so many: a list that grows by copying would hold up a hook.
const CHUNK: usize = 1 << 14;

/// Samples, merged or one by one.
#[derive(Debug)]
pub struct Aggregator {
    samples: Samples,
    limit: usize,
    drops: Drops,
}

#[derive(Debug)]
enum Samples {
    Merged(HashMap<SampleKey, Value>),
    Raw(Vec<Vec<SnapshotSample>>),
}

impl Aggregator {
    /// An empty one for at most `limit` samples; with `merge` false every sample is kept by itself.
    pub fn new(merge: bool, limit: usize) -> Self {
        let samples = if merge { Samples::Merged(HashMap::new()) } else { Samples::Raw(Vec::new()) };
        Self { samples, limit, drops: Drops::default() }
    }

    /// How many samples there are.
    pub fn len(&self) -> usize {
        match &self.samples {
            Samples::Merged(map) => map.len(),
            Samples::Raw(chunks) => chunks.last().map_or(0, |last| (chunks.len() - 1) * CHUNK + last.len()),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds a sample that stands for `count` ticks and was taken at `moment`. False when it did not
    /// fit, and was dropped.
    pub fn add(&mut self, key: SampleKey, weight: Nanos, count: u32, moment: Nanos) -> bool {
        let value = Value { weight, count: u64::from(count) };
        let full = self.len() >= self.limit;
        let total = match &mut self.samples {
            Samples::Raw(chunks) if !full => {
                if chunks.last().is_none_or(|last| last.len() == CHUNK) {
                    chunks.push(Vec::with_capacity(CHUNK));
                }
                chunks.last_mut().expect("just made").push(value.of(key, moment));
                return true;
            }
            Samples::Merged(map) if !full => Some(map.entry(key).or_default()),
            Samples::Merged(map) => map.get_mut(&key),
            Samples::Raw(_) => None,
        };
        let Some(total) = total else {
            self.drops.add(DropCause::StackLimit, value.count, weight);
            return false;
        };
        total.weight += weight;
        total.count += value.count;
        true
    }

    /// A copy of all samples, in an order that depends only on them; of raw ones, in their order.
    pub fn samples(&self) -> Vec<SnapshotSample> {
        match &self.samples {
            Samples::Raw(chunks) => chunks.iter().flatten().copied().collect(),
            Samples::Merged(map) => sorted(map.iter().map(|(key, value)| value.of(*key, Nanos::ZERO))),
        }
    }

    /// The same without a copy: the aggregator is empty afterwards.
    pub fn drain(&mut self) -> Vec<SnapshotSample> {
        match &mut self.samples {
            Samples::Raw(chunks) => {
                let mut samples = Vec::with_capacity(chunks.iter().map(Vec::len).sum());
                samples.extend(chunks.drain(..).flatten());
                samples
            }
            Samples::Merged(map) => sorted(map.drain().map(|(key, value)| value.of(key, Nanos::ZERO))),
        }
    }

    /// What did not fit.
    pub fn drops(&self) -> &Drops {
        &self.drops
    }

    /// Forgets all samples and drops; memory is kept for the next ones.
    pub fn clear(&mut self) {
        match &mut self.samples {
            Samples::Merged(map) => map.clear(),
            Samples::Raw(chunks) => chunks.clear(),
        }
        self.drops = Drops::default();
    }
}
