//! What belongs to a native thread, whichever Ruby thread it runs.

use std::cell::Cell;

use rperf_core::accounting::Jitter;

use super::slot::ThreadSlot;

/// What belongs to a native thread: the Ruby thread that it runs, and its task clock.
pub struct NativeThread {
    /// The thread that it runs.
    pub slot: Cell<Option<&'static ThreadSlot>>,
    /// The descriptor of its task clock, or -1.
    pub task_clock: Cell<i32>,
    /// The kernel's id of it; 0 before it is first asked for.
    pub tid: Cell<i32>,
    /// The session that the task clock belongs to.
    pub generation: Cell<u64>,
    /// Its CPU clock, in nanoseconds, at the last tick that could be noted; 0 before the first.
    pub ticked: Cell<u64>,
    /// Draws its periods.
    pub jitter: Cell<Option<Jitter>>,
}

thread_local! {
    static NATIVE: NativeThread = const {
        NativeThread {
            slot: Cell::new(None),
            task_clock: Cell::new(-1),
            tid: Cell::new(0),
            generation: Cell::new(0),
            ticked: Cell::new(0),
            jitter: Cell::new(None),
        }
    };
}

impl NativeThread {
    /// Runs `body` with the calling thread's. It has neither lazy initialisation nor a destructor, so that
    /// a signal handler may look at it once the thread itself has (which allocates the memory).
    pub fn with<T>(body: impl FnOnce(&Self) -> T) -> Option<T> {
        NATIVE.try_with(body).ok()
    }
}
