//! The reader: ticks that the worker takes from outside, by a look at whoever holds the GVL. No signal is sent.
//!
//! Context: the worker.

use std::sync::atomic::Ordering;

use rperf_core::collect::TickKind;
use rperf_core::state::Mode;
use rperf_core::time::Nanos;

use crate::look::{Look, Moment};
use crate::os::clock::{self, CpuClock};
use crate::os::processor;
use crate::threads::live::LIVE;
use crate::threads::slot::{ThreadSlot, Turn};
use crate::vm::ractors;
use crate::watch::Watch;

/// Takes ticks.
#[derive(Debug)]
pub struct Reader {
    mode: Mode,
    look: Look,
    /// The holder at the last tick.
    ticked: Option<Holder>,
    /// Whether the holder has waited for a processor since the last tick.
    starved: bool,
    /// When the last tick was taken that found the holder on a processor, or was not left out.
    taken: Nanos,
    /// When the worker last left a processor.
    left: Nanos,
    /// What the next tick stands for, as far as it has passed: ticks were left out.
    covers: Nanos,
}

/// A thread that held the GVL.
#[derive(Clone, Copy, Debug)]
struct Holder {
    slot: usize,
    /// What its CPU clock said.
    cpu: Nanos,
    /// When it said so.
    at: Nanos,
}

impl Holder {
    /// Whether it has had a processor all the time from the other moment on, this one included.
    fn has_run_since(self, earlier: Self) -> bool {
        let [passed, used] = [self.at - earlier.at, self.cpu - earlier.cpu];
        // (A slot's next thread has another clock, which may say anything.)
        self.slot == earlier.slot && used > Nanos::ZERO && passed.0.abs_diff(used.0) < INTERRUPTED.0
    }
}

/// What a thread with the GVL is found to be.
enum Found {
    /// It runs, and its CPU clock says this.
    Used(Nanos),
    /// It has used nothing that is charged here: it sleeps.
    Asleep,
    /// It waits for a processor, and the tick is left out.
    Waiting,
}

/// Ticks are left out for at most so long: where there is but one processor, whoever looks never finds the thread on it.
const MOST_LEFT_OUT: Nanos = Nanos(10_000_000);
/// The system interrupts a running thread for less than this between two ticks.
const INTERRUPTED: Nanos = Nanos(10_000);
/// The worker leaves its processor to the program at most so often: that takes a while, and is of no use where all have something
/// to do.
const OFTEN_ENOUGH: Nanos = Nanos(50_000_000);

impl Reader {
    /// One that has seen nothing yet.
    pub fn new(mode: Mode, look: Look) -> Self {
        Self {
            mode,
            look,
            ticked: None,
            starved: false,
            taken: Nanos::ZERO,
            left: Nanos::ZERO,
            covers: Nanos::ZERO,
        }
    }

    /// A watch with the same eyes.
    pub fn into_watch(self, period: u64) -> Watch {
        Watch::new(self.mode, period, self.look)
    }

    /// Whether a thread that holds the GVL has waited for a processor all the time between the last two ticks. (Cpu mode;
    /// in wall mode that is its time like any other.)
    pub fn is_starved(&self) -> bool {
        self.starved
    }

    /// A tick: each thread that holds a GVL (there is one for each Ractor) is charged with what it runs now. `covers`: the
    /// time that it stands for, 0 where that is unknown.
    pub fn tick(&mut self, covers: Nanos) {
        self.starved = false;
        self.covers += covers;
        let taken = if ractors::only_main() {
            LIVE.holder().is_none_or(|slot| self.tick_thread(slot))
        } else {
            let ticked = ThreadSlot::all().into_iter().filter(|slot| slot.is_running());
            ticked.map(|slot| self.tick_thread(slot)).filter(|taken| !taken).count() == 0
        };
        if taken {
            self.covers = Nanos::ZERO;
        }
    }

