//! What task clocks do not see: threads that sleep with the GVL, and time in system calls, where the kernel swallows
//! ticks.
//!
//! Context: the worker.

use std::sync::atomic::Ordering;

use rperf_core::accounting::{Jitter, is_late};
use rperf_core::collect::TickKind;
use rperf_core::state::Mode;
use rperf_core::time::Nanos;

use crate::look::{Look, Moment};
use crate::os::clock;
use crate::threads::live::LIVE;
use crate::threads::slot::ThreadSlot;

/// After something was found, so many looks follow at the pace of ticks.
const QUICK_LOOKS: u32 = 20;
/// The longest time between two looks while somebody holds the GVL, in nanoseconds.
const SLOWEST: u64 = 20_000_000;

/// When to look, and what was seen.
#[derive(Debug)]
pub struct Watch {
    mode: Mode,
    /// How many more looks in quick succession.
    quick_looks: u32,
    mean: u64,
    interval: u64,
    seed: u64,
    look: Look,
}

impl Watch {
    /// Looks at most every `period` nanoseconds on average, and less often while nobody sleeps.
    pub fn new(mode: Mode, period: u64, look: Look) -> Self {
        Self { mode, quick_looks: 0, mean: period, interval: period, seed: period, look }
    }

    /// The time until the next look.
    pub fn next_look(&mut self) -> u64 {
        self.seed = self.seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
        Jitter::new(self.interval, self.seed).period()
    }

    /// Looks whether the holder sleeps, or is in a system call that swallowed a tick; if so its frames go to it, to
    /// be charged with that time.
    pub fn look(&mut self) {
        let Some(slot) = LIVE.holder() else { return };
        let found = self.find(slot).is_some();
        if LIVE.sleeper_seen.swap(false, Ordering::Relaxed) || found {
            self.quick_looks = QUICK_LOOKS;
            self.interval = self.mean;
        } else if self.quick_looks > 0 {
            self.quick_looks -= 1;
        } else {
            self.interval = (self.interval * 2).min(SLOWEST.max(self.mean));
        }
    }

    fn find(&mut self, slot: &'static ThreadSlot) -> Option<()> {
        let clock = slot.cpu_clock()?;
        let (before, due) = (clock.read()?, slot.due());
        let still = clock.read()? == before;
        let overdue = is_late(before, due);
        let may_sleep = still && self.mode == Mode::Wall;
        if !(overdue || may_sleep) {
            return None;
        }
        let turn = self.look.read(slot)?;
        // Or else it waits for a processor, which may be the worker's.
        let asleep = may_sleep && slot.is_asleep();
        let (wall, cpu) = (clock::monotonic(), clock.read()?);
        let kind = if asleep && cpu == before {
            TickKind::Asleep
        // System calls are made by C methods; and no tick has come meanwhile. (Where processors are scarce, it may just wait for
        // one, when the worker has it.)
        } else if overdue && self.look.leaf().pc == 0 && slot.due() == due {
            TickKind::InKernel
        } else {
            return None;
        };
        self.look.publish(slot, turn, Moment { kind, wall, cpu, due, covers: Nanos::ZERO }).then_some(())
    }
}
