//! Data that a session, or a period of it, has collected: samples, labels and counters.

use std::os::unix::process::parent_id;
use std::process::id;
use std::sync::Arc;

use rperf_core::collect::{DropCause, PeriodStart, Snapshot};
use rperf_core::profile::{Process, Thread};
use rperf_core::state::{ByClock, Mode};
use rperf_core::time::Nanos;
use rperf_core::work::Ledger;

use super::labels::LabelSets;
use super::ledgers;
use super::note_names;
use super::totals::{self, Totals};
use crate::config::EngineKind;
use crate::config::SessionConfig;
use crate::engine::native_leaves::NativeShares;
use crate::memory::watch::ObjectCounts;
use crate::os::{clock, process};
use crate::roots::KeptFrames;
use crate::sampler::{Counted, Names, ObjectFigures, Sampler, sampler};
use crate::threads::record::ThreadRecord;
use crate::threads::session_state::Counter;
use crate::vm::boundary;
use crate::vm::context::Gvl;

/// Settings of a session.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Configuration as given to `start`.
    pub config: SessionConfig,
    /// Engine that takes stacks at ticks.
    pub engine: EngineKind,
    /// Engine that sees objects.
    pub watch: EngineKind,
    /// Whether native instructions are probed.
    pub probing: bool,
    /// Number of other Ractors when the session began: the VM lists none of their threads.
    pub other_ractors: u64,
}

impl Settings {
    /// Returns whether samples of a mode have a second value: the waiting for the GVL that they
    /// caused. It needs ticks that find the thread that has the GVL.
    pub fn blames(&self, mode: Mode) -> bool {
        self.config.blame && mode == Mode::Wall && self.engine == EngineKind::Poll
    }
}

/// The time since the session began, or since the last snapshot that cleared.
#[derive(Clone, Copy, Debug)]
pub struct Period {
    started: Nanos,
    start: PeriodStart,
    /// Reading of the sampling thread's CPU clock at its start.
    sampling_cpu: Nanos,
    /// Numbers of objects at its start.
    objects: ObjectCounts,
}

impl Period {
    /// Begins the first period.
    pub fn begin(started: Nanos, sampling_cpu: Nanos, objects: ObjectCounts) -> Self {
        Self { started, start: PeriodStart::first(clock::realtime_at(started)), sampling_cpu, objects }
    }

    /// Ends the period at `now`.
    pub fn end(self, now: Nanos, sampling_cpu: Nanos, objects: ObjectCounts) -> EndedPeriod {
        EndedPeriod { period: self, now, sampling_cpu, objects, births: None }
    }
}

/// A period that ends now.
#[derive(Clone, Copy, Debug)]
pub struct EndedPeriod {
    period: Period,
    now: Nanos,
    sampling_cpu: Nanos,
    objects: ObjectCounts,
    births: Option<Births>,
}

/// Range of moments, both included, in nanoseconds since the period's start: objects that were
/// sampled in it are wanted. `None`: the range has no limit on that side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Births {
    /// First moment.
    pub from: Option<i64>,
    /// Last moment.
    pub till: Option<i64>,
}

impl Births {
    fn have(self, moment: i64) -> bool {
        self.from.is_none_or(|from| from <= moment) && self.till.is_none_or(|till| moment <= till)
    }
}

impl EndedPeriod {
    /// Restricts the data to what is in use of objects that were sampled between two moments, in
    /// nanoseconds since 1970.
    pub fn of_births(self, [from, till]: [Option<i64>; 2]) -> Self {
        let start = clock::realtime_at(self.period.started);
        let since_start = |moment: i64| moment.saturating_sub(start);
        Self { births: Some(Births { from: from.map(since_start), till: till.map(since_start) }), ..self }
    }

    /// Returns whether an object that was sampled at this moment is wanted.
    fn wants(&self, sampled: Nanos) -> bool {
        self.births.is_none_or(|births| births.have(since(sampled, self.period.started)))
    }

    /// Returns the period that follows.
    pub fn next(&self) -> Period {
        let Self { period, now, sampling_cpu, objects, .. } = *self;
        let ended = period.start.time_ns.saturating_add_unsigned((now - period.started).0);
        let start = PeriodStart::next(ended, clock::realtime_at(now));
        Period { started: now, start, sampling_cpu, objects }
    }

