//! The session: one start, one stop, and the data in between.
//!
//! Start order: configuration, sampling thread, sampler, hooks. Stop order (`guards`): watches,
//! sampling thread (joined), hooks, native probe; then the last samples, and only then names.

mod collected;
pub mod defer;
pub mod fork;
pub mod guards;
pub mod labels;
pub mod ledgers;
mod looking;
mod start_error;
pub mod totals;
pub mod wait_kinds;

use std::sync::atomic::Ordering;

use magnus::{Error, Ruby};
use rperf_core::accounting::Event;
use rperf_core::state::Mode;
use rperf_core::time::Nanos;

use crate::config::{EngineKind, SessionConfig};
use crate::engine::sampling_thread::{self, SamplingThread};
use crate::engine::{self, native_leaves};
use crate::hooks::{gvl, newobj};
use crate::memory::blocks;
use crate::memory::watch::Watch;
use crate::os::sync::Lock;
use crate::os::{clock, large_memory, mallocs};
use crate::sampler::{Sampler, TooManyNames, sampler};
use crate::threads::gvl_holder::HOLDER;
use crate::threads::hook_timer;
use crate::threads::native_thread::NativeThread;
use crate::threads::record::ThreadRecord;
use crate::threads::session_state::{Counter, FLAGS};
use crate::threads::trace::Tracing;
use crate::vm::allocations::DirectWatch;
use crate::vm::context::Gvl;
use crate::vm::layout::Layout;
use crate::vm::threads::{RubyThread, Threads};
use crate::vm::{boundary, ractors};

pub use collected::{Collected, Settings};
use collected::{Next, Period};
use guards::{Hooks, Probe, Running};
pub use start_error::{FOR_PROFILE, FOR_THREAD, NO_MEMORY, StartError};
pub use totals::Totals;

static SESSION: Lock<Option<Session>> = Lock::new(None);

struct Session {
    settings: Settings,
    running: Running,
    /// The trace, which ends when everything has been charged.
    trace: Tracing,
    period: Period,
}

/// Returns whether a session runs. Threads of any Ractor may ask: it takes no lock, since the
/// thread that holds the lock may wait until all other Ractors stand still.
pub fn is_running() -> bool {
    FLAGS.is_on()
}

fn config() -> Option<SessionConfig> {
    SESSION.lock().as_ref().map(|session| session.settings.config.clone())
}

/// Starts a session. `own`: threads that belong to rperf.
pub fn start(ruby: &Ruby, config: SessionConfig, own: &[RubyThread]) -> Result<(), StartError> {
    if is_running() {
        return Err(StartError::Running);
    }
    if large_memory::is_short(FOR_THREAD) {
        return Err(StartError::NoMemory);
    }
    // All of this may run Ruby code, and other threads, so it comes before the session is locked.
    looking::prepare(ruby, &config)?;
    let native_ids = Threads::all(ruby)?.native_ids(ruby)?;
    let other_ractors = ractors::others(ruby)?;
    let direct = config.direct.then(|| DirectWatch::begin(ruby, other_ractors));
    let direct = direct.transpose().map_err(StartError::NoWatch)?;
    // Last: a thread that ends before the hooks are there would keep its record for good.
    let threads = Threads::all(ruby)?;
    let mut session = SESSION.lock();
    if session.is_some() {
        return Err(StartError::Running);
    }
    let engine = engine::choose(&config);
    let trace = Tracing::begin(config.clocks(), engine.name(), config.period())
        .map_err(|(path, error)| StartError::NoTrace(path, error))?;
    let probe = Probe::enable(&config, engine)?;
    let ticks = engine != EngineKind::None && !config.manual;
    let sampling_thread =
        ticks.then(|| SamplingThread::start(engine, &config, probe.is_enabled())).transpose();
    let sampling_thread = sampling_thread.map_err(StartError::NoThread)?;
    *sampler() = Some(Sampler::new(engine, &config, looking::objects(ruby, &config)));
    native_leaves::begin(probe.is_enabled());
    labels::begin(&config);
    ledgers::begin();
    clock::thread_cpu_cost();
    HOLDER.clear();
    Counter::begin_all();
    hook_timer::begin_session();
    boundary::panics(true);
    let hooks = Hooks::add(ruby, &config);
    let with_id = |thread| (thread, native_ids.get(&thread).copied().unwrap_or_default());
    let started = adopt_threads(ruby, threads.iter().map(with_id), own);
    // On a busy machine the sampling thread may rest already, since it has found no thread.
    sampling_thread::wake_if_resting();
    let malloc = config.malloc.map(|malloc| guards::watch_malloc(&config, malloc)).transpose()?;
    let watch = config.watches().map(|_| Watch::begin(ruby, direct, newobj::on_due, newobj::next_gap));
    let running = Running { _malloc: malloc, watch, sampling_thread, _hooks: hooks, probe };
    let period = Period::begin(running.reading(ruby, started));
    let watch = running.watch.as_ref().map_or(EngineKind::None, Watch::engine);
    let probing = running.probe.is_enabled();
    let knows_states = running.sampling_thread.as_ref().is_none_or(|thread| thread.knows_states);
    let settings = Settings { config, engine, watch, probing, other_ractors, knows_states };
    *session = Some(Session { settings, running, trace, period });
    Ok(())
}

