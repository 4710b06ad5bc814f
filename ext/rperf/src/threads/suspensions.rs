//! What suspensions a thread is charged with: those from one stack are gathered, and most of the short ones are not asked
//! where they were.

use rperf_core::accounting::{Charge, OffGvlCpu, Over, Resumed, ShortTimes, Tally};
use rperf_core::ids::{FrameId, LabelSetId, ThreadSeq};
use rperf_core::state::VmState;
use rperf_core::time::Nanos;

/// What a thread's suspensions come to.
#[derive(Debug)]
pub struct Suspensions {
    blocked: Times,
    waited: Times,
    gathered: Gathered,
    /// CPU time used in them.
    pub cpu: OffGvlCpu,
    /// The stack that is charged with what of that has not been measured in the end.
    cpu_met: Place,
}

/// A stack and its labels.
#[derive(Debug, Default)]
struct Place {
    stack: Vec<FrameId>,
    labels: LabelSetId,
}

impl Place {
    fn set(&mut self, stack: &[FrameId], labels: LabelSetId) {
        self.stack.clear();
        self.stack.extend_from_slice(stack);
        self.labels = labels;
    }

    fn rest(&mut self, state: VmState, Tally { time, count }: Tally) -> Rest<'_> {
        Rest { stack: &mut self.stack, labels: self.labels, charge: (state, time, count) }
    }
}

/// Those in one state.
#[derive(Debug)]
struct Times {
    short: ShortTimes,
    /// The stack that short ones have met last.
    met: Place,
}

/// What has been charged to one stack, and is not in the buffer yet.
#[derive(Debug, Default)]
struct Gathered {
    place: Place,
    due: Due,
}

/// What is due to one stack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Due {
    blocked: Charge,
    waited: Charge,
    off_gvl: Charge,
}

impl Due {
    /// What one suspension took itself.
    pub fn own(resumed: Resumed) -> Self {
        let [blocked, waited, off_gvl] = [resumed.blocked, resumed.waited, resumed.off_gvl].map(own);
        Self { blocked, waited, off_gvl }
    }

    /// Whether that is nothing.
    pub fn is_nothing(self) -> bool {
        self.charges().iter().all(|(_, time, _)| *time == Nanos::ZERO)
    }

    /// As charges: state, time, and how many suspensions it is of.
    pub fn charges(self) -> [(VmState, Nanos, u32); 3] {
        let tallies = [
            (VmState::GvlBlocked, self.blocked.tally),
            (VmState::GvlWait, self.waited.tally),
            (VmState::Running, self.off_gvl.tally),
        ];
        tallies.map(|(state, Tally { time, count })| (state, time, count))
    }

    fn add(&mut self, other: Self) {
        self.blocked.tally.add(other.blocked.tally);
        self.waited.tally.add(other.waited.tally);
        self.off_gvl.tally.add(other.off_gvl.tally);
    }
}

fn own(time: Nanos) -> Charge {
    Charge { tally: one(time), met: false }
}

fn one(time: Nanos) -> Tally {
    Tally { time, count: u32::from(time > Nanos::ZERO) }
}

impl Times {
    fn new(seed: u64) -> Self {
        Self { short: ShortTimes::new(seed), met: Place::default() }
    }
}

impl Suspensions {
    /// None yet, of the thread with this number.
    pub fn new(thread: ThreadSeq) -> Self {
        let seed = 3 * u64::from(thread.0);
        Self {
            blocked: Times::new(seed),
            waited: Times::new(seed + 1),
            gathered: Gathered::default(),
            cpu: OffGvlCpu::new(seed + 2),
            cpu_met: Place::default(),
        }
    }

    /// The frames that the thread may still be charged with.
    pub fn frames(&self) -> impl Iterator<Item = FrameId> {
        let places = [&self.gathered.place, &self.blocked.met, &self.waited.met, &self.cpu_met];
        places.into_iter().flat_map(|place| place.stack.iter().copied())
    }

    /// Those that were over before anybody was told, and whose stacks nobody knows.
    pub fn add_over(&mut self, over: Over) {
        self.blocked.short.add(over.blocked);
        self.waited.short.add(over.waited);
    }

    /// How much more of these may come, blocked and waiting, until one is to be told at once.
    pub fn room(&self) -> [Nanos; 2] {
        [&self.blocked, &self.waited].map(|times| times.short.room())
    }

    /// What is due to the stack of one that took so long, and still stands there. `alone`: of CPU time no more than its own.
    pub fn due(&mut self, resumed: Resumed, alone: bool) -> Due {
        Due {
            blocked: self.blocked.short.charge(resumed.blocked),
            waited: self.waited.short.charge(resumed.waited),
            off_gvl: if alone { own(resumed.off_gvl) } else { self.cpu.charge(resumed.off_gvl) },
        }
    }

    /// Whether what is gathered is from this stack.
    pub fn gathers_from(&self, stack: &[FrameId], labels: LabelSetId) -> bool {
        self.gathered.place.stack == stack && self.gathered.place.labels == labels
    }

    /// Gathers what is due to this stack. That of another one must have been [taken](Self::take).
    pub fn gather(&mut self, due: Due, stack: &[FrameId], labels: LabelSetId) {
        if !self.gathers_from(stack, labels) {
            self.gathered.place.set(stack, labels);
        }
        let places = [&mut self.blocked.met, &mut self.waited.met, &mut self.cpu_met];
        for (place, charge) in places.into_iter().zip([due.blocked, due.waited, due.off_gvl]) {
            if charge.met {
                place.set(stack, labels);
            }
        }
        self.gathered.due.add(due);
    }

    /// The stack that they are gathered from, the leaf first, to be swapped with another one while it is in use.
    pub fn stack_mut(&mut self) -> &mut Vec<FrameId> {
        &mut self.gathered.place.stack
    }

    /// Takes what is due to that, with its labels.
    pub fn take(&mut self) -> (Due, LabelSetId) {
        (std::mem::take(&mut self.gathered.due), self.gathered.place.labels)
    }

    /// Takes what is due to nobody yet, with the stacks that are charged with it: there will be no more, or a part of the
    /// profile is complete.
    pub fn take_rests(&mut self) -> [Rest<'_>; 3] {
        let [blocked, waited, cpu] =
            [self.blocked.short.rest(), self.waited.short.rest(), one(self.cpu.rest())];
        [
            self.blocked.met.rest(VmState::GvlBlocked, blocked),
            self.waited.met.rest(VmState::GvlWait, waited),
            self.cpu_met.rest(VmState::Running, cpu),
        ]
    }
}

/// What is due to nobody, and who is charged with it.
pub struct Rest<'a> {
    /// The stack, the leaf first.
    pub stack: &'a mut Vec<FrameId>,
    /// Its labels.
    pub labels: LabelSetId,
    /// The state, the time, and how many suspensions it is of.
    pub charge: (VmState, Nanos, u32),
}
