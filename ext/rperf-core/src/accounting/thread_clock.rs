//! The accounting of one thread: a pure state machine that charges every nanosecond once.
//!
//! Readings of the wall clock come with every event (they are cheap); readings of the thread's CPU
//! clock (a system call) only with ticks, and in cpu mode with some suspensions. What
//! lies between two CPU readings is split with the help of the wall clock, which bounds it: a thread
//! cannot have used more CPU time under the GVL than it held the GVL.

use super::charges::{Closing, GcPhase, GcTimes, Resumed};
use super::reserve::Reserve;
use super::tick::Tick;
use crate::state::Mode;
use crate::time::Nanos;

/// Where the thread is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Running,
    Suspended { since: Nanos },
    Ready { suspended: Nanos, since: Nanos },
    Collecting { phase: GcPhase, since: Nanos },
    Closed,
}

/// Time off the processor below which the two clocks are taken to agree: they are read one after the
/// other, and an interrupt may come between.
const CLOCK_SKEW: u64 = 20_000;

/// A tick that is later than this was swallowed before: signals take some 10 us.
pub const LATE: u64 = 100_000;

/// Whether a tick that was due at a reading of `due` of the CPU clock (0 where unknown) is late by now.
pub fn is_late(cpu: Nanos, due: Nanos) -> bool {
    due != Nanos::ZERO && (cpu - due).0 > LATE
}

/// A thread that was seen in a system call within this time is being looked at.
const LOOKED_AT: u64 = 50_000_000;

/// Time in system calls that nobody has seen is charged to a tick when it reaches this.
const UNSEEN: u64 = 20_000_000;

/// The clocks of one thread.
#[derive(Clone, Debug)]
pub struct ThreadClock {
    mode: Mode,
    /// Wall mode: whether time asleep with the GVL is told apart, since somebody watches for it.
    watched: bool,
    phase: Phase,
    /// Until when `held` is complete.
    wall: Nanos,
    /// The last reading of the CPU clock.
    cpu: Nanos,
    /// Wall time with the GVL and outside of GC since that reading.
    held: u64,
    /// Wall time off the GVL since that reading.
    off_gvl_wall: u64,
    /// CPU time since that reading that GC used, and that is charged to GC: taken to be its wall time.
    gc_cpu: u64,
    /// Not charged yet: ran.
    run_open: u64,
    /// Not charged yet: wall mode, held the GVL without using the CPU.
    idle_open: u64,
    /// When it was last seen in a system call.
    last_seen: Option<Nanos>,
    /// Not charged yet: ran in system calls.
    kernel_open: u64,
    /// Not charged yet: cpu mode, used CPU off the GVL.
    off_gvl_open: u64,
    /// Not charged yet: ran, but ticks weighed less.
    reserve: Reserve,
    gc: GcTimes,
}

impl ThreadClock {
    /// A thread that runs with the GVL now.
    pub fn running(mode: Mode, watched: bool, wall: Nanos, cpu: Nanos) -> Self {
        Self {
            mode,
            watched: watched && mode == Mode::Wall,
            phase: Phase::Running,
            wall,
            cpu,
            held: 0,
            off_gvl_wall: 0,
            gc_cpu: 0,
            run_open: 0,
            idle_open: 0,
            last_seen: None,
            kernel_open: 0,
            off_gvl_open: 0,
            reserve: Reserve::default(),
            gc: GcTimes::default(),
        }
    }

    /// A thread that is off the GVL now.
    pub fn suspended(mode: Mode, watched: bool, wall: Nanos, cpu: Nanos) -> Self {
        Self { phase: Phase::Suspended { since: wall }, ..Self::running(mode, watched, wall, cpu) }
    }

    /// Whether the thread is off the GVL, as far as the events tell.
    pub fn is_suspended(&self) -> bool {
        matches!(self.phase, Phase::Suspended { .. } | Phase::Ready { .. })
    }

    /// The thread's CPU clock is known from now on, or is another one: what it showed before is not counted.
    pub fn rebase_cpu(&mut self, cpu: Nanos) {
        self.cpu = cpu;
    }

