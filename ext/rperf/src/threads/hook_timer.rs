//! CPU time that hooks take from the program's threads. One call in 2^`BITS` is timed, chosen by
//! chance, so that a hook costs hardly more.

use std::sync::atomic::{AtomicU32, Ordering};

use rperf_core::time::Nanos;

use super::session_state::Counter;
use crate::os::clock;

/// One hook in 2^`BITS` is timed. Two readings of the clock, of some 300 ns each, in every hook
/// would take longer than the hook.
const BITS: u32 = 6;

/// State of a linear congruential generator (the constants are those of PCG), for all threads. A
/// step that another thread overwrites does not matter.
static DICE: AtomicU32 = AtomicU32::new(1);

/// Timer of the hook in which it lives, if that hook is chosen. It reads the CPU clock: time in
/// which the system takes the processor away is no work of the hook.
pub struct HookTimer(Option<Nanos>);

impl HookTimer {
    /// Begins to time the hook, if it is chosen.
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