    /// Returns the number of objects allocated in the period, as the VM counts them; as the watch
    /// has seen them where the VM has also counted objects that only moved.
    pub fn objects_allocated(&self) -> u64 {
        let before = self.period.objects;
        if self.objects.faults == before.faults {
            self.objects.allocated - before.allocated
        } else {
            self.objects_seen()
        }
    }

    /// Returns the number of allocated objects that the watch has not seen.
    pub fn objects_not_seen(&self) -> u64 {
        self.objects_allocated().saturating_sub(self.objects_seen())
    }

    fn objects_seen(&self) -> u64 {
        self.objects.seen.wrapping_sub(self.period.objects.seen)
    }
}

/// Returns the nanoseconds from `start` to `moment`; negative where `moment` is earlier.
fn since(moment: Nanos, start: Nanos) -> i64 {
    moment.0 as i64 - start.0 as i64
}

/// Data that a period has collected, without names.
pub struct Collected {
    /// Settings of the session.
    pub settings: Settings,
    /// Start of the period, on the wall clock.
    pub started: Nanos,
    /// Start of the period, by the real-time clock.
    pub start: PeriodStart,
    /// Duration of the period so far.
    pub duration: Nanos,
    /// The aggregated samples.
    pub snapshot: Snapshot,
    /// The frames in the samples, by number.
    pub frames: KeptFrames,
    /// The names of frames and kinds of objects that have a name in place of words.
    pub names: Names,
    /// Whether the period is over.
    pub is_over: bool,
    /// Whether the sampler wants the names of the frames and kinds, once they are known.
    pub wants_names: bool,
    /// The native functions of leaf frames.
    pub natives: NativeShares,
    /// The label sets that the samples refer to.
    pub labels: LabelSets,
    /// The units of work that have ended in the period.
    pub ledger: Arc<Ledger>,
    /// Counters of samples of time, by each clock.
    pub times: ByClock<Counted>,
    /// Counters of samples of values.
    pub values: Counted,
    /// CPU time of the sampling thread and of the native probe's handler.
    pub sampling_time: Nanos,
    /// CPU time that hooks and the mark function took from the program's threads.
    pub hook_time: Nanos,
    /// Number of ticks.
    pub ticks: u64,
    /// Number of objects that were allocated, as the VM counts them.
    pub allocated: u64,
    /// Number of ticks whose callers were in doubt, and were cut off.
    pub cut_count: u64,
    /// Moments at which its objects were sampled, if not all are in it.
    pub births: Option<Births>,
    /// Figures of sampled objects, where they were watched.
    pub object_figures: Option<ObjectFigures>,
    /// Number of threads.
    pub thread_count: u64,
    /// Data of the threads, sorted by their numbers. They have no process here.
    pub threads: Vec<Thread>,
    /// This process.
    pub process: Process,
}

impl Collected {
    /// Brings samples that were merged into an order that depends only on them.
    pub fn sort(&mut self) {
        let config = &self.settings.config;
        for mode in config.modes.iter().filter(|mode| config.merges_samples(**mode)) {
            match mode.clock() {
                Some(clock) => self.snapshot.times[clock].sort_unstable_by_key(|sample| sample.key),
                None => self.snapshot.values.sort_unstable_by_key(|sample| sample.key),
            }
        }
    }

    /// Returns the counters of the samples of a mode.
    pub fn counted(&self, mode: Mode) -> &Counted {
        mode.clock().map_or(&self.values, |clock| &self.times[clock])
    }
}

/// Next step after data have been collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// The period goes on.
    Same,
    /// Another period begins.
    Period,
    /// The session has ended.
    Nothing,
}

