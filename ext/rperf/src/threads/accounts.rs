//! The part of a thread's record that is used under its lock.

use rperf_core::accounting::{
    Charge, Charges, EndedSuspensions, Event, GvlEvents, Inspections, LONG_CPU, Resumed, ShortTimes, Step,
    Tally, ThreadClock,
};
use rperf_core::collect::{Labelling, StackTable, Time};
use rperf_core::ids::{StackId, ThreadSeq};
use rperf_core::state::{ByClock, Clock, VmState};
use rperf_core::time::Nanos;
use rperf_core::trace::TraceLine;
use rperf_core::work::Waits;

use super::trace;
use crate::os::clock::{self, CpuClock};

/// What a thread is charged with, and where.
#[derive(Debug)]
#[repr(C)]
pub struct ThreadAccounts {
    /// The thread's number in the session.
    pub seq: ThreadSeq,
    /// Its accounting, by each clock that the session samples.
    clocks: ByClock<Option<ThreadClock>>,
    /// Time off the GVL that has not been charged yet.
    pub suspensions: Suspensions,
    /// Its CPU clock, for others to read; known once it has run.
    pub cpu_clock: Option<CpuClock>,
    /// Wall mode: what its native thread had waited for processors when that was last asked for.
    waited_for_processors: Nanos,
    /// Its native thread runs others in turn (M:N threads): that clock is its own only while it has
    /// the GVL.
    pub shares_native: bool,
    /// Time of threads that ended before, which the next tick carries.
    pub inherited: ByClock<Nanos>,
    /// The last stack that was sampled.
    pub last_stack: StackId,
    /// The labels of its last tick, or of its last time inside of a block.
    pub last_labels: Labelling,
    /// Cpu mode: what its CPU clock has said, twice, since a tick came that is not charged yet.
    pub noted_cpu: Option<[Nanos; 2]>,
    /// How long other threads have waited for the GVL in steps of the collector on this one that
    /// have not been charged yet.
    pub caused_by_gc: Nanos,
    /// How many ticks it has had.
    pub tick_count: u64,
    /// Cpu mode: which suspensions are measured.
    inspections: Inspections,
    /// In how many nested `Rperf.profile` blocks it is, where these matter.
    pub blocks: u32,
    /// Wall mode: running sums since its first moment.
    waits: Waits,
}

impl ThreadAccounts {
    /// Of a thread that has this number. Of suspensions that are shorter than `together` stacks are
    /// charged with so much at a time where samples are merged, and about one in so much time is
    /// measured.
    pub fn new(seq: ThreadSeq, clocks: ByClock<Option<ThreadClock>>, together: Nanos, merges: bool) -> Self {
        Self {
            seq,
            suspensions: Suspensions::new(seq, if merges { together } else { Nanos::ZERO }),
            clocks,
            cpu_clock: None,
            waited_for_processors: Nanos::ZERO,
            shares_native: false,
            inherited: ByClock::default(),
            last_stack: StackTable::EMPTY,
            last_labels: Labelling::default(),
            noted_cpu: None,
            caused_by_gc: Nanos::ZERO,
            tick_count: 0,
            inspections: Inspections::new(u64::from(seq.0), together),
            blocks: 0,
            waits: Waits::default(),
        }
    }

    /// Flushes what has happened to the clocks. Returns whether suspensions are over of which they
    /// knew nothing.
    pub fn flush(&mut self, events: &GvlEvents) -> bool {
        let is_suspended = self.is_suspended();
        let happen = |event, wall| self.happen(event, wall, Nanos::ZERO).resumed().blocked;
        let ended = events.flush(is_suspended, clock::monotonic, happen);
        if ended == EndedSuspensions::default() {
            return false;
        }
        self.suspensions.add_ended(ended);
        self.waits.blocked += ended.blocked.time;
        self.waits.gvl += ended.waited.time;
        true
    }

    /// Whether the thread is off the GVL, as far as the events tell: all clocks know the same.
    pub fn is_suspended(&self) -> bool {
        self.clocks.iter().flatten().any(ThreadClock::is_suspended)
    }

