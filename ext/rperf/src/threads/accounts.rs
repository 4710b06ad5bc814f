//! The part of a thread's record that is used under its lock.

use rperf_core::accounting::{
    Charges, EndedSuspensions, Event, GvlEvents, Inspections, LONG_CPU, Resumed, ShortTimes, Step, Tally,
    ThreadClock,
};
use rperf_core::collect::{DropCause, Labelling, StackTable, Time};
use rperf_core::ids::{LabelSetId, StackId, ThreadSeq, WorkId};
use rperf_core::state::{ByClock, Clock, VmState};
use rperf_core::time::Nanos;
use rperf_core::trace::TraceLine;
use rperf_core::work::Waits;

use super::trace;
use crate::os::clock::{self, CpuClock};

/// A stack, or the reason why there is none.
pub type StackResult = Result<StackId, DropCause>;

/// Place that time is charged to.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub stack: StackResult,
    pub thread: ThreadSeq,
    pub labels: Labelling,
    /// Moment at which the time ends, on the wall clock.
    pub moment: Nanos,
}

impl Place {
    /// Returns the place of a thread of which no stack is known.
    fn none(thread: ThreadSeq) -> Self {
        Self { stack: Ok(StackTable::EMPTY), thread, labels: Labelling::default(), moment: Nanos::ZERO }
    }

    /// Returns whether its stack has frames.
    pub fn has_frames(&self) -> bool {
        self.stack.is_ok_and(|stack| stack != StackTable::EMPTY)
    }
}

/// Clocks, open charges and last stack of a thread.
#[derive(Debug)]
#[repr(C)]
pub struct ThreadAccounts {
    /// The thread's number in the session.
    pub seq: ThreadSeq,
    /// The thread's clocks: one for each clock that the session samples.
    pub clocks: ByClock<Option<ThreadClock>>,
    /// Times of suspensions that have not been charged yet: blocked, and waiting for the GVL. For
    /// most of the short ones no stack is taken.
    short: [ShortTimes; 2],
    /// The places that were selected last for short suspensions. They take the rests.
    pub selected: [Place; 2],
    /// The thread's CPU clock, for other threads to read; known once the thread has run.
    pub cpu_clock: Option<CpuClock>,
    /// Wall mode: time for which its native thread had waited for processors at the last request,
    /// or when its clock became known; `None` where the system did not say, and where the thread
    /// has moved to another native thread since.
    waited_for_processors: Option<Nanos>,
    /// Whether its native thread runs other threads in turn (M:N threads). The CPU clock is then
    /// the thread's own only while it has the GVL.
    pub shares_native: bool,
    /// Place of the thread's last tick, with its labels of then, or of its last time inside of a
    /// block.
    pub last: Place,
    /// Time for which other threads have waited for the GVL in steps of the collector on this
    /// thread, and which has not been charged yet.
    pub caused_by_gc: Nanos,
    /// Number of the thread's ticks.
    pub tick_count: u64,
    /// Cpu mode: choice of the suspensions that are measured.
    pub inspections: Inspections,
    /// Number of nested `Rperf.profile` blocks that the thread is in, in a deferred session.
    pub blocks: u32,
    /// Wall mode: running sums of the thread's waits, since its first moment.
    waits: Waits,
}

impl ThreadAccounts {
    /// Creates the accounts of the thread with this number. Where samples are merged, short
    /// suspensions are charged together: `together` is the mean time that one stack is charged
    /// with. In cpu mode it is the mean time between two measured suspensions.
    pub fn new(seq: ThreadSeq, clocks: ByClock<Option<ThreadClock>>, together: Nanos, merges: bool) -> Self {
        let longest = if merges { together } else { Nanos::ZERO };
        Self {
            seq,
            short: [0, 1].map(|part| ShortTimes::new(2 * u64::from(seq.0) + part, longest)),
            selected: [Place::none(seq); 2],
            clocks,
            cpu_clock: None,
            waited_for_processors: None,
            shares_native: false,
            last: Place::none(seq),
            caused_by_gc: Nanos::ZERO,
            tick_count: 0,
            inspections: Inspections::new(u64::from(seq.0), together),
            blocks: 0,
            waits: Waits::default(),
        }
    }

