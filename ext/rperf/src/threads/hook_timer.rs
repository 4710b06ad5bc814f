//! What hooks take of the program's time: one call in so many is timed, chosen by chance, so that a
//! hook costs hardly more.

use std::sync::atomic::{AtomicU32, Ordering};

use rperf_core::time::Nanos;

use super::session_state::Counter;
use crate::os::clock;

/// One hook in 2 to the power of this is timed: 64 times two readings of the clock, of some 25 ns
/// each, would be most of a hook.
const BITS: u32 = 6;
/// A hook that takes longer has been interrupted, in nanoseconds: 12,000 frames take 200 us.
const LONGEST: Nanos = Nanos(200_000);

/// A linear congruential generator (the constants are those of PCG), for all threads: a step that
/// another thread overwrites does not matter.
static DICE: AtomicU32 = AtomicU32::new(1);

/// Times the hook that it lives in, if that one is chosen.
pub struct HookTimer(Option<Nanos>);

impl HookTimer {
    /// The hook begins.
    #[inline]
    pub fn begin() -> Self {
        let dice = DICE.load(Ordering::Relaxed).wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
        DICE.store(dice, Ordering::Relaxed);
        Self((dice >> (u32::BITS - BITS) == 0).then(clock::monotonic))
    }
}

impl Drop for HookTimer {
    fn drop(&mut self) {
        if let Some(begun) = self.0 {
            let spent = (clock::monotonic() - begun).min(LONGEST);
            Counter::HookTime.add(spent.0 << BITS);
        }
    }
}
