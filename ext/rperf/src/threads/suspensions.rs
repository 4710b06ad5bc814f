//! What suspensions a thread is charged with: most of the short ones are not asked where they were.

use rperf_core::accounting::{Charge, Over, Resumed, ShortTimes, Tally};
use rperf_core::collect::{Labelling, Time};
use rperf_core::ids::{StackId, ThreadSeq};
use rperf_core::state::VmState;
use rperf_core::time::Nanos;

/// What a thread's suspensions come to.
#[derive(Debug)]
pub struct Suspensions {
    blocked: Times,
    waited: Times,
}

/// A stack and its labels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LabelledStack {
    /// The stack.
    pub stack: StackId,
    /// The labels.
    pub labels: Labelling,
    /// When it stood, on the wall clock.
    pub moment: Nanos,
}

/// Those in one state.
#[derive(Debug)]
struct Times {
    short: ShortTimes,
    /// The stack that short ones have met last.
    met: LabelledStack,
}

/// What is due to one stack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Due {
    blocked: Charge,
    waited: Charge,
    /// Processor time meanwhile: measured, so that no tick has met it.
    computed: Nanos,
}

impl Due {
    /// What one suspension took itself.
    pub fn own(resumed: Resumed) -> Self {
        let [blocked, waited] = [resumed.blocked, resumed.waited].map(own);
        Self { blocked, waited, computed: resumed.off_gvl }
    }

    /// Whether that is nothing.
    pub fn is_nothing(self) -> bool {
        self.blocked.tally.time + self.waited.tally.time + self.computed == Nanos::ZERO
    }

    /// As charges by the wall clock, of so many suspensions.
    pub fn off_gvl(self) -> [(VmState, Time); 2] {
        [(VmState::GvlBlocked, charged(self.blocked.tally)), (VmState::GvlWait, charged(self.waited.tally))]
    }

    /// As a charge by the CPU clock, of no tick.
    pub fn computed(self) -> [(VmState, Time); 1] {
        [(VmState::Running, Time::new(self.computed, 0))]
    }
}

fn own(time: Nanos) -> Charge {
    Charge { tally: Tally { time, count: u32::from(time > Nanos::ZERO) }, met: false }
}

fn charged(Tally { time, count }: Tally) -> Time {
    Time::new(time, count.into())
}

impl Times {
    fn new(seed: u64) -> Self {
        Self { short: ShortTimes::new(seed), met: LabelledStack::default() }
    }
}

impl Suspensions {
    /// None yet, of the thread with this number.
    pub fn new(thread: ThreadSeq) -> Self {
        let seed = 2 * u64::from(thread.0);
        Self { blocked: Times::new(seed), waited: Times::new(seed + 1) }
    }

    /// Everything has been charged, and another period begins: its places are its own.
    pub fn begin_period(&mut self) {
        for place in [&mut self.blocked.met, &mut self.waited.met] {
            *place = LabelledStack::default();
        }
    }

    /// Those that ended without a look at their stacks.
    pub fn add_over(&mut self, over: Over) {
        self.blocked.short.add(over.blocked);
        self.waited.short.add(over.waited);
    }

    /// How much more of these may come, blocked and waiting, until one is to be told at once.
    pub fn room(&self) -> [Nanos; 2] {
        [&self.blocked, &self.waited].map(|times| times.short.room())
    }

    /// What is due to the stack of one that took so long, and still stands there.
    pub fn due(&mut self, resumed: Resumed) -> Due {
        Due {
            blocked: self.blocked.short.charge(resumed.blocked),
            waited: self.waited.short.charge(resumed.waited),
            computed: resumed.off_gvl,
        }
    }

    /// The stack of a suspension is charged with this.
    pub fn note_met(&mut self, due: Due, place: LabelledStack) {
        let places = [&mut self.blocked.met, &mut self.waited.met];
        for (met, charge) in places.into_iter().zip([due.blocked, due.waited]) {
            if charge.met {
                *met = place;
            }
        }
    }

    /// The labels that are still to be charged with something.
    pub fn labels(&self) -> [Labelling; 2] {
        [self.blocked.met.labels, self.waited.met.labels]
    }

    /// Takes what is not due to any stack yet, each part with the place that is charged with it:
    /// there will be no more, or a part of the profile is complete.
    pub fn take_rests(&mut self) -> [(LabelledStack, VmState, Time); 2] {
        [
            (self.blocked.met, VmState::GvlBlocked, charged(self.blocked.short.rest())),
            (self.waited.met, VmState::GvlWait, charged(self.waited.short.rest())),
        ]
    }
}
