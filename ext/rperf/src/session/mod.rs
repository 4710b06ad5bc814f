//! The session: one start, one stop, and what lives in between.
//!
//! Start order: configuration, memory, signal action, worker, hooks, tick source. Stop order: the reverse, then
//! the last samples, and only then names.

mod collected;
pub mod defer;
pub mod fork;
pub mod labels;
mod plan;

use std::sync::{Mutex, MutexGuard, PoisonError};

use magnus::Ruby;
use rperf_core::collect::{Aggregator, Limits};
use rperf_core::state::Mode;
use rperf_core::time::Nanos;

use crate::config::SessionConfig;
use crate::handoff;
use crate::hooks::gvl::GvlHooks;
use crate::hooks::{gc, gvl, safepoint};
use crate::os::{clock, quick_clock};
use crate::sampler::{self, ClosingStack, Sampler, SamplerKind, sampler};
use crate::store::Store;
use crate::threads::live::LIVE;
use crate::threads::native_thread::NativeThread;
use crate::threads::slot::ThreadSlot;
use crate::threads::task_clocks;
use crate::vm::context::Gvl;
use crate::vm::layout::Layout;
use crate::vm::threads::RubyThread;
use crate::vm::{boundary, gc_events, ractors, root_stack, thread_events};
use crate::worker::{Ticker, Worker};

use collected::Period;
pub use collected::{Collected, Settings};
use plan::Plan;

static SESSION: Mutex<Option<Session>> = Mutex::new(None);

/// A running session.
struct Session {
    settings: Settings,
    worker: Worker,
    period: Period,
    /// When the program ended, if that was noted.
    program_ended: Option<Ended>,
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
    let (worker, exchange) = Worker::start(plan.ticker, config.period(), store).map_err(|error| {
        format!("the profiler's thread cannot be started ({error}): raise the limit of threads")
    })?;
    *sampler() = Some(Sampler::new(plan.kind, &config, watched, native, exchange));
    labels::begin(Gvl::of(ruby));
    handoff::set_bell(Some(worker.bell()));
    gc::reset();
    quick_clock::prepare();
    LIVE.set_native(native, config.mode == Mode::Cpu);
    LIVE.begin(config.mode, late_resumes(&config, native), watched, config.defer);
    boundary::reset();
    thread_events::add::<GvlHooks>(ruby, config.mode == Mode::Wall);
    gc_events::enable(ruby, gc::on_gc);
    let started = adopt_threads(ruby, &threads);
    // On a busy machine it has found nobody for so long that it rests already.
    handoff::wake_resting_worker();
    let settings = Settings { config, kind: plan.kind, timer: plan.timer };
    *session = Some(Session { settings, worker, period: Period::begin(started), program_ended: None });
    Ok(())
}

/// Whether ends of suspensions may be told later. Samples that are kept in their order are taken at once, and native
/// functions are looked for when a thread comes back; for the rest see [`Live::tell_at_once`](crate::threads::live::Live).
fn late_resumes(config: &SessionConfig, native: bool) -> bool {
    !native && config.aggregate && !task_clocks::in_use() && ractors::only_main()
}

/// Gives a slot to every thread that lives: the calling one runs, all others are off the GVL. Returns since when the
/// calling thread's time counts.
fn adopt_threads(ruby: &Ruby, threads: &[RubyThread]) -> Nanos {
    let current = RubyThread::current(Gvl::of(ruby));
    let mut started = clock::monotonic();
    if LIVE.is_deferred() {
        return started;
    }
    for thread in threads.iter().copied() {
        let slot = adopt(thread, thread != current, clock::monotonic());
        if let Some(slot) = slot.filter(|_| thread == current) {
            let state = &mut *slot.state();
            gvl::enter(Gvl::of(ruby), slot, state, None);
            // Opening its task clock took time that is not the program's.
            started = clock::monotonic();
            state.clock.restart(started, clock::thread_cpu());
        }
    }
    started
}

/// Gives a slot to a thread.
fn adopt(thread: RubyThread, suspended: bool, wall: Nanos) -> Option<&'static ThreadSlot> {
    let mut guard = sampler();
    let slot = guard.as_mut()?.adopt(thread.structure(), suspended, wall, clock::thread_cpu());
    thread.set_slot(Some(slot));
    Some(slot)
}

/// Notes that the program has ended, and that the calling thread is about to stop the session: what it runs until then
/// is nobody's time, and no tick meets it. What is open belongs to the last stack that was sampled.
pub fn note_program_end(ruby: &Ruby) {
    let now = Ended::now();
    let Some(ended) = lock(&SESSION).as_mut().map(|session| *session.program_ended.get_or_insert(now)) else {
        return;
    };
    if let Some(slot) = known_slot(ruby) {
        defer::park(ruby, slot, ended.wall, ended.cpu);
    }
}