/// Gives a record to every living thread: the calling one runs, all others are off the GVL, and
/// rperf's `own` are parked. `threads`: with the system's numbers of their native threads. Returns
/// the moment from which the calling thread's time counts.
fn adopt_threads(ruby: &Ruby, threads: impl Iterator<Item = (RubyThread, i32)>, own: &[RubyThread]) -> Nanos {
    let current = RubyThread::current(Gvl::of(ruby));
    let mut started = clock::monotonic();
    if FLAGS.is_deferred() {
        return started;
    }
    for (thread, native_id) in threads {
        if own.contains(&thread) {
            let record = adopt_parked(thread);
            // By its native thread, allocations of the calling one are known as rperf's.
            if thread == current {
                NativeThread::with(|native| native.set_record(record));
            }
            continue;
        }
        let Some(record) = adopt(thread, thread != current) else { continue };
        record.tid.store(native_id, Ordering::Relaxed);
        if thread == current {
            let accounts = &mut *record.accounts();
            gvl::enter(Gvl::of(ruby), record, accounts);
            // Opening its task clock took time that is not the program's.
            started = clock::monotonic();
            accounts.happen(Event::Begin { suspended: false }, started, clock::thread_cpu());
        }
    }
    started
}

fn adopt(thread: RubyThread, suspended: bool) -> Option<&'static ThreadRecord> {
    Some(sampler().as_mut()?.adopt(thread, suspended))
}

/// Gives a record to a thread that is not profiled, or not yet: none of its time is charged.
fn adopt_parked(thread: RubyThread) -> Option<&'static ThreadRecord> {
    let record = adopt(thread, true)?;
    record.accounts().happen(Event::Pause, Nanos::ZERO, Nanos::ZERO);
    record.park();
    Some(record)
}

/// Stops the session; returns `None` when none runs. `collects`: whether a heap profile has a full
/// collection first; if it is not given, the session's configuration decides.
///
/// # Errors
/// The exception that interrupts the calling thread before the session has ended.
pub fn stop(ruby: &Ruby, collects: Option<bool>) -> Result<Option<Collected>, Error> {
    let Some(config) = config() else { return Ok(None) };
    let threads = Threads::all(ruby)?;
    let collects = collects.unwrap_or(config.collects);
    let gvl = Gvl::of(ruby);
    let current = RubyThread::current(gvl);
    // Later work of rperf is not the program's time.
    let ended @ [wall, _] = [clock::monotonic(), clock::thread_cpu()];
    if let Some(record) = ThreadRecord::of(current) {
        record.set_running(false, wall);
    }
    looking::look(ruby, &config, collects);
    // From here on no Ruby code and no other thread runs: an object born now would have no size.
    let Some(session) = SESSION.lock().take() else { return Ok(None) };
    let Session { settings, running, trace: _written_to_the_end, period } = session;
    let period = period.end(running.reading(ruby, wall));
    running.end(ThreadRecord::of(current));
    close_threads(gvl, &threads, ended);
    HOLDER.clear();
    let labels = labels::end();
    let collected = collected::collect(gvl, &settings, period, labels, Next::Nothing);
    native_leaves::begin(false);
    let sampler = sampler().take();
    drop(sampler);
    blocks::end();
    Ok(collected)
}