/// Returns everything that was collected in a period; `None` when there is no sampler. `next`: the
/// next step.
pub fn collect(
    gvl: Gvl<'_>,
    settings: &Settings,
    ended: &EndedPeriod,
    labels: LabelSets,
    next: Next,
) -> Option<Collected> {
    let (clear, period) = (next == Next::Period, ended.period);
    let natives = crate::engine::native_leaves::shares(clear);
    let living = ThreadRecord::all_known();
    let mut guard = sampler();
    let sampler = guard.as_mut()?;
    let duration = ended.now - period.started;
    let mut snapshot = if next == Next::Same {
        sampler.take_snapshot()
    } else {
        sampler.charge_placed();
        sampler.drain()
    };
    snapshot.in_use = sampler.in_use(|sampled| ended.wants(sampled), ended.now, duration);
    if ended.births.is_some() {
        snapshot.values.clear();
    }
    let failed = boundary::panics();
    if clear {
        boundary::reset();
    }
    let times = times_counted(sampler, &natives, failed, clear);
    let values = values_counted(sampler, ended, failed, clear);
    let (names, object_figures) = (sampler.names(), sampler.object_figures());
    // After the samples: threads of other Ractors go on meanwhile, and a thread in a sample may
    // have got its name just before.
    note_names(gvl, &living);
    let (thread_count, threads) = (sampler.thread_count(), sampler.threads(gvl, &living));
    let wants_names = clear && sampler.watches_objects();
    let (frames, stacks) = match next {
        Next::Same => sampler.tables(),
        Next::Period => sampler.begin_period(living.len()),
        Next::Nothing => sampler.take_tables(),
    };
    snapshot.stacks = stacks;
    let collected = Collected {
        settings: settings.clone(),
        started: period.started,
        start: period.start,
        duration,
        times,
        values,
        snapshot,
        frames: KeptFrames::new(frames),
        names,
        is_over: next != Next::Same,
        wants_names,
        labels,
        ledger: Arc::new(ledgers::of_period(next != Next::Same)),
        natives,
        sampling_time: sampling_time(ended, clear),
        hook_time: Nanos(Counter::HookTime.read(clear)),
        ticks: Counter::Ticks.read(clear),
        allocated: ended.objects_allocated(),
        cut_count: Counter::Cut.read(clear),
        births: ended.births,
        object_figures,
        thread_count,
        threads,
        process: Process { pid: id(), ppid: parent_id(), command: process::command() },
    };
    if collected.is_over {
        let Collected { times, values, sampling_time, hook_time, .. } = &collected;
        totals::add(&Totals::new(times, values, *sampling_time, *hook_time));
    }
    Some(collected)
}

/// Returns the counters of a period so far, without those known only at its end; `None` when there
/// is no sampler.
pub fn so_far(ended: &EndedPeriod) -> Option<Totals> {
    let (guard, failed) = (sampler(), boundary::panics());
    let sampler = guard.as_ref()?;
    let times = times_counted(sampler, &NativeShares::default(), failed, false);
    let values = values_counted(sampler, ended, failed, false);
    let hook_time = Nanos(Counter::HookTime.read(false));
    Some(Totals::new(&times, &values, sampling_time(ended, false), hook_time))
}

/// Returns the CPU time of the sampling thread and of the native probe's handler.
fn sampling_time(ended: &EndedPeriod, clear: bool) -> Nanos {
    ended.sampling_cpu - ended.period.sampling_cpu + Nanos(Counter::HandlerTime.read(clear))
}

/// Returns the counters of times. `failed`: number of failures, whichever samples they concern.
fn times_counted(sampler: &Sampler, natives: &NativeShares, failed: u64, clear: bool) -> ByClock<Counted> {
    let mut times = sampler.times_counted();
    for (cause, count) in [
        (DropCause::ProbeFull, Counter::ProbeFull.read(clear)),
        (DropCause::Unreadable, Counter::Unreadable.read(clear)),
        (DropCause::StraySignal, Counter::Strays.read(clear)),
        (DropCause::UnknownNative, natives.unknown),
        (DropCause::InternalError, failed),
    ] {
        times.iter_mut().for_each(|times| times.drops.add(cause, count, Nanos::ZERO));
    }
    times
}

fn values_counted(sampler: &Sampler, ended: &EndedPeriod, failed: u64, clear: bool) -> Counted {
    let mut values = sampler.values_counted();
    values.drops.add(DropCause::InternalError, failed, Nanos::ZERO);
    values.drops.add(DropCause::Busy, Counter::Busy.read(clear), Nanos::ZERO);
    values.drops.add(DropCause::NotSeen, ended.objects_not_seen(), Nanos::ZERO);
    values
}
