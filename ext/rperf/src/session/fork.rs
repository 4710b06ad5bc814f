//! The child of a fork: it goes on without a profiler, and may start its own.
//!
//! Context: `pthread_atfork`'s child handler. Threads of the parent are gone, with the locks that they may
//! have held: nothing here waits for a lock, and the session is left where it lies.

use crate::handoff;
use crate::sampler;
use crate::threads::live::LIVE;
use crate::threads::native_thread::NativeThread;
use crate::threads::slot::ThreadSlot;
use crate::threads::task_clocks;

/// Ends the inherited session in the child.
pub fn on_child() {
    LIVE.end();
    LIVE.set_holder(None);
    NativeThread::with(|native| {
        native.slot.set(None);
        native.task_clock.set(-1);
    });
    task_clocks::close_inherited();
    sampler::abandon();
    super::abandon();
    handoff::abandon();
    ThreadSlot::forget_all();
}
