//! Ticks that wait on a thread until they are interpreted.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use rperf_core::collect::SlotId;

/// How many ticks can wait for a safepoint on one thread. Equal ones are merged, so few are needed.
pub const QUEUE: usize = 32;

/// Ticks that wait to be interpreted: one producer, one consumer, both without locks.
#[derive(Debug)]
#[repr(C)]
pub struct TickQueue {
    head: AtomicUsize,
    tail: AtomicUsize,
    slots: [AtomicU32; QUEUE],
}

impl TickQueue {
    /// An empty queue.
    pub const fn new() -> Self {
        Self {
            slots: [const { AtomicU32::new(0) }; QUEUE],
            head: AtomicUsize::new(0),
            tail: AtomicUsize::new(0),
        }
    }

    /// Adds a tick. False when there are too many.
    pub fn push(&self, slot: SlotId) -> bool {
        let tail = self.tail.load(Ordering::Relaxed);
        if tail - self.head.load(Ordering::Acquire) >= QUEUE {
            return false;
        }
        self.slots[tail % QUEUE].store(slot.number(), Ordering::Relaxed);
        self.tail.store(tail + 1, Ordering::Release);
        true
    }

    /// The tick that was added last, if it still waits: its producer may change it.
    pub fn last(&self) -> Option<SlotId> {
        let tail = self.tail.load(Ordering::Relaxed);
        (tail != self.head.load(Ordering::Acquire)).then(|| self.at(tail - 1))
    }

    /// Whether so many ticks wait that they should be interpreted soon.
    pub fn wants_safepoint(&self) -> bool {
        self.tail.load(Ordering::Relaxed) - self.head.load(Ordering::Acquire) >= QUEUE / 2
    }

    /// The tick that was added first.
    pub fn first(&self) -> Option<SlotId> {
        let head = self.head.load(Ordering::Relaxed);
        (head != self.tail.load(Ordering::Acquire)).then(|| self.at(head))
    }

    /// Takes the first tick away: from now on it is the consumer's alone.
    pub fn take_first(&self) {
        self.head.fetch_add(1, Ordering::AcqRel);
    }

    fn at(&self, index: usize) -> SlotId {
        SlotId::from_number(self.slots[index % QUEUE].load(Ordering::Relaxed))
    }
}