    /// Flushes events to the clocks. Returns whether suspensions have ended that the clocks did not
    /// know.
    pub fn flush(&mut self, events: &GvlEvents) -> bool {
        let is_suspended = self.is_suspended();
        let happen = |event, wall| self.happen(event, wall, Nanos::ZERO).resumed().blocked;
        let ended = events.flush(is_suspended, clock::monotonic, happen);
        if ended == EndedSuspensions::default() {
            return false;
        }
        let [blocked, waited] = ended;
        self.short.iter_mut().zip(ended).for_each(|(short, ended)| short.add(ended));
        self.waits.blocked += blocked.time;
        self.waits.gvl += waited.time;
        true
    }

    /// Returns whether the thread is off the GVL, as far as the events tell: all clocks agree.
    pub fn is_suspended(&self) -> bool {
        self.clocks.iter().flatten().any(ThreadClock::is_suspended)
    }

    /// Applies an event to all clocks. Returns what each clock charges.
    pub fn happen(&mut self, event: Event, wall: Nanos, cpu: Nanos) -> ByClock<Charges> {
        ByClock::new(|clock| self.happen_on(clock, event, wall, cpu))
    }

    /// Applies an event to one clock, which charges nothing where the session does not sample it.
    pub fn happen_on(&mut self, clock: Clock, event: Event, wall: Nanos, cpu: Nanos) -> Charges {
        let Some(of_thread) = &mut self.clocks[clock] else { return Charges::default() };
        let charged = of_thread.happen(event, wall, cpu);
        // `flush` adds suspensions that are over: it knows how they divide.
        if clock == Clock::Wall && !matches!(event, Event::WasOffGvl { .. }) {
            self.waits.blocked += charged.resumed.blocked;
            self.waits.gvl += charged.resumed.waited;
            self.waits.gc += charged.gc.mark + charged.gc.sweep;
        }
        trace::write(|| TraceLine::Step(Step { thread: self.seq, clock, event, wall, cpu, charged }));
        charged
    }

    /// Returns the place of this stack of the thread.
    pub fn place(&self, stack: StackResult, labels: Labelling, moment: Nanos) -> Place {
        Place { stack, thread: self.seq, labels, moment }
    }

    /// Returns the places that may still be charged.
    pub fn places(&mut self) -> [&mut Place; 3] {
        let [blocked, waited] = &mut self.selected;
        [&mut self.last, blocked, waited]
    }

    /// Gives these places the final labels of a unit of work, which `named` returns for its sets.
    pub fn settle(&mut self, work: WorkId, mut named: impl FnMut(LabelSetId) -> Labelling) {
        for place in self.places().into_iter().filter(|place| place.labels.work == work) {
            place.labels = named(place.labels.set);
        }
    }

    /// Returns the deferral budget: the time of suspensions, blocked and waiting, whose ends may be
    /// flushed later.
    pub fn budget(&self) -> [Nanos; 2] {
        let [cpu, wall] = [self.clocks.cpu.is_some(), self.clocks.wall.is_some()];
        let short = self.short.each_ref().map(ShortTimes::budget);
        let budget = if wall { short } else { [LONG_CPU; 2] };
        budget.map(|time| if cpu { time.min(LONG_CPU) } else { time })
    }

    /// Returns whether the thread's suspension, if it ends at `wall`, is charged for itself alone
    /// by the CPU clock.
    pub fn is_long(&self, wall: Nanos) -> bool {
        self.clocks.cpu.as_ref().is_some_and(|clock| clock.suspended_for(wall) >= LONG_CPU)
    }

