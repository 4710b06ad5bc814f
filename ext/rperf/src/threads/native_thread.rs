//! Data of a native thread, whichever Ruby thread it runs.

use std::cell::Cell;

use super::record::ThreadRecord;
use super::session_state::FLAGS;
use crate::os::linux;

/// Data of a native thread: the Ruby thread that it runs, and its id.
pub struct NativeThread {
    /// Record of its thread. By now the record may be another thread's, with another number.
    running: Cell<Option<&'static ThreadRecord>>,
    /// [Number](ThreadRecord::creator) of the thread that it has run last, which may have ended,
    /// and the session of that thread.
    last: Cell<(u32, u64)>,
    /// Kernel's id of the native thread; 0 before the first request.
    pub tid: Cell<i32>,
}

thread_local! {
    static NATIVE: NativeThread = const {
        NativeThread { running: Cell::new(None), last: Cell::new((0, 0)), tid: Cell::new(0) }
    };
}

impl NativeThread {
    /// Runs `body` with the data of the calling thread. They have neither lazy initialisation nor a
    /// destructor, so a signal handler may look at them once the thread itself has (which allocates
    /// the memory).
    pub fn with<T>(body: impl FnOnce(&Self) -> T) -> Option<T> {
        NATIVE.try_with(body).ok()
    }

    /// Returns the record of the thread that it runs; `None` when the record is another thread's
    /// now, since the session has ended in which it was this thread's.
    pub fn record(&self) -> Option<&'static ThreadRecord> {
        self.running.get().filter(|record| record.creator() == self.last.get().0)
    }

    pub fn set_record(&self, record: Option<&'static ThreadRecord>) {
        self.running.set(record);
        record.into_iter().for_each(|record| self.last.set((record.creator(), FLAGS.generation())));
    }

    /// Returns whether the thread that it ran last in this session is not that of `record`.
    pub fn has_run_another(&self, record: &ThreadRecord) -> bool {
        let (last, generation) = self.last.get();
        last != record.creator() && generation == FLAGS.generation()
    }

    /// Returns the kernel's id of the native thread, which is the calling one.
    pub fn known_tid(&self) -> i32 {
        if self.tid.get() == 0 {
            self.tid.set(linux::tid());
        }
        self.tid.get()
    }
}

impl ThreadRecord {
    /// Returns the record of the thread that the calling native thread runs, also of a parked one;
    /// `None` while that thread is [paused](crate::hooks::gvl::pause).
    pub fn known_here() -> Option<&'static Self> {
        let record = NativeThread::with(NativeThread::record).flatten();
        record.filter(|record| record.is_known_to(FLAGS.generation()))
    }
}
