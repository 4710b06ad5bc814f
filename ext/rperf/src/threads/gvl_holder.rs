//! Holder of the main Ractor's GVL, and the threads that wait for it, as far as the events tell.

use std::sync::atomic::Ordering;

use rperf_core::accounting::Waiters;
use rperf_core::time::Nanos;

use super::record::ThreadRecord;
use super::session_state::FLAGS;
use crate::os::sync::AtomicRef;

/// The thread that holds the GVL, the thread that held it last, and the threads that wait.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct GvlHolder {
    holder: AtomicRef<ThreadRecord>,
    last: AtomicRef<ThreadRecord>,
    /// Threads whose records say that they wait, each counted once.
    pub waiters: Waiters,
}

pub static HOLDER: GvlHolder =
    GvlHolder { holder: AtomicRef::none(), last: AtomicRef::none(), waiters: Waiters::new() };

impl GvlHolder {
    pub fn set(&self, record: &'static ThreadRecord) {
        self.holder.set(Some(record));
    }

    /// Forgets the holder and the waiting threads: a session begins or ends.
    pub fn clear(&self) {
        self.waiters.clear();
        self.holder.set(None);
        self.last.set(None);
    }

    /// Notes that the thread of `record` gives up the GVL, if it is the holder. With several
    /// Ractors another thread may be the holder.
    pub fn give_up(&self, record: &'static ThreadRecord) {
        if self.holder.is(record) {
            self.last.set(Some(record));
            self.holder.set(None);
        }
    }

    pub fn get(&self) -> Option<&'static ThreadRecord> {
        self.holder.get()
    }

    /// Notes that the thread of `record` waits for the GVL from `now` on, if ticks charge waiting.
    pub fn begin_wait(&self, record: &ThreadRecord, now: Nanos) {
        if FLAGS.blames.load(Ordering::Relaxed) && !record.waiting.swap(true, Ordering::Relaxed) {
            self.waiters.begin(now);
        }
    }

    /// Notes that the thread of `record` waits no longer, if it did.
    pub fn end_wait(&self, record: &ThreadRecord, now: Nanos) {
        let waiting = &record.waiting;
        if waiting.load(Ordering::Relaxed) && waiting.swap(false, Ordering::Relaxed) {
            self.waiters.end(now);
        }
    }

    pub fn last(&self) -> Option<&'static ThreadRecord> {
        self.last.get()
    }
}