/// Changes the frequency of the running session. The times that hooks charge together stay: they
/// cost the same at any frequency.
pub fn set_frequency(frequency: u32) {
    if let Some(session) = SESSION.lock().as_mut() {
        let config = &mut session.settings.config;
        config.frequency = frequency;
        sampling_thread::set_period(config.period());
    }
}

/// Charges the open time of every thread, and gives the records back. The session `ended` when the
/// wall clock, and the calling thread's CPU clock, had these readings.
fn close_threads(gvl: Gvl<'_>, threads: &Threads, ended: [Nanos; 2]) {
    note_names(gvl, &ThreadRecord::all_known());
    let close = |record: &'static ThreadRecord, thread| {
        if let Some(sampler) = sampler().as_mut() {
            sampler.close(gvl, record, thread, ended);
        }
        record.release();
    };
    for thread in threads.iter() {
        if let Some(record) = ThreadRecord::known_of(thread) {
            thread.set_slot::<ThreadRecord>(None);
            close(record, Some(thread));
        }
    }
    if let Some(sampler) = sampler().as_mut() {
        sampler.drop_unplaced();
    }
    // The remaining records belong to threads that are just ending.
    for record in ThreadRecord::all_known() {
        close(record, None);
    }
}

/// Notes the names of these threads. A thread of another Ractor may change its name meanwhile: the
/// old one is freed by a collection only, for which that Ractor waits for this one.
fn note_names(gvl: Gvl<'_>, records: &[&ThreadRecord]) {
    records.iter().for_each(|record| record.name.set(record.structure().name(gvl)));
}

/// Takes a sample of the calling thread in a session of mode custom. Returns whether such a session
/// runs (and the thread is inside of a block, where that matters).
pub fn sample(ruby: &Ruby, weight: u64, named: &[(&str, u64)]) -> Result<bool, TooManyNames> {
    let Some(record) = known_record(ruby).filter(|record| !record.is_parked()) else { return Ok(false) };
    let mut sampler = sampler();
    // (Not the session's lock: its holder may wait until other Ractors stand still.)
    sampler.as_mut().map_or(Ok(false), |sampler| sampler.sample_custom(Gvl::of(ruby), record, weight, named))
}

/// Takes a snapshot while the session goes on; returns `None` when none runs. With `clear` the next
/// one starts from here. `collects`: see [`stop`]. `born`: two moments in nanoseconds since 1970;
/// the snapshot then has only what is in use of objects that were born between them.
///
/// # Errors
/// The exception that interrupts the calling thread before the snapshot.
pub fn snapshot(
    ruby: &Ruby,
    clear: bool,
    collects: bool,
    born: Option<[Option<i64>; 2]>,
) -> Result<Option<Collected>, Error> {
    let Some(config) = config() else { return Ok(None) };
    // Both may run Ruby code, so they come before the session is locked.
    let threads = Threads::all(ruby)?;
    looking::look(ruby, &config, collects);
    let mut guard = SESSION.lock();
    let Some(session) = guard.as_mut() else { return Ok(None) };
    let gvl = Gvl::of(ruby);
    let now = clock::monotonic();
    cut_threads(gvl, session, &threads, now, clear);
    mallocs::refresh();
    let ended = session.period.end(session.running.reading(ruby, now));
    if clear {
        session.period = ended.next();
    }
    let ended = born.map_or(ended, |moments| ended.of_births(moments));
    let labels = labels::collect(clear);
    let next = if clear { Next::Period } else { Next::Same };
    let collected = collected::collect(gvl, &session.settings, ended, labels, next);
    let (not_seen, allocated) = (ended.objects_not_seen(), ended.objects_allocated());
    if not_seen > 0
        && let Some(watch) = session.running.renew_watch(ruby, not_seen, allocated)
    {
        session.settings.watch = watch;
    }
    Ok(collected)
}

