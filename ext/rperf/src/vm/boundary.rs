//! The boundary with C: a panic must not unwind into it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};

static PANICS: AtomicU64 = AtomicU64::new(0);

/// Runs a callback's body. A panic ends there, and is counted: it shows among the drops.
pub fn guard(body: impl FnOnce()) {
    if catch_unwind(AssertUnwindSafe(body)).is_err() {
        PANICS.fetch_add(1, Ordering::Relaxed);
    }
}

/// Starts to count anew.
pub fn reset() {
    PANICS.store(0, Ordering::Relaxed);
}

/// How many callbacks have panicked since [`reset`].
pub fn panics() -> u64 {
    PANICS.load(Ordering::Relaxed)
}
