//! Suspensions from one stack, gathered: programs that switch tens of thousands of times a second mostly wait at the same
//! few places.

use rperf_core::accounting::{Over, Resumed};
use rperf_core::ids::{FrameId, LabelSetId};
use rperf_core::state::VmState;
use rperf_core::time::Nanos;

/// Time in one state, and how many suspensions it is of.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    time: Nanos,
    count: u32,
}

impl Tally {
    fn add(&mut self, time: Nanos, count: u32) {
        if time > Nanos::ZERO {
            self.time += time;
            self.count = self.count.saturating_add(count);
        }
    }
}

/// What has not been charged yet to one stack.
#[derive(Debug, Default)]
pub struct Suspensions {
    stack: Vec<FrameId>,
    labels: LabelSetId,
    blocked: Tally,
    waited: Tally,
    off_gvl: Tally,
}

impl Suspensions {
    /// The stack that they are from, the leaf first; empty as long as there are none.
    pub fn stack(&self) -> &[FrameId] {
        &self.stack
    }

    /// The labels that they have.
    pub fn labels(&self) -> LabelSetId {
        self.labels
    }

    /// From now on they are from this one. What they were must have been [taken](Self::take).
    pub fn begin(&mut self, stack: &[FrameId], labels: LabelSetId) {
        self.stack.clear();
        self.stack.extend_from_slice(stack);
        self.labels = labels;
    }

    /// One more.
    pub fn add(&mut self, resumed: Resumed) {
        self.blocked.add(resumed.blocked, 1);
        self.waited.add(resumed.waited, 1);
        self.off_gvl.add(resumed.off_gvl, 1);
    }

    /// Those that were over before anybody was told.
    pub fn add_all(&mut self, over: Over) {
        let [blocked, waited] = over.counts;
        self.blocked.add(over.blocked, blocked);
        self.waited.add(over.waited, waited);
    }

    /// Their stack, to be swapped with another one while it is in use.
    pub fn stack_mut(&mut self) -> &mut Vec<FrameId> {
        &mut self.stack
    }

    /// Takes what they come to: state, time, how many, and the labels.
    pub fn take(&mut self) -> ([(VmState, Nanos, u32); 3], LabelSetId) {
        let tallies = [
            (VmState::GvlBlocked, &mut self.blocked),
            (VmState::GvlWait, &mut self.waited),
            (VmState::Running, &mut self.off_gvl),
        ];
        let taken = tallies.map(|(state, tally)| {
            let Tally { time, count } = std::mem::take(tally);
            (state, time, count)
        });
        (taken, self.labels)
    }
}
