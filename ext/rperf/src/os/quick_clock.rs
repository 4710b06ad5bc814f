//! Stamps: readings of the quickest clock there is, for what is read three times at each switch of
//! the GVL.
//!
//! That is the processor's time-stamp counter, where the kernel itself takes the time from it (then
//! it runs at one rate on all processors, also while they sleep:
//! Documentation/timers/timekeeping.rst, clocksource "tsc"): it takes half as long to read as
//! `CLOCK_MONOTONIC`. Elsewhere it is `CLOCK_MONOTONIC`, in nanoseconds.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use rperf_core::time::{Nanos, Reading, Scale, Stamp};

use super::clock;

/// The ratio of the counter's scale; 0 as long as the counter is not used.
static RATIO: AtomicU64 = AtomicU64::new(0);
/// Both clocks when the extension was loaded.
static FIRST: OnceLock<Option<Reading>> = OnceLock::new();
/// The scale is known to 1 in 10,000 after this time: both clocks are read within some 0.1 us.
const LONG_ENOUGH: Nanos = Nanos(1_000_000);
/// Reading both takes longer than this, in nanoseconds, when something comes between.
const AT_ONCE: Nanos = Nanos(200);

/// The time now.
#[inline]
pub fn now() -> Stamp {
    if RATIO.load(Ordering::Relaxed) == 0 { Stamp(clock::monotonic().0) } else { counter() }
}

/// The unit of stamps.
pub fn scale() -> Scale {
    Scale::from_ratio(RATIO.load(Ordering::Relaxed)).unwrap_or(Scale::NANOS)
}

/// Both clocks, now.
pub fn reading() -> Reading {
    let stamp = now();
    Reading { stamp, wall: clock::monotonic() }
}

/// To be called when the extension is loaded: what is known of the counter's rate is known from
/// here on.
pub fn begin() {
    FIRST.get_or_init(|| is_trusted().then(read_both).flatten());
}

/// To be called while no session runs: from now on stamps are those of the counter, if that may be
/// used.
pub fn prepare() {
    if RATIO.load(Ordering::Relaxed) != 0 {
        return;
    }
    let Some((first, last)) = FIRST.get().copied().flatten().zip(read_both()) else { return };
    if last.wall - first.wall < LONG_ENOUGH {
        return;
    }
    if let Some(scale) = Scale::between(first, last) {
        RATIO.store(scale.ratio(), Ordering::Relaxed);
    }
}

/// Both clocks, read at once, of which this is the proof; `None` when something always comes
/// between.
fn read_both() -> Option<Reading> {
    let tries = std::iter::repeat_with(|| {
        let before = clock::monotonic();
        let stamp = counter();
        (before, stamp, clock::monotonic())
    });
    let found = tries.take(10).find(|(before, _, after)| *after - *before < AT_ONCE);
    found.map(|(before, stamp, after)| Reading { stamp, wall: Nanos(before.0.midpoint(after.0)) })
}

/// Whether the kernel trusts the counter, and lets the process read it.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn is_trusted() -> bool {
    let source = std::fs::read_to_string("/sys/devices/system/clocksource/clocksource0/current_clocksource");
    let mut allowed: libc::c_int = 0;
    // SAFETY: PR_GET_TSC writes an int to the address that it is given (PR_SET_TSC(2const)).
    let told = unsafe { libc::prctl(libc::PR_GET_TSC, &raw mut allowed) } == 0;
    source.is_ok_and(|name| name.trim() == "tsc") && told && allowed == libc::PR_TSC_ENABLE
}

/// Whether the kernel trusts the counter.
#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
fn is_trusted() -> bool {
    false
}

#[cfg(target_arch = "x86_64")]
#[inline]
fn counter() -> Stamp {
    // SAFETY: every x86-64 processor has the instruction; where the system forbids it, it is not
    // used.
    Stamp(unsafe { std::arch::x86_64::_rdtsc() })
}

#[cfg(not(target_arch = "x86_64"))]
fn counter() -> Stamp {
    Stamp(clock::monotonic().0)
}