    /// Starts from here: nothing that happened before is charged.
    pub fn restart(&mut self, wall: Nanos, cpu: Nanos) {
        *self = Self::running(self.mode, self.watched, wall, cpu);
    }

    /// Goes on after it was [closed](Self::close), when `waiting` could not be charged to any tick yet.
    pub fn reopen(&mut self, wall: Nanos, cpu: Nanos, waiting: Nanos) {
        let mut reserve = std::mem::take(&mut self.reserve);
        reserve.give_back(waiting.0);
        *self = Self { reserve, ..Self::running(self.mode, self.watched, wall, cpu) };
    }

    /// A tick met the thread with the GVL. Returns the weight of the tick's stack.
    ///
    /// Ticks of task clocks that fall into the kernel are swallowed; so what the clock went on since the tick was due belongs
    /// to system calls, and waits for one to be [seen](Self::in_kernel). When none is, it goes to a later tick.
    pub fn tick(&mut self, tick: Tick) -> Nanos {
        let Tick { wall, cpu, slept, due, covers } = tick;
        let late = self.late(cpu, due);
        self.run_to(wall);
        self.read_cpu(cpu, slept);
        let weight = Nanos(self.reserve.weigh(std::mem::take(&mut self.run_open), covers.0));
        if late < LATE {
            return weight;
        }
        let swallowed = weight.0.min(late);
        self.kernel_open += swallowed;
        // Where nobody looks (yet), waiting would only carry the time to code that runs much later.
        let looked_at = self.last_seen.is_some_and(|seen| (wall - seen).0 < LOOKED_AT);
        let waits = looked_at && self.kernel_open < UNSEEN;
        let unseen = if waits { 0 } else { std::mem::take(&mut self.kernel_open) };
        Nanos(weight.0 - swallowed + unseen)
    }

    /// A tick met the thread with the GVL, which it had given up, or had begun to collect, when somebody looked what ran. Returns
    /// the weight of the stack that stands since. `cpu`: its CPU clock at that tick, `wall`, or later.
    pub fn missed_tick(&mut self, wall: Nanos, cpu: Nanos, covers: Nanos) -> Nanos {
        // Else the accounts go up to where it stopped.
        if self.phase == Phase::Running {
            self.run_to(wall);
        }
        // It may use the processor since, too.
        let at_most = self.cpu + Nanos(self.held + self.off_gvl_wall + self.gc_cpu);
        self.read_cpu(cpu.min(at_most), false);
        Nanos(self.reserve.weigh(std::mem::take(&mut self.run_open), covers.0))
    }

    /// The thread was seen in a system call after a tick was due at a reading of `due` of its CPU clock. Returns the
    /// weight of the stack that it was seen in.
    pub fn in_kernel(&mut self, wall: Nanos, cpu: Nanos, due: Nanos) -> Nanos {
        let late = self.late(cpu, due);
        self.last_seen = Some(wall);
        self.run_to(wall);
        self.read_cpu(cpu, false);
        let swallowed = self.run_open.min(late);
        self.run_open -= swallowed;
        Nanos(swallowed + std::mem::take(&mut self.kernel_open))
    }

    /// How much later than `due` it is, not counting what has been charged already.
    fn late(&self, cpu: Nanos, due: Nanos) -> u64 {
        if due == Nanos::ZERO { 0 } else { (cpu - due.max(self.cpu)).0 }
    }

    /// Whether the thread spent time off the processor since the last reading, with the GVL: only
    /// then does a tick need to know whether it slept.
    pub fn was_idle(&self, wall: Nanos, cpu: Nanos) -> bool {
        let held = self.held + self.since_wall(wall);
        self.watched && held > (cpu - self.cpu).0 + CLOCK_SKEW
    }

    /// The thread was seen asleep with the GVL. Returns the weight of the stack that it was seen in.
    pub fn asleep(&mut self, wall: Nanos, cpu: Nanos) -> Nanos {
        self.run_to(wall);
        self.read_cpu(cpu, true);
        Nanos(std::mem::take(&mut self.idle_open))
    }

