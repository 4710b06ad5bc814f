//! Keys and amounts of samples: what merged samples have in common, and what they add up to.

use crate::ids::{KindId, Labelling, StackId, ThreadSeq};
use crate::state::VmState;
use crate::time::Nanos;

/// Key of a sample. Samples with the same key are merged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SampleKey {
    /// The stack.
    pub stack: StackId,
    /// State of the thread.
    pub state: VmState,
    /// The thread.
    pub thread: ThreadSeq,
    /// Labels of the thread at the time.
    pub labels: Labelling,
    /// Kind of the object, where one was sampled.
    pub kind: KindId,
}

/// Amount of a sample. The amounts of merged samples are added up.
pub trait Amount: Copy + Default {
    /// Adds another amount.
    fn add(&mut self, other: Self);
    /// Returns what is counted when the sample does not fit: number of samples, and their time.
    fn lost(self) -> (u64, Nanos);
}

/// Time of samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Time {
    /// Time that the samples stand for.
    pub weight: Nanos,
    /// Time for which other threads waited for the GVL meanwhile, all of them together.
    pub caused: Nanos,
    /// Number of ticks, or events.
    pub count: u64,
}

impl Time {
    /// Creates the time of `count` ticks or events, during which no thread waited for the GVL.
    pub fn new(weight: Nanos, count: u64) -> Self {
        Self { weight, count, ..Self::default() }
    }
}

impl Amount for Time {
    fn add(&mut self, other: Self) {
        self.weight += other.weight;
        self.caused += other.caused;
        self.count += other.count;
    }

    fn lost(self) -> (u64, Nanos) {
        (self.count, self.weight)
    }
}
