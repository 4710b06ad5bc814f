//! Which thread holds the main Ractor's GVL, and which wait for it, as far as the events tell.

use std::sync::atomic::Ordering;

use rperf_core::accounting::Waiters;
use rperf_core::time::Nanos;

use super::record::ThreadRecord;
use crate::os::sync::AtomicRef;

/// The thread that holds the GVL, the one that held it last, and how many wait.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct GvlHolder {
    holder: AtomicRef<ThreadRecord>,
    last: AtomicRef<ThreadRecord>,
    /// Those of which a record says so, each once.
    pub waiters: Waiters,
}

/// The holder.
pub static HOLDER: GvlHolder =
    GvlHolder { holder: AtomicRef::none(), last: AtomicRef::none(), waiters: Waiters::new() };

impl GvlHolder {
    /// The thread of `record` has it.
    pub fn set(&self, record: &'static ThreadRecord) {
        self.holder.set(Some(record));
    }

    /// No thread that is known has it or waits for it: a session begins or ends.
    pub fn clear(&self) {
        self.waiters.clear();
        self.holder.set(None);
        self.last.set(None);
    }

    /// The thread of `record` gives it up, if it is the holder: with several Ractors another may
    /// be.
    pub fn give_up(&self, record: &'static ThreadRecord) {
        if self.holder.is(record) {
            self.last.set(Some(record));
            self.holder.set(None);
        }
    }

    /// The holder.
    pub fn get(&self) -> Option<&'static ThreadRecord> {
        self.holder.get()
    }

    /// The thread of `record` waits for it from `now` on.
    pub fn begin_wait(&self, record: &ThreadRecord, now: Nanos) {
        if !record.waiting.swap(true, Ordering::Relaxed) {
            self.waiters.begin(now);
        }
    }

    /// The thread of `record` waits no longer, if it did.
    pub fn end_wait(&self, record: &ThreadRecord, now: Nanos) {
        let waiting = &record.waiting;
        if waiting.load(Ordering::Relaxed) && waiting.swap(false, Ordering::Relaxed) {
            self.waiters.end(now);
        }
    }

    /// The thread that gave it up last.
    pub fn last(&self) -> Option<&'static ThreadRecord> {
        self.last.get()
    }
}