    /// An event happened, for all clocks. Returns what each charges.
    pub fn happen(&mut self, event: Event, wall: Nanos, cpu: Nanos) -> ByClock<Charges> {
        ByClock::new(|clock| self.happen_on(clock, event, wall, cpu))
    }

    /// The same of one clock: it charges nothing where the session does not sample it.
    pub fn happen_on(&mut self, clock: Clock, event: Event, wall: Nanos, cpu: Nanos) -> Charges {
        let Some(of_thread) = &mut self.clocks[clock] else { return Charges::default() };
        let charged = of_thread.happen(event, wall, cpu);
        // Of suspensions that are over, `flush` knows more.
        if clock == Clock::Wall && !matches!(event, Event::WasOffGvl { .. }) {
            self.waits.blocked += charged.resumed.blocked;
            self.waits.gvl += charged.resumed.waited;
            self.waits.gc += charged.gc.mark + charged.gc.sweep;
        }
        trace::write(|| TraceLine::Step(Step { thread: self.seq, clock, event, wall, cpu, charged }));
        charged
    }

    /// The thread is profiled again: what waits goes to its next tick.
    pub fn reopen(&mut self, wall: Nanos, cpu: Nanos) {
        for (clock, waiting) in std::mem::take(&mut self.inherited).into_pairs() {
            self.happen_on(clock, Event::Reopen { waiting }, wall, cpu);
        }
    }

    /// The deferral budget: how long suspensions may be for their ends to be flushed later.
    pub fn budget(&self) -> [Nanos; 2] {
        let [cpu, wall] = [self.clocks.cpu.is_some(), self.clocks.wall.is_some()];
        let budget = if wall { self.suspensions.budget() } else { [LONG_CPU; 2] };
        budget.map(|time| if cpu { time.min(LONG_CPU) } else { time })
    }

    /// The thread, the calling one, has the GVL again since `wall`: what its suspension charges. By
    /// the CPU clock that is what it computed without the GVL, if the suspension is long or was
    /// `measured`: its CPU clock was read when it began, and this at its end.
    pub fn resume(&mut self, wall: Nanos, measured: Option<Nanos>) -> Resumed {
        let is_long = self.clocks.cpu.as_ref().is_some_and(|clock| clock.suspended_for(wall) >= LONG_CPU);
        let cpu = measured.or_else(|| is_long.then(clock::thread_cpu));
        let event = Event::Resume { read: cpu.is_some() };
        let mut charged = self.happen(event, wall, cpu.unwrap_or_default()).resumed();
        if !is_long {
            let others = Nanos(charged.off_gvl.0 * u64::from(self.inspections.interval() - 1));
            if others > Nanos::ZERO {
                self.happen_on(Clock::Cpu, Event::Owe { more: others }, wall, Nanos::ZERO);
            }
            charged.off_gvl += others;
        }
        charged
    }

    /// Wall mode: so much of a tick's weight is time in which the thread, which had the GVL, waited
    /// for a processor.
    pub fn take_cpu_wait(&mut self, weight: Nanos) -> Nanos {
        let Self { clocks, cpu_clock, waited_for_processors: last, shares_native, .. } = self;
        let Some(clock) = &mut clocks.wall else { return Nanos::ZERO };
        let own_clock = cpu_clock.filter(|_| !*shares_native);
        clock.take_cpu_wait(weight, || {
            let waited = own_clock.map_or(Nanos::ZERO, CpuClock::waited_for_processors);
            waited - std::mem::replace(last, waited)
        })
    }

    /// Wall mode: in what it has spent time without running the program, so far. (A suspension that
    /// goes on counts when it has ended.)
    pub fn waits(&self) -> Waits {
        let open = self.clocks.wall.as_ref().map(ThreadClock::open_gc).unwrap_or_default();
        Waits { gc: self.waits.gc + open, ..self.waits }
    }

    /// See [`ThreadClock::just_lost_processor`].
    pub fn just_lost_processor(&self, wall: Nanos, cpu: Nanos, others: bool) -> bool {
        self.clocks.cpu.as_ref().is_some_and(|clock| clock.just_lost_processor(wall, cpu, others))
    }

