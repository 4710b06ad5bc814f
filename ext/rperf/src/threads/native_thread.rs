//! What belongs to a native thread, whichever Ruby thread it runs.

use std::cell::Cell;

use super::record::ThreadRecord;
use super::session_state::FLAGS;
use crate::os::thread;

/// What belongs to a native thread: the Ruby thread that it runs, and its task clock.
pub struct NativeThread {
    /// The thread that it runs. By now the record may be another thread's, with another number.
    running: Cell<Option<&'static ThreadRecord>>,
    /// The [number](ThreadRecord::creator) of the thread that it has run last, which may have
    /// ended, and its session.
    last: Cell<(u32, u64)>,
    /// The kernel's id of it; 0 before it is first asked for.
    pub tid: Cell<i32>,
    /// The descriptor of its task clock, or -1: see `engine::native_probe`.
    pub task_clock: Cell<i32>,
    /// The session that the task clock belongs to.
    pub generation: Cell<u64>,
}

thread_local! {
    static NATIVE: NativeThread = const {
        NativeThread {
            running: Cell::new(None),
            last: Cell::new((0, 0)),
            tid: Cell::new(0),
            task_clock: Cell::new(-1),
            generation: Cell::new(0),
        }
    };
}

impl NativeThread {
    /// Runs `body` with the calling thread's. It has neither lazy initialisation nor a destructor,
    /// so that a signal handler may look at it once the thread itself has (which allocates the
    /// memory).
    pub fn with<T>(body: impl FnOnce(&Self) -> T) -> Option<T> {
        NATIVE.try_with(body).ok()
    }

    /// The record of the thread that it runs; `None` when that is another thread's now, since the
    /// session has ended in which it was this one's.
    pub fn record(&self) -> Option<&'static ThreadRecord> {
        self.running.get().filter(|record| record.creator() == self.last.get().0)
    }

    /// It runs the thread of `record` from now on.
    pub fn set_record(&self, record: Option<&'static ThreadRecord>) {
        self.running.set(record);
        record.into_iter().for_each(|record| self.last.set((record.creator(), FLAGS.generation())));
    }

    /// Whether it has run another thread than that of `record` last, in the session that runs.
    pub fn has_run_another(&self, record: &ThreadRecord) -> bool {
        let (last, generation) = self.last.get();
        last != record.creator() && generation == FLAGS.generation()
    }

    /// The kernel's id of it, the calling one.
    pub fn known_tid(&self) -> i32 {
        if self.tid.get() == 0 {
            self.tid.set(thread::tid());
        }
        self.tid.get()
    }
}

impl ThreadRecord {
    /// That of the thread which the calling native thread runs, a parked one, too; `None` while
    /// that is [paused](crate::hooks::gvl::pause).
    pub fn known_here() -> Option<&'static Self> {
        let record = NativeThread::with(NativeThread::record).flatten();
        record.filter(|record| record.is_known_to(FLAGS.generation()))
    }
}
