//! What suspensions a thread is charged with: those from one stack are gathered, and most of the short ones are not asked
//! where they were.

use rperf_core::accounting::{Over, Resumed, ShortTimes, Tally};
use rperf_core::ids::{FrameId, LabelSetId, ThreadSeq};
use rperf_core::state::{Mode, VmState};
use rperf_core::time::Nanos;

/// In cpu mode suspensions of so much time wait to be told together: CPU time without the GVL is to be found while the
/// stack stands that used it.
const LATE_CPU: Nanos = Nanos(50_000);

/// What a thread's suspensions come to.
#[derive(Debug)]
pub struct Suspensions {
    mode: Mode,
    short_blocked: ShortTimes,
    short_waited: ShortTimes,
    stack: Vec<FrameId>,
    labels: LabelSetId,
    blocked: Tally,
    waited: Tally,
    off_gvl: Tally,
}

/// What is due to the stack of one suspension.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Due {
    /// Off the GVL.
    pub blocked: Tally,
    /// Waiting for it.
    pub waited: Tally,
    /// CPU time used off the GVL.
    pub off_gvl: Tally,
}

impl Due {
    /// All that it took itself.
    pub fn own(resumed: Resumed) -> Self {
        let [blocked, waited, off_gvl] = [resumed.blocked, resumed.waited, resumed.off_gvl].map(one);
        Self { blocked, waited, off_gvl }
    }

    /// As charges: state, time, and how many suspensions it is of.
    pub fn charges(self) -> [(VmState, Nanos, u32); 3] {
        let tallies = [
            (VmState::GvlBlocked, self.blocked),
            (VmState::GvlWait, self.waited),
            (VmState::Running, self.off_gvl),
        ];
        tallies.map(|(state, Tally { time, count })| (state, time, count))
    }
}

fn one(time: Nanos) -> Tally {
    Tally { time, count: u32::from(time > Nanos::ZERO) }
}

impl Suspensions {
    /// None yet, of the thread with this number.
    pub fn new(mode: Mode, thread: ThreadSeq) -> Self {
        let seed = 2 * u64::from(thread.0);
        Self {
            mode,
            short_blocked: ShortTimes::new(seed),
            short_waited: ShortTimes::new(seed + 1),
            stack: Vec::new(),
            labels: LabelSetId::EMPTY,
            blocked: Tally::default(),
            waited: Tally::default(),
            off_gvl: Tally::default(),
        }
    }

    /// The stack that the gathered ones are from, the leaf first; empty as long as there are none.
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

    /// Those that were over before anybody was told, and whose stacks nobody knows.
    pub fn add_over(&mut self, over: Over) {
        self.short_blocked.add(over.blocked);
        self.short_waited.add(over.waited);
    }

    /// How much more of these may come, blocked and waiting, until one is to be told at once.
    pub fn room(&self) -> [Nanos; 2] {
        match self.mode {
            Mode::Cpu => [LATE_CPU; 2],
            Mode::Wall => [self.short_blocked.room(), self.short_waited.room()],
        }
    }

    /// What is due to the stack of one that took so long, and still stands there.
    pub fn due(&mut self, resumed: Resumed) -> Due {
        Due {
            blocked: self.short_blocked.charge(resumed.blocked),
            waited: self.short_waited.charge(resumed.waited),
            off_gvl: one(resumed.off_gvl),
        }
    }

    /// Gathers what is due to the stack that they are from.
    pub fn gather(&mut self, due: Due) {
        self.blocked.add(due.blocked);
        self.waited.add(due.waited);
        self.off_gvl.add(due.off_gvl);
    }

    /// Gathers also what is due to none yet, when there will be no more, or a part of the profile is complete.
    pub fn gather_rest(&mut self) {
        for (gathered, short) in
            [(&mut self.blocked, &mut self.short_blocked), (&mut self.waited, &mut self.short_waited)]
        {
            // The last of them may have been counted already, when a part of its time was due.
            let Tally { time, count } = short.rest();
            gathered.add(Tally { time, count: count.max(1) });
        }
    }

    /// Their stack, to be swapped with another one while it is in use.
    pub fn stack_mut(&mut self) -> &mut Vec<FrameId> {
        &mut self.stack
    }

    /// Takes what the gathered ones come to, with the labels.
    pub fn take(&mut self) -> (Due, LabelSetId) {
        let [blocked, waited, off_gvl] =
            [&mut self.blocked, &mut self.waited, &mut self.off_gvl].map(std::mem::take);
        (Due { blocked, waited, off_gvl }, self.labels)
    }
}
