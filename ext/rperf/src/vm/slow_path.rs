//! Reasons for which allocated objects are counted on the slow path.

use std::sync::atomic::{AtomicU8, Ordering};

/// Reason for which an object takes more than the main counter's step.
#[derive(Clone, Copy, Debug)]
pub enum SlowPath {
    /// Other Ractors allocate at the same time. Once set, this reason stays.
    Ractors = 1,
    /// Some thread counts its own objects.
    Threads = 2,
    /// The VM announces each object: those that are seen directly, too, are counted at the event.
    Event = 4,
}

static REASONS: AtomicU8 = AtomicU8::new(0);

/// Returns whether there is any reason.
#[inline(always)]
pub fn is_taken() -> bool {
    REASONS.load(Ordering::Relaxed) != 0
}

/// Returns whether there is this reason.
pub fn has(reason: SlowPath) -> bool {
    REASONS.load(Ordering::Relaxed) & reason as u8 != 0
}

/// Sets or removes a reason.
pub fn set(reason: SlowPath, applies: bool) {
    if applies {
        REASONS.fetch_or(reason as u8, Ordering::AcqRel);
    } else {
        REASONS.fetch_and(!(reason as u8), Ordering::AcqRel);
    }
}
