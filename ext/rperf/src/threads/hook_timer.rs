//! What hooks take of the program's CPU time: one call in so many is timed, chosen by chance, so
//! that a hook costs hardly more.

use std::sync::atomic::{AtomicU32, Ordering};

use rperf_core::time::Nanos;

use super::session_state::Counter;
use crate::os::clock;

/// One hook in 2 to the power of this is timed: two readings of the clock, of some 300 ns each, in
/// each of them would take longer than the hook.
const BITS: u32 = 6;

/// A linear congruential generator (the constants are those of PCG), for all threads: a step that
/// another thread overwrites does not matter.
static DICE: AtomicU32 = AtomicU32::new(1);

/// Times the hook that it lives in, if that one is chosen. By the CPU clock: a processor that the
/// system takes away meanwhile is no work of the hook.
pub struct HookTimer(Option<Nanos>);

impl HookTimer {
    /// The hook begins.
    #[inline]
    pub fn begin() -> Self {
        let dice = DICE.load(Ordering::Relaxed).wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
        DICE.store(dice, Ordering::Relaxed);
        Self((dice >> (u32::BITS - BITS) == 0).then(clock::thread_cpu))
    }
}

impl Drop for HookTimer {
    fn drop(&mut self) {
        if let Some(begun) = self.0 {
            let spent = clock::thread_cpu() - begun - clock::thread_cpu_cost();
            Counter::HookTime.add(spent.0 << BITS);
        }
    }
}
