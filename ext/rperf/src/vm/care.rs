//! Why allocated objects have to be counted with care.

use std::sync::atomic::{AtomicU8, Ordering};

/// Why each object has to be looked at more closely than by the main counter.
#[derive(Clone, Copy, Debug)]
pub enum Care {
    /// Other Ractors allocate at the same time. For good.
    Ractors = 1,
    /// Some thread counts its own objects.
    Threads = 2,
    /// The VM tells of each object: those that are seen directly, too, are counted then.
    Event = 4,
}

static CARE: AtomicU8 = AtomicU8::new(0);

/// Whether there is any reason.
#[inline(always)]
pub fn is_needed() -> bool {
    CARE.load(Ordering::Relaxed) != 0
}

/// Whether there is such a reason for care.
pub fn needs(care: Care) -> bool {
    CARE.load(Ordering::Relaxed) & care as u8 != 0
}

/// Says why care is needed, and from when on it is not needed any more.
pub fn set_care(care: Care, needed: bool) {
    if needed {
        CARE.fetch_or(care as u8, Ordering::AcqRel);
    } else {
        CARE.fetch_and(!(care as u8), Ordering::AcqRel);
    }
}
