//! The session: one start, one stop, and what lives in between.
//!
//! Start order: configuration, memory, signal action, worker, hooks, tick source. Stop order: the reverse, then
//! the last samples, and only then names.

pub mod fork;
mod plan;

use std::sync::{Mutex, MutexGuard, PoisonError};

use magnus::Ruby;
use rperf_core::collect::{Aggregator, DropCause, Drops, FrameTable, Limits, Snapshot};
use rperf_core::native::NativeFunction;
use rperf_core::state::Mode;
use rperf_core::time::Nanos;

use crate::config::SessionConfig;
use crate::handoff;
use crate::hooks::{gc, gvl, safepoint};
use crate::os::clock;
use crate::sampler::{self, ClosingStack, Sampler, SamplerKind, sampler};
use crate::store::Store;
use crate::threads::live::LIVE;
use crate::threads::slot::ThreadSlot;
use crate::threads::task_clocks;
use crate::vm::context::Gvl;
use crate::vm::layout::Layout;
use crate::vm::threads::RubyThread;
use crate::vm::{boundary, gc_events, thread_events};
use crate::worker::{self, Ticker, Worker};

use plan::Plan;

static SESSION: Mutex<Option<Session>> = Mutex::new(None);

/// A running session.
struct Session {
    config: SessionConfig,
    kind: SamplerKind,
    timer: &'static str,
    worker: Worker,
    started: Nanos,
    start_time_ns: i64,
    /// When the program ended, if that was noted.
    program_ended: Option<Ended>,
}

/// What a session has collected, not named yet.
pub struct Collected {
    /// How it was collected.
    pub config: SessionConfig,
    /// How stacks were taken.
    pub kind: SamplerKind,
    /// What ticked: `perf`, `timer`, `thread` or `manual`.
    pub timer: &'static str,
    /// When it started, in nanoseconds since 1970.
    pub start_time_ns: i64,
    /// How long it took so far.
    pub duration: Nanos,
    /// The aggregated samples.
    pub snapshot: Snapshot,
    /// The native functions in them: that of number 1 is the first.
    pub natives: Vec<NativeFunction>,
    /// What was lost before aggregation.
    pub drops: Drops,
    /// Sampling callbacks.
    pub sampling_count: u64,
    /// Their time.
    pub sampling_time: Nanos,
    /// Ticks.
    pub trigger_count: u64,
    /// Threads.
    pub thread_count: u64,
}

/// Why a session cannot start, in one sentence.
pub type StartError = String;

/// Whether a session runs.
pub fn is_running() -> bool {
    lock(&SESSION).is_some()
}

/// Starts a session.
pub fn start(ruby: &Ruby, config: SessionConfig) -> Result<(), StartError> {
    // Asking for the threads may run Ruby code: before the session is locked.
    let threads = RubyThread::all(ruby);
    let mut session = lock(&SESSION);
    if session.is_some() {
        return Err("profiling is already running: stop it before starting again".to_owned());
    }
    if !sampler::prepare_ring() {
        return Err(
            "there is no memory for the buffer of ticks: free some, or raise the limit of address space"
                .to_owned(),
        );
    }
    let plan = Plan::make(&config)?;
    let watched = matches!(plan.ticker, Ticker::TaskClocks(_)) && config.mode == Mode::Wall;
    let native = config.native && plan.kind == SamplerKind::Tick;
    let store = Store::new(Aggregator::new(config.aggregate, Limits::default()), native);
    let (worker, ends) = Worker::start(plan.ticker, config.period(), store).map_err(|error| {
        format!("the profiler's thread cannot be started ({error}): raise the limit of threads")
    })?;
    *sampler() =
        Some(Sampler::new(plan.kind, config.mode, watched, native, ends.to_worker, ends.from_worker));
    handoff::set_waker(Some(worker.waker()));
    gc::reset();
    LIVE.set_native(native, config.mode == Mode::Cpu);
    LIVE.begin(watched);
    boundary::reset();
    thread_events::add(ruby, gvl::HOOKS);
    gc_events::enable(ruby, gc::on_gc);
    adopt_threads(ruby, &threads);
    // On a busy machine it has found nobody for so long that it rests already.
    gvl::wake_idle_worker();
    let (started, start_time_ns) = (clock::monotonic(), clock::realtime_ns());
    *session = Some(Session {
        config,
        kind: plan.kind,
        timer: plan.timer,
        worker,
        started,
        start_time_ns,
        program_ended: None,
    });
    Ok(())
}