/// Returns the time that rperf has taken, and what it has lost, in this process so far.
pub fn totals(ruby: &Ruby) -> Totals {
    let guard = SESSION.lock();
    let so_far = guard.as_ref().and_then(|Session { running, period, .. }| {
        collected::so_far(&period.end(running.reading(ruby, clock::monotonic())))
    });
    so_far.unwrap_or_default().plus(&totals::past())
}

/// Returns the number of entries of each table of the session that grows with what the program
/// does; empty without a session.
pub fn table_sizes() -> Vec<(&'static str, usize)> {
    let tables = sampler().as_ref().map(Sampler::table_sizes).into_iter().flatten();
    let mut sizes: Vec<_> = tables.collect();
    if !sizes.is_empty() {
        sizes.extend(labels::table_sizes());
        sizes.push(("threads", ThreadRecord::all_known().len()));
    }
    sizes
}

/// Charges the other threads with their suspensions so far.
fn cut_threads(gvl: Gvl<'_>, session: &Session, threads: &Threads, now: Nanos, clear: bool) {
    let current = RubyThread::current(gvl);
    // In cpu mode a suspension is charged at its end, by the thread's CPU clock.
    if session.settings.config.samples(Mode::Wall) && Layout::proved().is_some() {
        for thread in threads.iter().filter(|thread| *thread != current) {
            if let (Some(record), Some(sampler)) = (ThreadRecord::of(thread), sampler().as_mut()) {
                sampler.cut(gvl, record, now);
            }
        }
    }
    // Time that threads have not been charged with belongs to the period that ends.
    for record in ThreadRecord::all_known() {
        if let Some(sampler) = sampler().as_mut() {
            let accounts = &mut *record.accounts();
            sampler.charge_rests(accounts);
            if clear {
                // The last stacks may be charged again, but their labels may be over.
                accounts.places().into_iter().for_each(|place| place.labels = record.labels());
            }
        }
    }
}

/// Leaves a living thread of rperf's own, not the calling one, out of the running session. The
/// thread may not have begun yet.
pub fn leave_out_thread(thread: RubyThread) {
    if FLAGS.is_on() && !FLAGS.is_deferred() {
        adopt_parked(thread);
    }
}

/// Returns the record of the calling thread in the running session, if it has one.
fn known_record(ruby: &Ruby) -> Option<&'static ThreadRecord> {
    if !FLAGS.is_on() {
        return None;
    }
    // The native thread knows which thread it runs, unless that thread is paused. Asking the VM
    // takes longer.
    ThreadRecord::known_here().or_else(|| ThreadRecord::known_of(RubyThread::current(Gvl::of(ruby))))
}

/// Guard: while it lives, allocations of the calling thread are rperf's own work.
#[derive(Debug)]
pub struct OwnWork(Option<&'static ThreadRecord>);

impl OwnWork {
    /// Begins rperf's own work. Its time is the program's, which has asked for it.
    pub fn begin(ruby: &Ruby) -> Self {
        Self(known_record(ruby).filter(|record| !record.own_work.swap(true, Ordering::Relaxed)))
    }
}

impl Drop for OwnWork {
    fn drop(&mut self) {
        self.0.into_iter().for_each(|record| record.own_work.store(false, Ordering::Relaxed));
    }
}

fn abandon() {
    let session = SESSION.try_lock().and_then(|mut session| session.take());
    if let Some(session) = session {
        session.running.watch.iter().for_each(Watch::abandon);
        std::mem::forget(session);
    }
}