    /// See [`ThreadClock::is_overdue`].
    pub fn is_overdue(&self, cpu: Nanos, span: Nanos) -> bool {
        self.clocks.cpu.as_ref().is_some_and(|clock| clock.is_overdue(cpu, span))
    }

    /// The thread itself has captured its stack, for a tick or a suspension, since `begun`.
    pub fn captured_here(&mut self, begun: Nanos) {
        self.inspections.leave_out(clock::monotonic() - begun);
    }

    /// A measured suspension ended at `wall`, and is charged now. Returns how many will pass until
    /// the next one that is measured.
    pub fn next_gap(&mut self, wall: Nanos) -> u32 {
        let gap = self.inspections.next_gap(wall);
        self.captured_here(wall);
        gap
    }
}

/// Of no thread yet.
impl Default for ThreadAccounts {
    fn default() -> Self {
        Self::new(ThreadSeq(0), ByClock::default(), Nanos::ZERO, false)
    }
}

/// What a thread that a tick meets has of a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Processor {
    /// It uses one.
    Has,
    /// It used one until now: it has lost it to the calling thread, most often.
    JustLost,
    /// It waits for that of the calling thread, and may have lost it to that, or before.
    Unknown,
    /// It sleeps, or waits for another one, or nothing is known.
    HasNone,
}

/// What a thread's suspensions come to: most of the short ones are not asked where they were.
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
    /// The stack that was selected for short ones last.
    selected: LabelledStack,
}

/// What one stack is charged with for suspensions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SuspensionCharge {
    blocked: Charge,
    waited: Charge,
    /// Processor time meanwhile: measured, so that no tick has met it.
    computed: Nanos,
}

impl SuspensionCharge {
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

fn charged(Tally { time, count }: Tally) -> Time {
    Time::new(time, count.into())
}

impl Times {
    fn new(seed: u64, short: Nanos) -> Self {
        Self { short: ShortTimes::new(seed, short), selected: LabelledStack::default() }
    }
}

impl Suspensions {
    fn new(thread: ThreadSeq, short: Nanos) -> Self {
        let seed = 2 * u64::from(thread.0);
        Self { blocked: Times::new(seed, short), waited: Times::new(seed + 1, short) }
    }

    /// Everything has been charged, and another period begins: its places are its own.
    pub fn begin_period(&mut self) {
        for place in [&mut self.blocked.selected, &mut self.waited.selected] {
            *place = LabelledStack::default();
        }
    }

    /// Those that ended without a look at their stacks.
    fn add_ended(&mut self, ended: EndedSuspensions) {
        self.blocked.short.add(ended.blocked);
        self.waited.short.add(ended.waited);
    }

    /// How much more of these may come, blocked and waiting, until one is to be flushed at once.
    fn budget(&self) -> [Nanos; 2] {
        [&self.blocked, &self.waited].map(|times| times.short.budget())
    }

    /// What is due to the stack of one that took so long, and still stands there.
    pub fn due(&mut self, resumed: Resumed) -> SuspensionCharge {
        SuspensionCharge {
            blocked: self.blocked.short.charge(resumed.blocked),
            waited: self.waited.short.charge(resumed.waited),
            computed: resumed.off_gvl,
        }
    }

    /// The stack of a suspension is charged with this.
    pub fn note_selected(&mut self, due: SuspensionCharge, place: LabelledStack) {
        let places = [&mut self.blocked.selected, &mut self.waited.selected];
        for (selected, charge) in places.into_iter().zip([due.blocked, due.waited]) {
            if charge.selected {
                *selected = place;
            }
        }
    }

    /// The labels that are still to be charged with something.
    pub fn labels(&self) -> [Labelling; 2] {
        [self.blocked.selected.labels, self.waited.selected.labels]
    }

    /// Takes what is not due to any stack yet, each part with the place that is charged with it:
    /// there will be no more, or a part of the profile is complete.
    pub fn take_rests(&mut self) -> [(LabelledStack, VmState, Time); 2] {
        [
            (self.blocked.selected, VmState::GvlBlocked, charged(self.blocked.short.rest())),
            (self.waited.selected, VmState::GvlWait, charged(self.waited.short.rest())),
        ]
    }
}
