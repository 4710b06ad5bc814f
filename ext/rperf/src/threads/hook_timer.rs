//! CPU time that hooks take from the program's threads. A session's first calls are all timed: cold
//! ones take long. Then one call in 2^`BITS` is timed, chosen by chance, so that a hook costs
//! hardly more.

use std::sync::atomic::{AtomicU32, Ordering};

use rperf_core::time::Nanos;

use super::session_state::Counter;
use crate::os::clock;

/// One hook in 2^`BITS` is timed. Two readings of the clock, of some 300 ns each, in every hook
/// would take longer than the hook.
const BITS: u32 = 6;

/// Number of a session's first calls that are all timed, each for itself. So no call of a short
/// program stands for calls that were never made.
const FIRST: u32 = 1 << BITS;

/// Number of the first calls that are still to come.
static LEFT: AtomicU32 = AtomicU32::new(0);

/// State of a linear congruential generator (the constants are those of PCG), for all threads. A
/// step that another thread overwrites does not matter.
static DICE: AtomicU32 = AtomicU32::new(1);

/// Begins a session. Its dice differ from those of other processes and sessions: equal ones would
/// time the same calls of each.
pub fn begin_session() {
    DICE.store(clock::monotonic().0 as u32 ^ std::process::id().rotate_left(16), Ordering::Relaxed);
    LEFT.store(FIRST, Ordering::Relaxed);
}

/// Timer of the hook in which it lives, if that hook is chosen: when it began, and the binary
/// logarithm of the number of calls for which it stands. It reads the CPU clock: time in which the
/// system takes the processor away is no work of the hook.
pub struct HookTimer(Option<(Nanos, u32)>);

impl HookTimer {
    /// Begins to time the hook, if it is chosen.
    #[inline]
    pub fn begin() -> Self {
        let left = LEFT.load(Ordering::Relaxed);
        if left > 0 {
            LEFT.store(left - 1, Ordering::Relaxed);
            return Self(Some((clock::thread_cpu(), 0)));
        }
        let dice = DICE.load(Ordering::Relaxed).wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
        DICE.store(dice, Ordering::Relaxed);
        Self((dice >> (u32::BITS - BITS) == 0).then(|| (clock::thread_cpu(), BITS)))
    }
}

impl Drop for HookTimer {
    fn drop(&mut self) {
        if let Some((begun, calls)) = self.0 {
            let spent = clock::thread_cpu() - begun - clock::thread_cpu_cost();
            Counter::HookTime.add(spent.0 << calls);
        }
    }
}
