//! Fork: the parent goes on; the child goes on without a profiler, and may start its own.
//!
//! Context: `pthread_atfork`'s handlers. Hooks of threads that have no GVL (READY, EXITED) may hold
//! the sampler's lock or those of the lists of records at any moment, and their threads do not
//! exist in the child: so the thread that forks takes these locks before, and both sides give them
//! back.

use std::cell::RefCell;
use std::sync::MutexGuard;

use super::{books, labels, totals};
use crate::engine::{native_leaves, native_probe};
use crate::memory::{blocks, byte_countdown, malloc_watch};
use crate::os::atfork::ForkHandlers;
use crate::os::mallocs;
use crate::roots;
use crate::sampler::{self, Sampler, sampler};
use crate::threads::gvl_holder::HOLDER;
use crate::threads::native_thread::NativeThread;
use crate::threads::record::{Lists, ThreadRecord};
use crate::threads::session_flags::FLAGS;
use crate::threads::{trace, waker};
use crate::vm::{allocations, countdown, fiber_switches, newobj_event, thread_events};

/// The handlers.
pub const HANDLERS: ForkHandlers = ForkHandlers { prepare, parent, child };

/// The locks that a forking thread holds.
struct Held {
    _sampler: MutexGuard<'static, Option<Sampler>>,
    _named: roots::Named,
    _labels: labels::Locked,
    _books: books::Locked,
    _records: Lists,
    _leaves: native_leaves::Locked,
    _trace: trace::Locked,
    _watches: allocations::Locked,
    _blocks: blocks::Locked,
    _mallocs: mallocs::Locked,
}

thread_local! {
    static HELD: RefCell<Option<Held>> = const { RefCell::new(None) };
}

fn prepare() {
    // Other handlers of fork may take and free memory while the locks are held.
    byte_countdown::set_busy(true);
    // In the order in which a snapshot takes them: another Ractor may be at it.
    let held = Held {
        _sampler: sampler(),
        _named: roots::named(),
        _labels: labels::labels(),
        _books: books::books(),
        _records: ThreadRecord::lock_lists(),
        _leaves: native_leaves::lock(),
        _trace: trace::lock(),
        _watches: allocations::lock(),
        _mallocs: mallocs::lock(),
        _blocks: blocks::lock(),
    };
    HELD.with_borrow_mut(|place| *place = Some(held));
}

fn parent() {
    HELD.with_borrow_mut(Option::take);
    byte_countdown::set_busy(false);
}

/// Ends the inherited session in the child.
fn child() {
    HELD.with_borrow_mut(Option::take);
    FLAGS.end();
    malloc_watch::abandon();
    byte_countdown::set_busy(false);
    thread_events::inherit();
    fiber_switches::forget();
    countdown::end();
    newobj_event::forget();
    HOLDER.clear();
    NativeThread::with(|native| {
        native.record.set(None);
        native.task_clock.set(-1);
        native.tid.set(0);
    });
    native_probe::disable();
    sampler::abandon();
    super::abandon();
    waker::abandon();
    labels::abandon();
    books::abandon();
    totals::abandon();
    trace::abandon();
    ThreadRecord::forget_all();
}
