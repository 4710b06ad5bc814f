//! Fork: the parent goes on; the child goes on without a profiler, and may start its own.
//!
//! Context: `pthread_atfork`'s handlers. Hooks of threads that have no GVL (READY, EXITED) may hold the sampler's lock
//! or those of the lists of slots at any moment, and their threads do not exist in the child: so the thread that forks
//! takes these locks before, and both sides give them back.

use std::cell::RefCell;
use std::sync::MutexGuard;

use super::labels;
use crate::handoff;
use crate::os::atfork::ForkHandlers;
use crate::roots;
use crate::sampler::{self, Sampler, sampler, tick_ring};
use crate::threads::live::LIVE;
use crate::threads::native_thread::NativeThread;
use crate::threads::slot::{SlotLists, ThreadSlot};
use crate::threads::task_clocks;
use crate::vm::{root_stack, thread_events};

/// The handlers.
pub const HANDLERS: ForkHandlers = ForkHandlers { prepare, parent, child };

/// The locks that a forking thread holds.
struct Held {
    _sampler: MutexGuard<'static, Option<Sampler>>,
    _named: roots::Named,
    _labels: labels::Table,
    _slots: SlotLists,
}

thread_local! {
    static HELD: RefCell<Option<Held>> = const { RefCell::new(None) };
}

fn prepare() {
    // In the order in which a snapshot takes them: another Ractor may be at it.
    let held = Held {
        _sampler: sampler(),
        _named: roots::named(),
        _labels: labels::table(),
        _slots: ThreadSlot::lock_lists(),
    };
    HELD.with_borrow_mut(|place| *place = Some(held));
}

fn parent() {
    HELD.with_borrow_mut(Option::take);
}

/// Ends the inherited session in the child.
fn child() {
    HELD.with_borrow_mut(Option::take);
    LIVE.end();
    root_stack::forget_lookers();
    thread_events::inherit();
    LIVE.set_holder(None);
    NativeThread::with(|native| {
        native.slot.set(None);
        native.task_clock.set(-1);
        native.tid.set(0);
    });
    task_clocks::close_inherited();
    sampler::abandon();
    super::abandon();
    handoff::abandon();
    labels::abandon();
    ThreadSlot::forget_all();
    // Ticks that waited in the parent wait there; here their slots would be taken for good, and a few generations of
    // children later there would be none.
    tick_ring().release_all();
}