/// Stops the session; `None` when none runs.
pub fn stop(ruby: &Ruby) -> Option<Collected> {
    let session = lock(&SESSION).take()?;
    let ended = session.program_ended.unwrap_or_else(Ended::now);
    let gvl = Gvl::of(ruby);
    let current = RubyThread::current(gvl);
    let slot = current.slot::<ThreadSlot>().filter(|slot| slot.is_of(LIVE.generation()));
    if let (Some(slot), Some(sampler)) = (slot, sampler().as_mut()) {
        slot.set_running(false);
        sampler.drain(gvl, slot);
    }
    LIVE.end();
    // Before threads can end unheard.
    root_stack::wait_for_lookers();
    task_clocks::disable();
    gc_events::disable(ruby);
    thread_events::remove(ruby);
    // As it stands it does nothing but stop the session. (Where each sample is kept, no tick is said to have been there.)
    let merges = session.settings.config.aggregate;
    let own_stack = if merges { ClosingStack::LastSample } else { ClosingStack::Standing };
    close_threads(ruby, current, &ended, own_stack);
    handoff::set_bell(None);
    let intake = session.worker.stop();
    let aggregated = collected::aggregate(&intake, false)?;
    let collected = collected::collect(
        &session.settings,
        &session.period,
        ended.wall,
        aggregated,
        labels::end(gvl),
        false,
    );
    let sampler = sampler().take();
    drop(sampler);
    collected
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
///
/// `own_stack`: what the calling thread is charged to.
fn close_threads(ruby: &Ruby, current: RubyThread, ended: &Ended, own_stack: ClosingStack) {
    let generation = LIVE.generation();
    for thread in RubyThread::all(ruby) {
        let slot = thread.slot::<ThreadSlot>().filter(|slot| slot.is_known_to(generation));
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
    for slot in ThreadSlot::all().into_iter().filter(|slot| slot.is_known_to(generation)) {
        if let Some(sampler) = sampler().as_mut() {
            sampler.close(Gvl::of(ruby), slot, ClosingStack::Unknown, ended.wall, None);
        }
        slot.release();
    }
}

/// Takes a snapshot while the session goes on; `None` when none runs. With `clear` the next one starts from here.
pub fn snapshot(ruby: &Ruby, clear: bool) -> Option<Collected> {
    // Asking for the threads may run Ruby code: before the session is locked.
    let threads = RubyThread::all(ruby);
    let mut guard = lock(&SESSION);
    let session = guard.as_mut()?;
    let gvl = Gvl::of(ruby);
    let now = clock::monotonic();
    cut_threads(gvl, session, &threads, now);
    let aggregated = collected::aggregate(session.worker.intake(), clear)?;
    let period = session.period;
    if clear {
        session.period = period.next(now);
    }
    let labels = labels::collect(gvl, clear);
    collected::collect(&session.settings, &period, now, aggregated, labels, clear)
}

/// Interprets what waits on the calling thread, and charges the others with their suspensions so far.
fn cut_threads(gvl: Gvl<'_>, session: &Session, threads: &[RubyThread], now: Nanos) {
    let current = RubyThread::current(gvl);
    let generation = LIVE.generation();
    let slot = current.slot::<ThreadSlot>().filter(|slot| slot.is_of(generation));
    if let (Some(slot), Some(sampler)) = (slot, sampler().as_mut()) {
        sampler.drain(gvl, slot);
    }
    // In cpu mode a suspension is charged with what the thread's CPU clock says at its end.
    if session.settings.config.mode == Mode::Wall && Layout::proved().is_some() {
        for thread in threads.iter().filter(|thread| **thread != current) {
            let slot = thread.slot::<ThreadSlot>().filter(|slot| slot.is_of(generation));
            if let (Some(slot), Some(sampler)) = (slot, sampler().as_mut()) {
                sampler.cut(gvl, slot, now);
            }
        }
    }
    charge_gathered(generation);
}

/// What threads have gathered belongs to the period that ends.
fn charge_gathered(generation: u64) {
    for slot in ThreadSlot::all().into_iter().filter(|slot| slot.is_known_to(generation)) {
        if let Some(sampler) = sampler().as_mut() {
            sampler.charge_gathered(&mut slot.state());
        }
    }
}

/// The slot of the calling thread in the running session, if it has one.
fn known_slot(ruby: &Ruby) -> Option<&'static ThreadSlot> {
    if !LIVE.is_on() {
        return None;
    }
    let of_session = |slot: &&'static ThreadSlot| slot.is_known_to(LIVE.generation());
    let asked = || RubyThread::current(Gvl::of(ruby)).slot::<ThreadSlot>().filter(of_session);
    // The native thread knows which thread it runs, unless that is paused; asking the VM takes longer.
    NativeThread::with(|native| native.slot.get()).flatten().filter(of_session).or_else(asked)
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
