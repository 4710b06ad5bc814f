//! Instruction pointers of a thread that computes without the GVL.
//!
//! Its ticks have no frames to capture: the stack at which it gave up the GVL is charged with the time when it comes
//! back, and the instruction pointers say what ran meanwhile. They wait in a slot of the ring without frames.

use std::sync::atomic::{AtomicU32, Ordering};

use rperf_core::collect::SlotId;

/// The thread has the GVL, or nobody wants to know.
const HERE: u32 = u32::MAX;
/// It is away; no tick yet.
const AWAY: u32 = u32::MAX - 1;
/// Its handler writes.
const BUSY: u32 = u32::MAX - 2;

/// Where the ticks of an absence are. Changed by the thread itself and its signal handler, and taken away by whoever
/// ends the session.
#[derive(Debug)]
pub struct AwayTicks(AtomicU32);

impl AwayTicks {
    /// For a thread that has the GVL.
    pub const fn new() -> Self {
        Self(AtomicU32::new(HERE))
    }

    /// The thread gives up the GVL. `ticks`: those of earlier absences that have not been charged yet.
    pub fn leave(&self, ticks: Option<SlotId>) {
        self.0.store(ticks.map_or(AWAY, SlotId::number), Ordering::SeqCst);
    }

    /// The thread has the GVL again, or its session ends. Returns the slot with its ticks, which is now the caller's.
    pub fn come_back(&self) -> Option<SlotId> {
        let found = self.0.swap(HERE, Ordering::SeqCst);
        (found < BUSY).then(|| SlotId::from_number(found))
    }

    /// From the signal handler: lets `write` put a tick into the slot (none: it is the first and has to claim one).
    /// Returns a slot that nobody wants any more, since the session ended meanwhile.
    pub fn note(&self, write: impl FnOnce(Option<SlotId>) -> Option<SlotId>) -> Option<SlotId> {
        let found = self.0.load(Ordering::SeqCst);
        if found == HERE || found == BUSY {
            return None;
        }
        self.0.compare_exchange(found, BUSY, Ordering::SeqCst, Ordering::Relaxed).ok()?;
        let slot = write((found != AWAY).then(|| SlotId::from_number(found)));
        let next = slot.map_or(AWAY, SlotId::number);
        match self.0.compare_exchange(BUSY, next, Ordering::SeqCst, Ordering::Relaxed) {
            Ok(_) => None,
            Err(_) => slot,
        }
    }
}
