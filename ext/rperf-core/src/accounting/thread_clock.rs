//! The accounting of one thread: a pure state machine that charges every nanosecond once.
//!
//! Readings of the wall clock come with every event (they are cheap). Readings of the thread's CPU
//! clock (a system call) come with ticks, and in cpu mode with steps of the collector and some
//! suspensions. The time between two CPU readings is divided with the help of the wall clock, which
//! bounds it: under the GVL a thread cannot have used more CPU time than it held the GVL.

use super::cpu_wait::CpuWait;
use super::events::{Charges, Event, GcPhase, GcTimes, Resumed};
use super::weight_smoother::WeightSmoother;
use crate::state::Clock;
use crate::time::Nanos;

/// Maximum nanoseconds since a thread lost its processor for it to count as computing until now.
const JUST_LOST_NS: Nanos = Nanos(100_000);

/// Phase of the thread, with the moments at which it began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    Running,
    /// Off the GVL since a moment, and ready to run since another one, if it is.
    Suspended {
        since: Nanos,
        ready: Option<Nanos>,
    },
    Collecting {
        phase: GcPhase,
        since: Nanos,
    },
    Closed,
}

/// Accounting of one thread by one clock.
#[derive(Clone, Debug, Default)]
pub struct ThreadClock {
    clock: Clock,
    phase: Phase,
    /// Moment up to which `held` is complete.
    wall: Nanos,
    /// The last reading of the CPU clock.
    cpu: Nanos,
    /// Wall time with the GVL and outside of the collector since that reading.
    held: u64,
    /// Wall time off the GVL since that reading.
    off_gvl_wall: u64,
    /// Time that the thread ran and that is not charged yet.
    run_open: u64,
    /// Time charged beyond what was measured, since a suspension stood for others. It is taken from
    /// the time that the thread ran since.
    owed: u64,
    /// Wall mode: time with the GVL and without a processor.
    cpu_wait: CpuWait,
    /// Time that the thread ran and that is not charged yet, since ticks weighed less.
    smoother: WeightSmoother,
    gc: GcTimes,
}

impl ThreadClock {
    /// Creates the clock of a thread that runs with the GVL now.
    pub fn running(clock: Clock, wall: Nanos, cpu: Nanos) -> Self {
        Self { clock, wall, cpu, ..Self::default() }
    }

    /// Lets the thread begin here, with the GVL or off it: nothing that happened before is charged.
    pub fn begin(&mut self, suspended: bool, wall: Nanos, cpu: Nanos) {
        *self = Self::running(self.clock, wall, cpu);
        if suspended {
            self.suspend(wall);
        }
    }

    /// Applies an event, and returns what is charged.
    pub fn happen(&mut self, event: Event, wall: Nanos, cpu: Nanos) -> Charges {
        let mut charges = Charges::default();
        match event {
            Event::Begin { suspended } => self.begin(suspended, wall, cpu),
            Event::Tick { span } => charges.running = self.tick(wall, cpu, span),
            Event::Owe { more } => self.owed += more.0,
            Event::SettleCpu => self.settle_cpu(wall, cpu),
            Event::RebaseCpu => self.cpu = cpu,
            Event::Pause => charges.gc = self.pause(wall, cpu),
            Event::Reopen => self.reopen(wall, cpu),
            Event::Suspend => self.suspend(wall),
            Event::Ready => self.ready(wall),
            Event::Resume { read } => charges.resumed = self.resume(wall, read.then_some(cpu)),
            Event::WasOffGvl { time } => charges.resumed.blocked = self.was_off_gvl(time, wall),
            Event::Cut => charges.resumed = self.cut(wall),
            Event::GcEnter(phase) => self.gc_enter(wall, cpu, phase),
            Event::GcPhase(phase) => self.gc_phase(wall, cpu, phase),
            Event::GcExit { at_least } => charges.gc = self.gc_exit(wall, cpu, at_least),
            Event::Close => charges = self.close(wall, cpu),
        }
        charges
    }

    /// Returns whether the thread is off the GVL, as far as the events tell.
    pub fn is_suspended(&self) -> bool {
        matches!(self.phase, Phase::Suspended { .. })
    }

    /// Pauses the clock: no time counts until it is [reopened](Self::reopen). Returns the
    /// collector's time. The time that the thread ran waits for its next tick.
    pub fn pause(&mut self, wall: Nanos, cpu: Nanos) -> GcTimes {
        let gc = self.gc_exit(wall, cpu, Nanos::ZERO);
        self.settle_cpu(wall, cpu);
        self.phase = Phase::Closed;
        gc
    }

    /// Reopens the clock after a [pause](Self::pause).
    pub fn reopen(&mut self, wall: Nanos, cpu: Nanos) {
        let (smoother, run_open, owed) = (std::mem::take(&mut self.smoother), self.run_open, self.owed);
        *self = Self { smoother, run_open, owed, ..Self::running(self.clock, wall, cpu) };
    }

