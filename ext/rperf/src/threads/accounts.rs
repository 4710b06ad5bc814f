//! The part of a thread's record that is used under its lock.

use rperf_core::accounting::{
    Charges, Event, EventSink, GvlEvents, Inspections, LONG_CPU, Over, Resumed, Step, ThreadClock,
    ThreadClocks,
};
use rperf_core::collect::{Labelling, StackTable};
use rperf_core::ids::{StackId, ThreadSeq};
use rperf_core::state::{ByClock, Clock};
use rperf_core::time::Nanos;
use rperf_core::trace::TraceLine;
use rperf_core::work::Waits;

use super::stack_cache::StackCache;
use super::suspensions::Suspensions;
use super::trace;
use crate::os::clock::{self, CpuClock};

/// What a thread is charged with, and where.
#[derive(Debug)]
#[repr(C)]
pub struct ThreadAccounts {
    /// The thread's number in the session.
    pub seq: ThreadSeq,
    /// Its accounting.
    clocks: ThreadClocks,
    /// Time off the GVL that has not been charged yet.
    pub suspensions: Suspensions,
    /// Its CPU clock, for others to read; known once it has run.
    pub cpu_clock: Option<CpuClock>,
    /// Wall mode: what its native thread had waited for processors when that was last asked for.
    waited_for_processors: Nanos,
    /// Its native thread runs others in turn (M:N threads): that clock is its own only while it has
    /// the GVL.
    pub shares_native: bool,
    /// Its last stack.
    pub cache: StackCache,
    /// Time of threads that ended before, which the next tick carries.
    pub inherited: ByClock<Nanos>,
    /// The last stack that was sampled.
    pub last_stack: StackId,
    /// The labels of its last tick, or of its last time inside of a block.
    pub last_labels: Labelling,
    /// Cpu mode: the last tick found it asleep.
    pub is_asleep: bool,
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
    /// Of a thread that has this number.
    pub fn new(seq: ThreadSeq, clocks: ThreadClocks) -> Self {
        Self {
            seq,
            suspensions: Suspensions::new(seq),
            clocks,
            cpu_clock: None,
            waited_for_processors: Nanos::ZERO,
            shares_native: false,
            cache: StackCache::default(),
            inherited: ByClock::default(),
            last_stack: StackTable::EMPTY,
            last_labels: Labelling::default(),
            is_asleep: false,
            caused_by_gc: Nanos::ZERO,
            tick_count: 0,
            inspections: Inspections::new(u64::from(seq.0)),
            blocks: 0,
            waits: Waits::default(),
        }
    }

    /// Tells the clock what has happened. Returns whether suspensions are over that it had not been
    /// told of.
    pub fn flush(&mut self, events: &GvlEvents) -> bool {
        let over = events.tell(self, clock::monotonic);
        self.suspensions.add_over(over);
        self.waits.blocked += over.blocked.time;
        self.waits.gvl += over.waited.time;
        over != Over::default()
    }

    /// An event happened: tells all clocks. Returns what each charges.
    pub fn happen(&mut self, event: Event, wall: Nanos, cpu: Nanos) -> ByClock<Charges> {
        ByClock::new(|clock| self.happen_on(clock, event, wall, cpu))
    }

    /// The same of one clock: see [`ThreadClocks::happen_on`].
    pub fn happen_on(&mut self, clock: Clock, event: Event, wall: Nanos, cpu: Nanos) -> Charges {
        let Some(charged) = self.clocks.happen_on(clock, event, wall, cpu) else { return Charges::default() };
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

    /// How long suspensions may be for their ends to be flushed later.
    pub fn room(&self) -> [Nanos; 2] {
        let [cpu, wall] = [self.clocks.cpu().is_some(), self.clocks.wall().is_some()];
        let room = if wall { self.suspensions.room() } else { [LONG_CPU; 2] };
        room.map(|room| if cpu { room.min(LONG_CPU) } else { room })
    }

    /// The thread, the calling one, has the GVL again since `wall`: what its suspension charges. By
    /// the CPU clock that is what it computed without the GVL, if the suspension is long or was
    /// `measured`: its CPU clock was read when it began, and this at its end.
    pub fn resume(&mut self, wall: Nanos, measured: Option<Nanos>) -> Resumed {
        let is_long = self.clocks.cpu().is_some_and(|clock| clock.suspended_for(wall) >= LONG_CPU);
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
        let Some(clock) = clocks.wall_mut() else { return Nanos::ZERO };
        let own_clock = cpu_clock.filter(|_| !*shares_native);
        clock.take_cpu_wait(weight, || {
            let waited = own_clock.map_or(Nanos::ZERO, CpuClock::waited_for_processors);
            waited - std::mem::replace(last, waited)
        })
    }

    /// Wall mode: in what it has spent time without running the program, so far. (A suspension that
    /// goes on counts when it has ended.)
    pub fn waits(&self) -> Waits {
        let open = self.clocks.wall().map(ThreadClock::open_gc).unwrap_or_default();
        Waits { gc: self.waits.gc + open, ..self.waits }
    }

    /// See [`ThreadClock::has_run`].
    pub fn has_run(&self, cpu: Nanos) -> bool {
        self.clocks.cpu().is_some_and(|clock| clock.has_run(cpu))
    }

    /// See [`ThreadClock::had_processor`].
    pub fn had_processor(&self, wall: Nanos, cpu: Nanos, slack: Nanos) -> bool {
        self.clocks.cpu().is_some_and(|clock| clock.had_processor(wall, cpu, slack))
    }

    /// A measured suspension ended at `wall`. Returns how many will pass until the next one that is
    /// measured.
    pub fn next_gap(&mut self, wall: Nanos) -> u32 {
        self.inspections.next_gap(wall)
    }
}

/// Of no thread yet.
impl Default for ThreadAccounts {
    fn default() -> Self {
        Self::new(ThreadSeq(0), ThreadClocks::default())
    }
}

impl EventSink for ThreadAccounts {
    fn tell(&mut self, event: Event, wall: Nanos) -> Nanos {
        self.happen(event, wall, Nanos::ZERO).resumed().blocked
    }

    fn is_suspended(&self) -> bool {
        self.clocks.is_suspended()
    }
}
