//! The child of a fork: it goes on without a profiler, and may start its own.
//!
//! Context: `pthread_atfork`'s child handler. Threads of the parent are gone, with the locks that they may
//! have held: nothing here waits for a lock, and the session is left where it lies.

use crate::live::LIVE;
use crate::sampler;
use crate::session;
use crate::slot::{NativeThread, ThreadSlot};
use crate::task_clocks;

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
    session::abandon();
    ThreadSlot::forget_all();
}