    /// Returns the weight of a tick that stands for `span`, for the stack at which the thread
    /// stands. The tick met the thread with the GVL. Since then the thread may have given up the
    /// GVL, or run the collector. `wall` and `cpu`: its clocks, at the tick or later.
    ///
    /// In cpu mode a tick that finds the thread without a processor is not charged.
    pub fn tick(&mut self, wall: Nanos, cpu: Nanos, span: Nanos) -> Nanos {
        if self.phase == Phase::Running {
            self.run_to(wall);
        }
        // In a step of the collector the CPU clock was read when the step began.
        if !matches!(self.phase, Phase::Collecting { .. } | Phase::Closed) {
            self.read_cpu(cpu);
        }
        let open = std::mem::take(&mut self.run_open);
        if open == 0 {
            return Nanos::ZERO;
        }
        let open = self.pay(open);
        Nanos(self.smoother.weigh(open, span.0))
    }

    /// Returns whether the thread, which has the GVL and waits for a processor, has just lost one,
    /// as `wall` and `cpu`, its clocks now, show since the last reading of its CPU clock.
    ///
    /// It has if it had a processor all the time since then, but for [`JUST_LOST_NS`]. Where
    /// `others` compute at the same time, with GVLs of their own, half of the time is enough: all
    /// of them lose and get processors where a collection begins and ends. Then the ticks left out
    /// after a thread got a processor and those taken after it lost one are equal in number.
    pub fn just_lost_processor(&self, wall: Nanos, cpu: Nanos, others: bool) -> bool {
        let held = self.held + if self.phase == Phase::Running { self.since_wall(wall) } else { 0 };
        let used = cpu - self.cpu;
        Nanos(held) - used <= if others { used } else { JUST_LOST_NS }
    }

    /// Takes what is owed from this time, and returns the rest. Some time is always left, since a
    /// tick has a weight.
    fn pay(&mut self, time: u64) -> u64 {
        let paid = self.owed.min(time.saturating_sub(1));
        self.owed -= paid;
        time - paid
    }

    /// See [`CpuWait::take`].
    pub fn take_cpu_wait(&mut self, weight: Nanos, waited: impl FnOnce() -> Nanos) -> Nanos {
        self.cpu_wait.take(weight, waited)
    }

    /// Reads the clocks: the CPU time used so far goes to the thread's next tick. Where its CPU
    /// clock runs for other threads once it gives up the GVL, the clock is read before that, and
    /// needs a new [base](Event::RebaseCpu) before the thread resumes.
    pub fn settle_cpu(&mut self, wall: Nanos, cpu: Nanos) {
        self.run_to(wall);
        self.read_cpu(cpu);
    }

    /// Begins a suspension: the thread gives up the GVL.
    pub fn suspend(&mut self, wall: Nanos) {
        // Two in a row: the VM announced one, found an interrupt, and the thread went on running.
        self.run_to(wall);
        self.phase = Phase::Suspended { since: self.wall, ready: None };
    }

    /// Notes that the thread is ready: it could run, and waits for the GVL.
    pub fn ready(&mut self, wall: Nanos) {
        if let Phase::Suspended { since, ready: ready @ None } = &mut self.phase {
            *ready = Some(wall.max(*since));
        }
    }

    /// Returns for how long the thread has been suspended now; 0 where it is not.
    pub fn suspended_for(&self, wall: Nanos) -> Nanos {
        match self.phase {
            Phase::Suspended { since, .. } => wall - since,
            _ => Nanos::ZERO,
        }
    }

    /// Ends a suspension: the thread has the GVL again. `cpu`: its CPU clock, if it was read.
    pub fn resume(&mut self, wall: Nanos, cpu: Option<Nanos>) -> Resumed {
        let Phase::Suspended { since, ready } = self.phase else { return Resumed::default() };
        let (blocked, waited) =
            ready.map_or((wall - since, Nanos::ZERO), |ready| (ready - since, wall - ready));
        self.phase = Phase::Running;
        // Not `wall`: the reading of another thread, which made this one ready, may be later.
        self.wall += blocked + waited;
        let before = self.held + self.off_gvl_wall;
        self.off_gvl_wall += (blocked + waited).0;
        let off_gvl = cpu.map_or(Nanos::ZERO, |cpu| {
            // Time that the thread may have used before the suspension is left out, and so is more
            // than the suspension took.
            let off_gvl = ((cpu - self.cpu) - Nanos(before)).min(blocked + waited);
            self.read_cpu(cpu - off_gvl);
            self.cpu = self.cpu.max(cpu);
            off_gvl
        });
        match self.clock {
            Clock::Wall => Resumed { blocked, waited, off_gvl: Nanos::ZERO },
            Clock::Cpu => Resumed { off_gvl, ..Resumed::default() },
        }
    }

