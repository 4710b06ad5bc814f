//! What samples that are merged have in common, and what they add up to.

use crate::ids::{KindId, Labelling, StackId, ThreadSeq};
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
    pub labels: Labelling,
    /// The object, where one was sampled.
    pub kind: KindId,
}

/// What samples that are merged add up to.
pub trait Amount: Copy + Default {
    /// Adds another one.
    fn add(&mut self, other: Self);
    /// What is counted when it does not fit: how many samples, and their time.
    fn lost(self) -> (u64, Nanos);
}

/// Time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Time {
    /// The time.
    pub weight: Nanos,
    /// How long other threads waited for the GVL meanwhile, all of them together.
    pub caused: Nanos,
    /// How many ticks, or events.
    pub count: u64,
}

impl Time {
    /// So many ticks or events of this time, for which no thread waited.
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