/// Gives a slot to every thread that lives: the calling one runs, all others are off the GVL.
fn adopt_threads(ruby: &Ruby, threads: &[RubyThread]) {
    let current = RubyThread::current(Gvl::of(ruby));
    for thread in threads.iter().copied() {
        let wall = clock::monotonic();
        if let Some(sampler) = sampler().as_mut() {
            let slot = sampler.adopt(thread.structure(), thread != current, wall, clock::thread_cpu());
            thread.set_slot(Some(slot));
            if thread == current {
                gvl::enter(Gvl::of(ruby), slot, None);
                // Opening its task clock took time that is not the program's.
                slot.state().clock.restart(clock::monotonic(), clock::thread_cpu());
            }
        }
    }
}

/// Notes that the program has ended, and that the calling thread is about to stop the session: what it runs until then
/// is nobody's time, and what is open belongs to the last stack that was sampled.
pub fn note_program_end() {
    if let Some(session) = lock(&SESSION).as_mut() {
        session.program_ended = Some(Ended::now());
    }
}

/// Stops the session; `None` when none runs. The frames stay in the sampler until [`forget`].
pub fn stop(ruby: &Ruby) -> Option<Collected> {
    let session = lock(&SESSION).take()?;
    let ended = session.program_ended.unwrap_or_else(Ended::now);
    let own_stack =
        if session.program_ended.is_some() { ClosingStack::LastSample } else { ClosingStack::Standing };
    let gvl = Gvl::of(ruby);
    let current = RubyThread::current(gvl);
    if let (Some(slot), Some(sampler)) = (current.slot::<ThreadSlot>(), sampler().as_mut()) {
        slot.set_running(false);
        sampler.drain(gvl, slot);
    }
    LIVE.end();
    task_clocks::disable();
    gc_events::disable(ruby);
    thread_events::remove(ruby);
    let duration = ended.wall - session.started;
    close_threads(ruby, current, &ended, own_stack);
    handoff::set_waker(None);
    let last = sampler().as_mut().map(Sampler::take_buffer).unwrap_or_default();
    let Session { config, kind, timer, worker, start_time_ns, .. } = session;
    let store = worker.stop(last);
    let store = worker::lock(&store);
    let aggregated = (store.take_snapshot(), store.functions());
    collected(config, kind, timer, start_time_ns, duration, aggregated)
}

/// When the session ended: what the profiler does afterwards is nobody's time.
#[derive(Clone, Copy)]
struct Ended {
    wall: Nanos,
    /// The CPU clock of the thread that ended it.
    cpu: Nanos,
}

impl Ended {
    fn now() -> Self {
        Self { wall: clock::monotonic(), cpu: clock::thread_cpu() }
    }
}

/// Charges what is open in every thread, and gives the slots back.
fn close_threads(ruby: &Ruby, current: RubyThread, ended: &Ended, own_stack: ClosingStack) {
    let generation = LIVE.generation();
    for thread in RubyThread::all(ruby) {
        let slot = thread.slot::<ThreadSlot>().filter(|slot| slot.is_of(generation));
        if let (Some(slot), Some(sampler)) = (slot, sampler().as_mut()) {
            thread.set_slot::<ThreadSlot>(None);
            // Only the calling thread's frames can be walked by the public function.
            let others =
                if Layout::proved().is_some() { ClosingStack::Standing } else { ClosingStack::Unknown };
            let (stack, cpu) = if thread == current { (own_stack, Some(ended.cpu)) } else { (others, None) };
            sampler.close(Gvl::of(ruby), slot, stack, ended.wall, cpu);
            slot.release();
        }
    }
    if let Some(sampler) = sampler().as_mut() {
        sampler.drop_rests();
    }
    // What is left belongs to threads that are just ending.
    for slot in ThreadSlot::all().into_iter().filter(|slot| slot.is_of(generation)) {
        if let Some(sampler) = sampler().as_mut() {
            sampler.close(Gvl::of(ruby), slot, ClosingStack::Unknown, ended.wall, None);
        }
        slot.release();
    }
}