    /// The thread is about to give up the GVL, and with it a CPU clock that runs for other threads too: what it has used
    /// goes to its next tick. Before it resumes it needs a new [base](Self::rebase_cpu).
    pub fn settle_cpu(&mut self, wall: Nanos, cpu: Nanos) {
        self.run_to(wall);
        self.read_cpu(cpu, false);
    }

    /// The thread gives up the GVL.
    pub fn suspend(&mut self, wall: Nanos) {
        // Two in a row: the VM announced a suspension, found an interrupt, and went on running.
        self.run_to(wall);
        self.phase = Phase::Suspended { since: self.wall };
    }

    /// The thread could run, and waits for the GVL.
    pub fn ready(&mut self, wall: Nanos) {
        if let Phase::Suspended { since } = self.phase {
            self.phase = Phase::Ready { suspended: since, since: wall.max(since) };
        }
    }

    /// CPU time used without the GVL up to now, as far as it has been read and charged to nobody.
    pub fn take_off_gvl(&mut self) -> Nanos {
        Nanos(std::mem::take(&mut self.off_gvl_open))
    }

    /// How long the thread was off the GVL since its CPU clock was read, in suspensions that are over.
    pub fn unread_off_gvl(&self) -> Nanos {
        Nanos(self.off_gvl_wall)
    }

    /// How long it has been suspended now.
    pub fn suspended_for(&self, wall: Nanos) -> Nanos {
        match self.phase {
            Phase::Suspended { since } | Phase::Ready { suspended: since, .. } => wall - since,
            _ => Nanos::ZERO,
        }
    }

    /// The thread has the GVL again.
    pub fn resume(&mut self, wall: Nanos, cpu: Option<Nanos>) -> Resumed {
        let (blocked, waited) = match self.phase {
            Phase::Suspended { since } => (wall - since, Nanos::ZERO),
            Phase::Ready { suspended, since } => (since - suspended, wall - since),
            _ => return Resumed::default(),
        };
        self.phase = Phase::Running;
        // Not `wall`: somebody else may have said "ready" later than that.
        self.wall += blocked + waited;
        self.off_gvl_wall += (blocked + waited).0;
        if let Some(cpu) = cpu {
            self.read_cpu(cpu, false);
        }
        match self.mode {
            Mode::Wall => Resumed { blocked, waited, off_gvl: Nanos::ZERO },
            Mode::Cpu => {
                Resumed { off_gvl: Nanos(std::mem::take(&mut self.off_gvl_open)), ..Resumed::default() }
            }
        }
    }

    /// Since the last event the thread was off the GVL for so long, in one suspension or many, and has it again; no longer
    /// than up to now. Returns what of that is charged: nothing in cpu mode, which looks at its clock.
    pub fn was_off_gvl(&mut self, time: Nanos, now: Nanos) -> Nanos {
        let time = time.min(now - self.wall);
        if self.phase == Phase::Closed {
            return Nanos::ZERO;
        }
        // A suspension that the VM took back: see `suspend`.
        if self.is_suspended() {
            self.phase = Phase::Running;
        }
        self.wall += time;
        self.off_gvl_wall += time.0;
        if self.mode == Mode::Wall { time } else { Nanos::ZERO }
    }

    /// Charges a suspension up to now; it goes on. Nothing when there is none.
    pub fn cut(&mut self, wall: Nanos) -> Resumed {
        let waits = matches!(self.phase, Phase::Ready { .. });
        if !self.is_suspended() {
            return Resumed::default();
        }
        let resumed = self.resume(wall, None);
        let since = self.wall;
        self.phase =
            if waits { Phase::Ready { suspended: since, since } } else { Phase::Suspended { since } };
        resumed
    }

    /// The collector interrupts this thread: what follows is not the program's.
    pub fn gc_interrupt(&mut self, wall: Nanos) {
        self.run_to(wall);
    }

    /// The collector starts a step on this thread.
    pub fn gc_enter(&mut self, wall: Nanos, phase: GcPhase) {
        self.run_to(wall);
        self.phase = Phase::Collecting { phase, since: self.wall };
    }

