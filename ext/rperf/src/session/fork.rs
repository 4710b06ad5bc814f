//! Fork: the parent goes on; the child goes on without a profiler, and may start its own.
//!
//! Context: `pthread_atfork`'s handlers. Hooks of threads that have no GVL (READY, EXITED) may hold
//! the sampler's lock or those of the lists of records at any moment, and these threads do not
//! exist in the child. So the thread that forks takes these locks before, and both sides release
//! them.

use std::any::Any;
use std::cell::RefCell;

use rperf_core::accounting::Event;
use rperf_core::time::Nanos;

use super::labels::LABELS;
use super::ledgers::LEDGERS;
use super::totals::PAST;
use crate::engine::native_leaves::LEAVES;
use crate::engine::native_probe::{self, CLOCKS};
use crate::engine::sampling_thread::WAKER;
use crate::memory::blocks::BLOCKS;
use crate::memory::{byte_countdown, malloc_watch};
use crate::os::mallocs::IMPORTS;
use crate::os::sync::Locked;
use crate::os::{clock, process, usage};
use crate::roots::NAMED;
use crate::sampler::{SAMPLER, Sampler, sampler};
use crate::threads::gvl_holder::HOLDER;
use crate::threads::native_thread::NativeThread;
use crate::threads::record::ThreadRecord;
use crate::threads::session_state::FLAGS;
use crate::threads::trace::{self, TRACE};
use crate::vm::layout::Layout;
use crate::vm::{allocations, countdown, fiber_switches, newobj_event, thread_events};

/// Registers the handlers. Must be called once, at load.
pub fn handle() {
    process::at_fork(prepare, parent, child);
}

/// The locks that a forking thread holds.
struct HeldLocks {
    /// The forking thread, where the time of a fork is measured: see [`Sampler::forked`].
    forking: Option<Forking>,
    sampler: Locked<Option<Sampler>>,
    _others: Box<dyn Any>,
}

/// The Ruby thread that forks, and the readings of its clocks before.
struct Forking {
    record: &'static ThreadRecord,
    wall: Nanos,
    cpu: Nanos,
}

impl Forking {
    /// Notes that the calling thread stops running the program; `None` if it is not profiled.
    fn begin() -> Option<Self> {
        let runs = |record: &&ThreadRecord| !record.is_parked() && record.epoch().is_running();
        let samples = FLAGS.is_timed() && Layout::proved().is_some();
        let record = ThreadRecord::known_here().filter(|record| samples && runs(record))?;
        let [wall, cpu] = [clock::monotonic(), clock::thread_cpu()];
        record.accounts().happen(Event::SettleCpu, wall, cpu);
        record.set_running(false, wall);
        Some(Self { record, wall, cpu })
    }

    fn end(self, sampler: &mut Sampler) {
        let Self { record, wall, cpu } = self;
        sampler.forked(record, wall, cpu);
        record.set_running(true, clock::monotonic());
    }
}

thread_local! {
    static HELD: RefCell<Option<HeldLocks>> = const { RefCell::new(None) };
}

extern "C" fn prepare() {
    // Other handlers of fork may take and free memory while the locks are held.
    byte_countdown::set_busy(true);
    let forking = Forking::begin();
    // In the order in which a snapshot takes them: another Ractor may take one now. The end of a
    // unit of work locks the sampler while it holds the lock of the labels.
    let (labels, sampler) = (LABELS.lock(), sampler());
    let others = (NAMED.lock(), LEDGERS.lock(), ThreadRecord::lock_lists(), LEAVES.lock());
    let last = (WAKER.lock(), TRACE.lock(), allocations::STATE.lock(), IMPORTS.lock(), BLOCKS.lock());
    let clocks = CLOCKS.lock();
    let held = HeldLocks { forking, sampler, _others: Box::new((labels, others, last, clocks)) };
    HELD.with_borrow_mut(|place| *place = Some(held));
}

extern "C" fn parent() {
    let held = HELD.with_borrow_mut(Option::take);
    // A tick that waits for the sampler's lock reads the clocks once it has it: after the fork.
    let kept = held.map(|HeldLocks { forking, sampler, .. }| (forking, sampler));
    if let Some((Some(forking), mut sampler)) = kept
        && let Some(sampler) = sampler.as_mut()
    {
        forking.end(sampler);
    }
    byte_countdown::set_busy(false);
}

/// Ends the inherited session in the child.
extern "C" fn child() {
    HELD.with_borrow_mut(Option::take);
    FLAGS.end();
    malloc_watch::abandon();
    byte_countdown::set_busy(false);
    usage::forget_own_switches();
    thread_events::inherit();
    fiber_switches::forget();
    countdown::end();
    newobj_event::forget();
    HOLDER.clear();
    NativeThread::with(|native| {
        native.set_record(None);
        native.tid.set(0);
    });
    native_probe::disable();
    SAMPLER.abandon();
    super::abandon();
    WAKER.abandon();
    LABELS.abandon();
    LEDGERS.abandon();
    PAST.abandon();
    trace::abandon();
    ThreadRecord::forget_all();
}