/// Takes a snapshot while the session goes on; `None` when none runs. With `clear` the next one starts from here.
pub fn snapshot(ruby: &Ruby, clear: bool) -> Option<Collected> {
    let guard = lock(&SESSION);
    let session = guard.as_ref()?;
    let gvl = Gvl::of(ruby);
    if let (Some(slot), Some(sampler)) = (RubyThread::current(gvl).slot::<ThreadSlot>(), sampler().as_mut()) {
        sampler.drain(gvl, slot);
    }
    let rest = sampler().as_mut().map(Sampler::take_buffer).unwrap_or_default();
    let aggregated = {
        let mut store = session.worker.store();
        store.aggregate(&rest);
        let aggregated = (store.take_snapshot(), store.functions());
        if clear {
            store.clear();
        }
        aggregated
    };
    let duration = clock::monotonic() - session.started;
    let Session { config, kind, timer, start_time_ns, .. } = session;
    collected(config.clone(), *kind, timer, *start_time_ns, duration, aggregated)
}

/// A snapshot with what the sampler counted; `None` when there is no sampler.
fn collected(
    config: SessionConfig,
    kind: SamplerKind,
    timer: &'static str,
    start_time_ns: i64,
    duration: Nanos,
    (snapshot, natives): (Snapshot, Vec<NativeFunction>),
) -> Option<Collected> {
    let guard = sampler();
    let sampler = guard.as_ref()?;
    Some(Collected {
        config,
        kind,
        timer,
        start_time_ns,
        duration,
        snapshot,
        natives,
        drops: all_drops(sampler),
        sampling_count: sampler.sampling_count,
        sampling_time: sampler.sampling_time + handler_time(),
        trigger_count: LIVE.ticks.load(std::sync::atomic::Ordering::Relaxed),
        thread_count: sampler.thread_count(),
    })
}

fn handler_time() -> Nanos {
    Nanos(LIVE.handler_time.load(std::sync::atomic::Ordering::Relaxed))
}

fn all_drops(sampler: &Sampler) -> Drops {
    let mut drops = sampler.drops.clone();
    for (cause, counter) in [
        (DropCause::RingFull, &LIVE.ring_full),
        (DropCause::Unreadable, &LIVE.unreadable),
        (DropCause::StraySignal, &LIVE.strays),
    ] {
        drops.add(cause, counter.load(std::sync::atomic::Ordering::Relaxed), Nanos::ZERO);
    }
    drops.add(DropCause::InternalError, boundary::panics(), Nanos::ZERO);
    drops
}

/// A copy of the captured frames.
pub fn frames() -> FrameTable {
    sampler().as_ref().map_or_else(|| FrameTable::new(0), |sampler| sampler.frames.clone())
}

/// Drops what [`stop`] left: call it once the frames have been named.
pub fn forget() {
    let ended = sampler().take();
    drop(ended);
}

/// Sets the label set of the calling thread. Nothing happens when no session runs.
pub fn set_labels(ruby: &Ruby, labels: u32) {
    if let Some(slot) = current_slot(ruby) {
        slot.set_labels(rperf_core::ids::LabelSetId(labels));
    }
}

/// The label set of the calling thread.
pub fn labels(ruby: &Ruby) -> u32 {
    current_slot(ruby).map_or(0, |slot| slot.labels().0)
}

fn current_slot(ruby: &Ruby) -> Option<&'static ThreadSlot> {
    if !LIVE.is_on() {
        return None;
    }
    RubyThread::current(Gvl::of(ruby)).slot::<ThreadSlot>().filter(|slot| slot.is_of(LIVE.generation()))
}

/// Abandons the parent's session in a forked child.
fn abandon() {
    if let Ok(mut session) = SESSION.try_lock() {
        std::mem::forget(session.take());
    }
}

/// The safepoint's job, registered once at load.
pub const ON_SAFEPOINT: fn(Gvl<'_>) = safepoint::on_safepoint;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