    /// The collector goes on to another phase within its step.
    pub fn gc_phase(&mut self, wall: Nanos, phase: GcPhase) {
        if matches!(self.phase, Phase::Collecting { .. }) {
            self.close_gc(wall);
            self.phase = Phase::Collecting { phase, since: self.wall };
        }
    }

    /// The step ends: returns what the collector has taken and has not been returned yet, or nothing
    /// while that is less than `at_least` (it is kept for the next step).
    pub fn gc_exit(&mut self, wall: Nanos, at_least: Nanos) -> GcTimes {
        if matches!(self.phase, Phase::Collecting { .. }) {
            self.close_gc(wall);
            self.phase = Phase::Running;
        }
        if self.gc.mark + self.gc.sweep < at_least {
            GcTimes::default()
        } else {
            std::mem::take(&mut self.gc)
        }
    }

    /// The profiler took the time from the last event up to now, around a step of the collector: it is charged with
    /// the step.
    pub fn gc_around(&mut self, wall: Nanos) {
        let spent = Nanos(self.since_wall(wall));
        self.gc.around += spent;
        self.gc_cpu += spent.0;
        self.wall = self.wall.max(wall);
    }

    /// The thread, or the session, ends.
    pub fn close(&mut self, wall: Nanos, cpu: Nanos) -> Closing {
        if self.phase == Phase::Closed {
            return Closing::default();
        }
        let gc = self.gc_exit(wall, Nanos::ZERO);
        let resumed = self.resume(wall, Some(cpu));
        self.run_to(wall);
        self.read_cpu(cpu, false);
        self.phase = Phase::Closed;
        let open = [&mut self.run_open, &mut self.idle_open, &mut self.kernel_open, &mut self.off_gvl_open];
        let open: u64 = open.into_iter().map(std::mem::take).sum();
        Closing { running: Nanos(open + self.reserve.take()), resumed, gc }
    }

    /// Completes `held` up to now. Out of order readings (taken before something that is accounted for already)
    /// change nothing.
    fn run_to(&mut self, wall: Nanos) {
        match self.phase {
            Phase::Running => self.held += self.since_wall(wall),
            // Taken before it gave up the GVL.
            Phase::Suspended { .. } | Phase::Ready { .. } if wall < self.wall => return,
            // It ran although it had announced a suspension: see `suspend`.
            Phase::Suspended { since } | Phase::Ready { suspended: since, .. } => {
                self.held += (wall - since).0
            }
            Phase::Collecting { .. } => self.close_gc(wall),
            Phase::Closed => return,
        }
        self.phase = Phase::Running;
        self.wall = self.wall.max(wall);
    }

    fn since_wall(&self, wall: Nanos) -> u64 {
        (wall - self.wall).0
    }

    fn close_gc(&mut self, wall: Nanos) {
        let Phase::Collecting { phase, since } = self.phase else { return };
        let spent = wall - since;
        match phase {
            GcPhase::Mark => self.gc.mark += spent,
            GcPhase::Sweep => self.gc.sweep += spent,
        }
        self.gc_cpu += spent.0;
        self.wall = self.wall.max(wall);
    }

    /// Turns what happened since the last reading into open charges.
    fn read_cpu(&mut self, cpu: Nanos, slept: bool) {
        let mut used = (cpu - self.cpu).0;
        self.cpu = self.cpu.max(cpu);
        let of_gc = used.min(self.gc_cpu);
        used -= of_gc;
        // What the collector has not used by now it spent off the processor: later CPU time is not its own.
        self.gc_cpu = 0;
        match self.mode {
            Mode::Wall => {
                let idle = if self.watched && slept { self.held.saturating_sub(used) } else { 0 };
                let idle = if idle < CLOCK_SKEW { 0 } else { idle };
                self.idle_open += idle;
                self.run_open += self.held - idle;
            }
            Mode::Cpu => {
                let with_gvl = if self.off_gvl_wall == 0 { used } else { used.min(self.held) };
                self.run_open += with_gvl;
                self.off_gvl_open += used - with_gvl;
            }
        }
        self.held = 0;
        self.off_gvl_wall = 0;
    }
}
