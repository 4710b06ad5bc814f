//! The ring of the process: made once, never freed, so that a late signal finds it.

use std::sync::OnceLock;

use rperf_core::collect::TickRing;

use crate::os::arena;
use crate::vm::profile_frames::MAX_DEPTH;

/// Ticks that may wait for a safepoint, in all threads together.
const RING_SLOTS: usize = 64;

static RING: OnceLock<TickRing> = OnceLock::new();

/// Reserves the memory of the ring. False when there is none.
pub fn prepare_ring() -> bool {
    if RING.get().is_some() {
        return true;
    }
    let words = arena::zeroed_words(TickRing::words_needed(RING_SLOTS, MAX_DEPTH));
    words.is_some_and(|words| {
        RING.get_or_init(|| TickRing::new(words, RING_SLOTS, MAX_DEPTH));
        true
    })
}

/// The ring. Safe in a signal handler, once it has been prepared.
pub fn tick_ring() -> &'static TickRing {
    // Ticks are only taken after `prepare_ring`; an empty ring has no slots to claim.
    static EMPTY: OnceLock<TickRing> = OnceLock::new();
    RING.get().unwrap_or_else(|| EMPTY.get_or_init(|| TickRing::new(&[], 0, 0)))
}
