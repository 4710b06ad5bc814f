//! The task clocks of all native threads, so that they can be closed when the session ends.

use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, AtomicUsize, Ordering};

use rperf_core::accounting::Jitter;
use rperf_core::time::Nanos;

use crate::os::perf_event::TaskClock;
use crate::os::{clock, limits};
use crate::threads::live::LIVE;
use crate::threads::native_thread::NativeThread;
use crate::threads::slot::ThreadSlot;

/// The first tick comes after so many nanoseconds at least. A period of less than about 15 us is over again before the
/// handler has set the next one: measured, hundreds of ticks follow each other then.
const SOON: u64 = 50_000;

/// As many as [`limits::descriptor_budget`] may allow.
const MAX: usize = 4096;

/// Open descriptors; -1 where there is none. Atomics, not a lock: a forked child must close its copies.
static OPEN: [AtomicI32; MAX] = [const { AtomicI32::new(-1) }; MAX];
static COUNT: AtomicUsize = AtomicUsize::new(0);
static BUDGET: AtomicUsize = AtomicUsize::new(0);
static PERIOD: AtomicU64 = AtomicU64::new(1_000_000);
static SIGNAL: AtomicI32 = AtomicI32::new(0);
/// Whether this session ticks by task clocks.
static IN_USE: AtomicBool = AtomicBool::new(false);

/// Makes task clocks the session's tick source if the system allows them: tries one on the calling thread.
pub fn enable(signal: i32, period: u64) -> std::io::Result<()> {
    if !limits::signals_can_queue() {
        return Err(std::io::Error::other("the limit of queued signals is too low"));
    }
    // A period of an hour: this one never fires.
    TaskClock::open(signal, 3_600_000_000_000)?.close();
    BUDGET.store(limits::descriptor_budget().min(MAX), Ordering::Relaxed);
    PERIOD.store(period, Ordering::Relaxed);
    SIGNAL.store(signal, Ordering::Relaxed);
    IN_USE.store(true, Ordering::Release);
    Ok(())
}

/// The mean period in nanoseconds.
pub fn period() -> u64 {
    PERIOD.load(Ordering::Relaxed)
}

/// Whether task clocks are the tick source.
pub fn in_use() -> bool {
    IN_USE.load(Ordering::Acquire)
}

/// Opens a clock for the calling native thread, unless it has one of this session. A thread for which none
/// can be opened is not ticked; its time is charged to its GVL events and to other threads' ticks.
///
/// `first`: the time to the first tick in nanoseconds, where a thread that ended has left some of its period.
pub fn open(native: &NativeThread, first: Option<u64>, jitter: impl FnOnce() -> Jitter) {
    let generation = LIVE.generation();
    if !in_use() || native.generation.get() == generation && native.task_clock.get() >= 0 {
        return;
    }
    native.generation.set(generation);
    native.ticked.set(0);
    native.task_clock.set(-1);
    if COUNT.load(Ordering::Relaxed) >= BUDGET.load(Ordering::Relaxed) {
        return;
    }
    let mut jitter = jitter();
    let first = first.unwrap_or_else(|| jitter.first()).max(SOON);
    if let Ok(clock) = TaskClock::open(SIGNAL.load(Ordering::Relaxed), first) {
        native.jitter.set(Some(jitter));
        native.task_clock.set(clock.number());
        if let Some(slot) = native.slot.get() {
            slot.set_due(clock::thread_cpu().0 + first);
        }
        register(clock.number());
        clock.run();
    }
}

/// What is left of the calling native thread's period at a reading of its CPU clock.
pub fn left(native: &NativeThread, cpu: Nanos) -> Option<u64> {
    let due = native.slot.get().map_or(Nanos::ZERO, ThreadSlot::due);
    own(native).map(|_| (due - cpu).0)
}

/// The calling native thread's clock of this session.
fn own(native: &NativeThread) -> Option<TaskClock> {
    let is_open = native.task_clock.get() >= 0 && native.generation.get() == LIVE.generation();
    is_open.then(|| TaskClock::from_number(native.task_clock.get()))
}

/// Stops the calling native thread's clock. Returns what is left of its period at a reading of its CPU clock.
pub fn pause(native: &NativeThread, cpu: Nanos) -> Option<u64> {
    own(native)?.halt();
    left(native, cpu)
}

/// Lets it go on; its next tick comes after `left` nanoseconds.
pub fn resume(native: &NativeThread, left: u64) {
    if let Some(clock) = own(native) {
        let left = left.max(SOON);
        if let Some(slot) = native.slot.get() {
            slot.set_due(clock::thread_cpu().0 + left);
        }
        clock.set_period(left);
        clock.run();
    }
}

/// Closes the calling native thread's clock.
pub fn close(native: &NativeThread) {
    let number = native.task_clock.replace(-1);
    if number >= 0 && native.generation.get() == LIVE.generation() && unregister(number) {
        TaskClock::from_number(number).close();
    }
}

/// Closes all clocks: the session ends.
pub fn disable() {
    IN_USE.store(false, Ordering::Release);
    close_registered();
}

/// Closes a forked child's copies of its parent's clocks. The parent's go on.
pub fn close_inherited() {
    IN_USE.store(false, Ordering::Release);
    close_registered();
}

fn close_registered() {
    for place in &OPEN {
        let number = place.swap(-1, Ordering::AcqRel);
        if number >= 0 {
            TaskClock::from_number(number).close();
        }
    }
    COUNT.store(0, Ordering::Relaxed);
}

fn register(number: i32) {
    let free = OPEN
        .iter()
        .find(|place| place.compare_exchange(-1, number, Ordering::AcqRel, Ordering::Relaxed).is_ok());
    if free.is_some() {
        COUNT.fetch_add(1, Ordering::Relaxed);
    }
}

/// True when the clock was there: whoever takes it out closes it.
fn unregister(number: i32) -> bool {
    let taken = OPEN
        .iter()
        .any(|place| place.compare_exchange(number, -1, Ordering::AcqRel, Ordering::Relaxed).is_ok());
    if taken {
        COUNT.fetch_sub(1, Ordering::Relaxed);
    }
    taken
}
