//! The boundary with C: no panic may unwind into C code.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};

static PANICS: AtomicU64 = AtomicU64::new(0);

/// Runs the body of a callback, and returns its result. A panic in it ends here and is counted: it
/// shows among the drops.
pub fn guard<T>(body: impl FnOnce() -> T) -> Option<T> {
    let result = catch_unwind(AssertUnwindSafe(body));
    if result.is_err() {
        PANICS.fetch_add(1, Ordering::Relaxed);
    }
    result.ok()
}

/// Returns the number of callbacks that have panicked. With `clear` it begins again at 0.
pub fn panics(clear: bool) -> u64 {
    if clear { PANICS.swap(0, Ordering::Relaxed) } else { PANICS.load(Ordering::Relaxed) }
}