    /// Ends the suspension of the thread, the calling one, which has the GVL again since `wall`.
    /// Returns its charge: by the CPU clock the time computed in it, where `cpu`, that clock at its
    /// end, is known. One that [is not long](Self::is_long) stands for others, too.
    pub fn resume(&mut self, wall: Nanos, cpu: Option<Nanos>, is_long: bool) -> Resumed {
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

    /// Returns the charges of the current stack, by the wall clock, for a suspension that took
    /// these times.
    pub fn charge_off_gvl(&mut self, Resumed { blocked, waited, .. }: Resumed) -> [(VmState, Time); 2] {
        let [of_blocked, of_waited] = &mut self.short;
        charges([of_blocked.charge(blocked), of_waited.charge(waited)])
    }

    /// Takes the time of suspensions that no stack is charged with yet. For the end of a thread, or
    /// of a part of the profile.
    pub fn take_rests(&mut self) -> [(VmState, Time); 2] {
        charges(self.short.each_mut().map(ShortTimes::rest))
    }

    /// Returns the thread's CPU clock, where it `runs` with the GVL or its native thread runs no
    /// others: the clock is that of the native thread.
    pub fn own_clock(&self, runs: bool) -> Option<CpuClock> {
        self.cpu_clock.filter(|_| runs || !self.shares_native)
    }

    /// Takes the CPU clock of the calling thread, whose accounts these are. What the thread has
    /// waited for processors up to now is not the session's.
    pub fn take_cpu_clock(&mut self) {
        let clock = CpuClock::of_current_thread();
        self.cpu_clock = Some(clock);
        if self.clocks.wall.is_some() {
            self.waited_for_processors = clock.waited_for_processors();
        }
        self.happen(Event::RebaseCpu, Nanos::ZERO, clock::thread_cpu());
    }

    /// M:N threads: takes the clock of the calling native thread, which has run others since, or,
    /// with `moved`, is another one than the thread's last.
    pub fn change_cpu_clock(&mut self, moved: bool) {
        self.shares_native = true;
        self.cpu_clock = self.cpu_clock.map(|_| CpuClock::of_current_thread());
        if moved {
            self.waited_for_processors = None;
        }
        self.happen(Event::RebaseCpu, Nanos::ZERO, clock::thread_cpu());
    }

    /// Wall mode: returns the part of a tick's weight in which the thread, which had the GVL,
    /// waited for a processor. What others have waited on its native thread explains no more than
    /// the time in which this thread had the GVL and used no processor.
    pub fn take_cpu_wait(&mut self, weight: Nanos) -> Nanos {
        let Self { clocks, cpu_clock, waited_for_processors: last, shares_native, .. } = self;
        let Some(clock) = &mut clocks.wall else { return Nanos::ZERO };
        let waited = || cpu_clock.and_then(CpuClock::waited_for_processors);
        if *shares_native && last.is_none() {
            // Asked at the thread's first tick on a native thread, since threads move more often.
            *last = waited();
        }
        clock.take_cpu_wait(weight, || {
            let waited = waited();
            let last = std::mem::replace(last, waited);
            waited.zip(last).map_or(Nanos::ZERO, |(waited, last)| waited - last)
        })
    }

    /// Wall mode: returns the times that the thread has spent without running the program, so far.
    /// (A suspension that goes on counts when it has ended.)
    pub fn waits(&self) -> Waits {
        let open = self.clocks.wall.as_ref().map(ThreadClock::open_gc).unwrap_or_default();
        Waits { gc: self.waits.gc + open, ..self.waits }
    }
}

/// Accounts of a record that has no thread yet.
impl Default for ThreadAccounts {
    fn default() -> Self {
        Self::new(ThreadSeq(0), ByClock::default(), Nanos::ZERO, false)
    }
}

/// Returns charges by the wall clock, with the numbers of suspensions as their counts.
fn charges(tallies: [Tally; 2]) -> [(VmState, Time); 2] {
    let [blocked, waited] = tallies.map(|Tally { time, count }| Time::new(time, count.into()));
    [(VmState::GvlBlocked, blocked), (VmState::GvlWait, waited)]
}