    /// Notes that the thread was off the GVL for `time` since the last event, but not beyond `now`,
    /// in one suspension or many, and has the GVL again. Returns the time that is charged: none in
    /// cpu mode, which uses the CPU clock.
    pub fn was_off_gvl(&mut self, time: Nanos, now: Nanos) -> Nanos {
        let time = time.min(now - self.wall);
        // The time of a step belongs to the collector.
        if matches!(self.phase, Phase::Closed | Phase::Collecting { .. }) {
            return Nanos::ZERO;
        }
        // A suspension that the VM took back: see `suspend`.
        self.phase = Phase::Running;
        self.wall += time;
        self.off_gvl_wall += time.0;
        if self.clock == Clock::Wall { time } else { Nanos::ZERO }
    }

    /// Charges a suspension up to now; the suspension goes on. Charges nothing if there is none.
    pub fn cut(&mut self, wall: Nanos) -> Resumed {
        let Phase::Suspended { ready, .. } = self.phase else { return Resumed::default() };
        let resumed = self.resume(wall, None);
        self.phase = Phase::Suspended { since: self.wall, ready: ready.map(|_| self.wall) };
        resumed
    }

    /// Begins a step of the collector on this thread. Its time is measured by the mode's clock.
    pub fn gc_enter(&mut self, wall: Nanos, cpu: Nanos, phase: GcPhase) {
        self.run_to(wall);
        self.read_cpu(cpu);
        self.phase = Phase::Collecting { phase, since: self.wall };
    }

    /// Notes that the collector goes on to another phase within its step.
    pub fn gc_phase(&mut self, wall: Nanos, cpu: Nanos, phase: GcPhase) {
        if matches!(self.phase, Phase::Collecting { .. }) {
            self.close_gc(wall, cpu);
            self.phase = Phase::Collecting { phase, since: self.wall };
        }
    }

    /// Ends the step. Returns the collector's time that was not returned yet, or nothing while that
    /// is less than `at_least`: then it is kept for the next step.
    pub fn gc_exit(&mut self, wall: Nanos, cpu: Nanos, at_least: Nanos) -> GcTimes {
        if matches!(self.phase, Phase::Collecting { .. }) {
            self.close_gc(wall, cpu);
            self.phase = Phase::Running;
        }
        if self.open_gc() < at_least { GcTimes::default() } else { std::mem::take(&mut self.gc) }
    }

    /// Returns the collector's time that [`gc_exit`](Self::gc_exit) has not returned yet.
    pub fn open_gc(&self) -> Nanos {
        self.gc.mark + self.gc.sweep
    }

    /// Closes the clock: the thread, or the session, ends. Returns the charges of all open time.
    pub fn close(&mut self, wall: Nanos, cpu: Nanos) -> Charges {
        let gc = self.gc_exit(wall, cpu, Nanos::ZERO);
        let resumed = self.resume(wall, Some(cpu));
        if self.phase != Phase::Closed {
            self.settle_cpu(wall, cpu);
        }
        self.phase = Phase::Closed;
        let open = std::mem::take(&mut self.run_open);
        Charges { running: Nanos(self.pay(open) + self.smoother.take()), resumed, gc }
    }

    /// Completes `held` up to `wall`. A reading that is out of order (taken before something that
    /// is accounted for already) changes nothing.
    fn run_to(&mut self, wall: Nanos) {
        match self.phase {
            Phase::Running => self.held += self.since_wall(wall),
            // The reading was taken before the thread gave up the GVL.
            Phase::Suspended { .. } if wall < self.wall => return,
            // The thread ran although it had announced a suspension: see `suspend`.
            Phase::Suspended { since, .. } => self.held += (wall - since).0,
            // The end of the step was not announced.
            Phase::Collecting { .. } | Phase::Closed => return,
        }
        self.phase = Phase::Running;
        self.wall = self.wall.max(wall);
    }

    fn since_wall(&self, wall: Nanos) -> u64 {
        (wall - self.wall).0
    }

    fn close_gc(&mut self, wall: Nanos, cpu: Nanos) {
        let Phase::Collecting { phase, since } = self.phase else { return };
        let spent = match self.clock {
            Clock::Wall => {
                self.cpu_wait.collected += wall - since;
                wall - since
            }
            Clock::Cpu => cpu - self.cpu,
        };
        match phase {
            GcPhase::Mark => self.gc.mark += spent,
            GcPhase::Sweep => self.gc.sweep += spent,
        }
        self.cpu = self.cpu.max(cpu);
        self.wall = self.wall.max(wall);
    }

    /// Turns the time since the last reading into open charges.
    fn read_cpu(&mut self, cpu: Nanos) {
        let used = (cpu - self.cpu).0;
        self.cpu = self.cpu.max(cpu);
        match self.clock {
            Clock::Wall => {
                self.run_open += self.held;
                self.cpu_wait.held += Nanos(self.held);
                if cpu > Nanos::ZERO {
                    self.cpu_wait.read(used);
                }
            }
            Clock::Cpu => self.run_open += used,
        }
        self.held = 0;
        self.off_gvl_wall = 0;
    }
}