    /// False when the tick is left out: the next one stands for its time, too.
    fn tick_thread(&mut self, slot: &'static ThreadSlot) -> bool {
        // Else it has just given up the GVL, or runs the collector.
        let Some(turn) = slot.turn() else { return true };
        let wall = clock::monotonic();
        let read = self.look.read(slot) == Some(turn);
        if slot.turn() != Some(turn) {
            return self.miss(slot, wall, read.then_some(turn));
        }
        // After the frames: while the thread asks for its clocks, too, this may have to wait for it.
        let cpu = match self.cpu_at(slot, wall) {
            Found::Used(cpu) => cpu,
            Found::Asleep => return true,
            Found::Waiting => return false,
        };
        LIVE.ticks.fetch_add(1, Ordering::Relaxed);
        if !read {
            LIVE.unreadable.fetch_add(1, Ordering::Relaxed);
            return false;
        }
        let moment = Moment { kind: TickKind::Running, wall, cpu, due: Nanos::ZERO, covers: self.covers };
        self.look.publish(slot, turn, moment)
    }

    /// A tick came at `wall`, but the thread's turn was over before its frames, if they could be read, were handed over.
    fn miss(&mut self, slot: &'static ThreadSlot, wall: Nanos, read: Option<Turn>) -> bool {
        let cpu = match self.mode {
            Mode::Wall => Some(Nanos::ZERO),
            Mode::Cpu => slot.cpu_clock().and_then(CpuClock::read),
        };
        let Some(cpu) = cpu else { return true };
        LIVE.ticks.fetch_add(1, Ordering::Relaxed);
        let moment = Moment { kind: TickKind::Missed, wall, cpu, due: Nanos::ZERO, covers: self.covers };
        match read {
            Some(turn) => self.look.publish(slot, turn, moment),
            None => Look::publish_missed(slot, moment),
        }
    }

    /// The thread's CPU clock at `wall`, where it weighs ticks. (In wall mode nobody asks for it.) Cpu mode: not where the
    /// thread has no processor: what it ran before is not what is seen now.
    fn cpu_at(&mut self, slot: &ThreadSlot, wall: Nanos) -> Found {
        if self.mode == Mode::Wall {
            return Found::Used(Nanos::ZERO);
        }
        let Some(clock) = slot.cpu_clock() else { return Found::Asleep };
        let Some(cpu) = clock.read() else { return Found::Asleep };
        let now = Holder { slot: std::ptr::from_ref(slot).addr(), cpu, at: clock::monotonic() };
        let last = self.ticked.replace(now);
        if last.is_some_and(|last| (last.slot, last.cpu) == (now.slot, cpu)) {
            let asleep = slot.is_asleep();
            self.starved |= !asleep;
            return if asleep { Found::Asleep } else { Found::Waiting };
        }
        let since = now.at - wall;
        // A clock that stands still is that of a thread that sleeps, or waits for a processor.
        let still = !last.is_some_and(|last| now.has_run_since(last)) && clock.read() == Some(cpu);
        // (The other way round, threads that live for a millisecond are seen too often where they begin: measured, not
        // understood.)
        if still {
            if slot.is_asleep() {
                return Found::Asleep;
            }
            self.leave_processor(wall);
            if self.leaves_out(wall) {
                return Found::Waiting;
            }
        }
        self.taken = wall;
        Found::Used(if still { cpu } else { cpu - since })
    }

    /// The thread has no processor while the worker runs: it may be that it is the worker's. (The system puts threads that
    /// mostly sleep on the same one, though another has nothing to do.)
    fn leave_processor(&mut self, wall: Nanos) {
        if wall - self.left > OFTEN_ENOUGH {
            self.left = wall;
            processor::leave();
        }
    }

    /// Whether a tick of a thread without a processor is left out, so that its time goes to the next tick: the thread stands
    /// where the scheduler stopped it, mostly at the end of a system call, and not where it used its time.
    fn leaves_out(&self, wall: Nanos) -> bool {
        wall - self.taken < MOST_LEFT_OUT
    }
}
