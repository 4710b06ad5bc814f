//! The boundary with C: no panic may unwind into C code.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};

static PANICS: AtomicU64 = AtomicU64::new(0);

/// Runs the body of a callback. A panic in it ends here and is counted: it shows among the drops.
pub fn guard(body: impl FnOnce()) {
    if catch_unwind(AssertUnwindSafe(body)).is_err() {
        PANICS.fetch_add(1, Ordering::Relaxed);
    }
}

/// Sets the number of panics back to 0.
pub fn reset() {
    PANICS.store(0, Ordering::Relaxed);
}

/// Returns the number of callbacks that have panicked since [`reset`].
pub fn panics() -> u64 {
    PANICS.load(Ordering::Relaxed)
}
