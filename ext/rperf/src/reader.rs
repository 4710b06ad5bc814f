//! The reader: ticks that the worker takes from outside, by a look at whoever holds the GVL. No signal is sent.
//!
//! Context: the worker.

use std::sync::atomic::Ordering;

use rperf_core::collect::TickKind;
use rperf_core::state::Mode;
use rperf_core::time::Nanos;

use crate::look::{Look, Moment};
use crate::os::clock;
use crate::threads::live::LIVE;
use crate::threads::slot::ThreadSlot;
use crate::threads::tick_queue::QUEUE;
use crate::vm::{postponed, ractors};
use crate::watch::Watch;

/// Takes ticks.
#[derive(Debug)]
pub struct Reader {
    mode: Mode,
    look: Look,
    /// The CPU clock of the holder at the last tick, and whose it was.
    ticked: Option<(usize, Nanos)>,
    /// Whether the holder has waited for a processor since the last tick.
    starved: bool,
    /// When the last tick was taken that found the holder on a processor, or was not left out.
    taken: Nanos,
}

/// Ticks are left out for at most so long: where there is but one processor, whoever looks never finds the thread on it.
const MOST_LEFT_OUT: Nanos = Nanos(10_000_000);

impl Reader {
    /// One that has seen nothing yet.
    pub fn new(mode: Mode, look: Look) -> Self {
        Self { mode, look, ticked: None, starved: false, taken: Nanos::ZERO }
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

    /// A tick: each thread that holds a GVL (there is one for each Ractor) is charged with what it runs now.
    pub fn tick(&mut self) {
        self.starved = false;
        if ractors::only_main() {
            LIVE.holder().into_iter().for_each(|slot| self.tick_thread(slot));
        } else {
            let holders = ThreadSlot::all().into_iter().filter(|slot| slot.is_running());
            holders.for_each(|slot| self.tick_thread(slot));
        }
    }

    fn tick_thread(&mut self, slot: &'static ThreadSlot) {
        let wall = clock::monotonic();
        let turn = self.look.read(slot);
        // After the frames: while the thread asks for its clocks, too, this may have to wait for it.
        let Some(cpu) = self.cpu_if_due(slot, wall) else { return };
        LIVE.ticks.fetch_add(1, Ordering::Relaxed);
        match turn {
            Some(turn) => {
                let moment = Moment { kind: TickKind::Running, wall, cpu, due: Nanos::ZERO };
                self.look.publish(slot, turn, moment);
            }
            None if slot.is_running() => {
                LIVE.unreadable.fetch_add(1, Ordering::Relaxed);
            }
            // It has just given up the GVL.
            None => {}
        }
        if slot.seen().len() >= QUEUE / 2 {
            postponed::trigger();
        }
    }

    /// The thread's CPU clock at `wall`, where it weighs ticks. (In wall mode nobody asks for it.) Cpu mode: `None` when
    /// the thread slept since the last tick, or went to sleep: what it ran before is not what is seen now.
    fn cpu_if_due(&mut self, slot: &ThreadSlot, wall: Nanos) -> Option<Nanos> {
        if self.mode == Mode::Wall {
            return Some(Nanos::ZERO);
        }
        let clock = slot.cpu_clock()?;
        let cpu = clock.read()?;
        let now = (std::ptr::from_ref(slot).addr(), cpu);
        if self.ticked.replace(now) == Some(now) {
            self.starved |= !slot.is_asleep();
            return None;
        }
        let since = clock::monotonic() - wall;
        // A clock that stands still is that of a thread that sleeps, or waits for a processor.
        let still = clock.read() == Some(cpu);
        // (The other way round, threads that live for a millisecond are seen too often where they begin: measured, not
        // understood.)
        if still && (slot.is_asleep() || self.leaves_out(wall)) {
            return None;
        }
        self.taken = wall;
        Some(if still { cpu } else { cpu - since })
    }

    /// Whether a tick of a thread without a processor is left out, so that its time goes to the next tick: the thread stands
    /// where the scheduler stopped it, mostly at the end of a system call, and not where it used its time.
    fn leaves_out(&self, wall: Nanos) -> bool {
        wall - self.taken < MOST_LEFT_OUT
    }
}
