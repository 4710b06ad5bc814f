//! Data that a session, or a period of it, has collected: samples, labels and counters.

use std::os::unix::process::parent_id;
use std::process::id;
use std::sync::Arc;

use rperf_core::collect::{Counted, DropCause, Drops, Snapshot};
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
use crate::engine::native_leaves::{self, NativeShares};
use crate::memory::watch::ObjectCounts;
use crate::os::{clock, process};
use crate::roots::KeptFrames;
use crate::sampler::{Names, ObjectFigures, Sampler, sampler};
use crate::threads::record::ThreadRecord;
use crate::threads::session_state::Counter;
use crate::vm::boundary;
use crate::vm::context::Gvl;

/// Settings of a session.
#[derive(Clone, Debug)]
pub struct Settings {
    pub config: SessionConfig,
    /// Engine that takes stacks at ticks.
    pub engine: EngineKind,
    /// Engine that sees objects.
    pub watch: EngineKind,
    pub probing: bool,
    /// Number of other Ractors when the session began: the VM lists none of their threads.
    pub other_ractors: u64,
    /// See [`SamplingThread`](crate::engine::sampling_thread::SamplingThread).
    pub knows_states: bool,
}

impl Settings {
    /// Returns whether samples of a mode have a second value: the waiting for the GVL that they
    /// caused. It needs ticks that find the thread that has the GVL.
    pub fn blames(&self, mode: Mode) -> bool {
        self.config.blame && mode == Mode::Wall && self.engine == EngineKind::Poll
    }
}

/// Maximum difference between the real-time and the wall clock at the end of a period, in
/// nanoseconds: the real-time clock is slewed by up to 500 parts in a million (adjtimex(2)), 0.3 s
/// in ten minutes, and the two are read one after the other. Beyond that the real-time clock was
/// set, or the machine was suspended.
const CLOCK_SLACK_NS: u64 = 1_000_000_000;

/// Readings at the beginning or the end of a period.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    pub wall: Nanos,
    /// The sampling thread's CPU clock.
    pub sampling_cpu: Nanos,
    pub objects: ObjectCounts,
}

/// The time from the start of the session, or the last snapshot that cleared, to the last reading.
#[derive(Clone, Copy, Debug)]
pub struct Period {
    /// Its start, in nanoseconds since 1970.
    pub start_ns: i64,
    /// By how much the real-time clock was set, or the machine slept, before the start, in
    /// nanoseconds.
    pub moved_ns: i64,
    pub begun: Reading,
    ended: Reading,
    /// First and last moment at which objects in it were sampled, in nanoseconds since its start,
    /// if not all are in it. `None` in one of them: there is no limit on that side.
    pub births: Option<[Option<i64>; 2]>,
}

impl Period {
    /// Begins a period, by the real-time clock.
    pub fn begin(begun: Reading) -> Self {
        Self { start_ns: clock::realtime_at(begun.wall), moved_ns: 0, begun, ended: begun, births: None }
    }

    /// Returns the period as it ends now.
    pub fn end(self, ended: Reading) -> Self {
        Self { ended, ..self }
    }

    /// Restricts the data to what is in use of objects that were sampled between two moments, in
    /// nanoseconds since 1970.
    pub fn of_births(self, moments: [Option<i64>; 2]) -> Self {
        let start = clock::realtime_at(self.begun.wall);
        let since_start = |moment: i64| moment.saturating_sub(start);
        Self { births: Some(moments.map(|moment| moment.map(since_start))), ..self }
    }

    /// Returns whether an object that was sampled at this moment is wanted.
    fn wants(&self, sampled: Nanos) -> bool {
        let moment = sampled.0 as i64 - self.begun.wall.0 as i64;
        self.births.is_none_or(|[from, till]| {
            from.is_none_or(|from| from <= moment) && till.is_none_or(|till| moment <= till)
        })
    }

    pub fn duration(&self) -> Nanos {
        self.ended.wall - self.begun.wall
    }

    /// Returns the period that follows, to the nanosecond if the real-time clock was not set.
    pub fn next(&self) -> Self {
        let next = Self::begin(self.ended);
        let ended_ns = self.start_ns.saturating_add_unsigned(self.duration().0);
        let moved_ns = next.start_ns - ended_ns;
        if moved_ns.unsigned_abs() > CLOCK_SLACK_NS {
            Self { moved_ns, ..next }
        } else {
            Self { start_ns: ended_ns, ..next }
        }
    }

    /// Returns the number of objects allocated in the period, as the VM counts them; as the watch
    /// has seen them where the VM has also counted objects that only moved.
    pub fn objects_allocated(&self) -> u64 {
        let before = self.begun.objects;
        if self.ended.objects.faults == before.faults {
            self.ended.objects.allocated - before.allocated
        } else {
            self.objects_seen(0)
        }
    }

    /// Returns the number of allocated objects that the watch has not seen, at least.
    pub fn objects_not_seen(&self) -> u64 {
        self.objects_allocated().saturating_sub(self.objects_seen(1))
    }

    /// Returns the number of objects that the watch has seen from before the first reading to the
    /// moment before (`till` 0) or after (1) the last one.
    fn objects_seen(&self, till: usize) -> u64 {
        self.ended.objects.seen[till].wrapping_sub(self.begun.objects.seen[0])
    }
}

/// Counters of a period.
#[derive(Clone, Debug)]
pub struct Counts {
    pub times: ByClock<Counted>,
    pub values: Counted,
    /// CPU time of the sampling thread and of the native probe's handler.
    pub sampling_time: Nanos,
    /// CPU time that hooks and the mark function took from the program's threads.
    pub hook_time: Nanos,
}

impl Counts {
    /// Returns the counters so far. `unknown`: notes of the native probe whose function cannot be
    /// known. With `clear` the counters begin again at 0, those of the sampler excepted.
    fn read(sampler: &Sampler, period: &Period, unknown: u64, clear: bool) -> Self {
        // Failures are counted with all samples: they may concern any.
        let failed = boundary::panics(clear);
        let (mut times, mut values) = sampler.counted();
        for (cause, count) in [
            (DropCause::ProbeFull, Counter::ProbeFull.read(clear)),
            (DropCause::Unreadable, Counter::Unreadable.read(clear)),
            (DropCause::StraySignal, Counter::Strays.read(clear)),
            (DropCause::UnknownNative, unknown),
            (DropCause::InternalError, failed),
        ] {
            times.iter_mut().for_each(|times| times.drops.add(cause, count, Nanos::ZERO));
        }
        for (cause, count) in [
            (DropCause::InternalError, failed),
            (DropCause::Busy, Counter::Busy.read(clear)),
            (DropCause::NotSeen, period.objects_not_seen()),
        ] {
            values.drops.add(cause, count, Nanos::ZERO);
        }
        let sampling_cpu = period.ended.sampling_cpu - period.begun.sampling_cpu;
        let sampling_time = sampling_cpu + Nanos(Counter::HandlerTime.read(clear));
        Self { times, values, sampling_time, hook_time: Nanos(Counter::HookTime.read(clear)) }
    }

    /// Returns the totals. Failures are counted with samples of time, whatever failed.
    fn totals(&self) -> Totals {
        let mut drops = Drops::default();
        for (cause, _) in DropCause::ALL {
            let of_times = self.times.iter().map(|times| times.drops.count(cause)).max().unwrap_or_default();
            let of_values =
                if cause == DropCause::InternalError { 0 } else { self.values.drops.count(cause) };
            drops.add(cause, of_times + of_values, Nanos::ZERO);
        }
        Totals { sampling_time: self.sampling_time, hook_time: self.hook_time, drops }
    }
}

/// Data that a period has collected, without names.
pub struct Collected {
    pub settings: Settings,
    pub period: Period,
    pub snapshot: Snapshot,
    /// The frames in the samples, by number.
    pub frames: KeptFrames,
    /// The names of frames and kinds of objects that have a name in place of words.
    pub names: Names,
    pub is_over: bool,
    /// Whether the sampler wants the names of the frames and kinds, once they are known.
    pub wants_names: bool,
    pub natives: NativeShares,
    pub labels: LabelSets,
    pub ledger: Arc<Ledger>,
    pub counts: Counts,
    pub ticks: u64,
    /// Number of ticks whose callers were in doubt, and were cut off.
    pub cut_count: u64,
    /// Figures of sampled objects, where they were watched.
    pub object_figures: Option<ObjectFigures>,
    /// Data of the threads, sorted by their numbers. They have no process here.
    pub threads: Vec<Thread>,
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

    /// Returns the lengths of the samples' stacks, and 1 for each label set: the work to name them.
    pub fn work_lengths(&self) -> impl Iterator<Item = usize> {
        let stacks = self.snapshot.keys().map(|key| 1 + self.snapshot.stacks.frames(key.stack).count());
        stacks.chain(self.labels.without_work().map(|_| 1))
    }

    pub fn counted(&self, mode: Mode) -> &Counted {
        mode.clock().map_or(&self.counts.values, |clock| &self.counts.times[clock])
    }
}

/// Next step after data have been collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    Same,
    Period,
    Nothing,
}

/// Returns everything that was collected in a period; `None` when there is no sampler. `next`: the
/// next step.
pub fn collect(
    gvl: Gvl<'_>,
    settings: &Settings,
    period: Period,
    labels: LabelSets,
    next: Next,
) -> Option<Collected> {
    let (clear, is_over) = (next == Next::Period, next != Next::Same);
    let natives = native_leaves::shares(clear);
    let living = ThreadRecord::all_known();
    let mut guard = sampler();
    let sampler = guard.as_mut()?;
    let mut snapshot = sampler.snapshot(is_over);
    snapshot.in_use = sampler.in_use(|sampled| period.wants(sampled), period.ended.wall, period.duration());
    if period.births.is_some() {
        snapshot.values.clear();
    }
    let counts = Counts::read(sampler, &period, natives.unknown, clear);
    let (names, object_figures) = (sampler.names(), sampler.object_figures());
    // After the samples: threads of other Ractors go on meanwhile, and a thread in a sample may
    // have got its name just before.
    note_names(gvl, &living);
    let threads = sampler.threads(gvl, &living);
    let wants_names = clear && sampler.watches_objects();
    let (frames, stacks) = match next {
        Next::Same => sampler.tables(),
        Next::Period => sampler.begin_period(),
        Next::Nothing => sampler.take_tables(),
    };
    snapshot.stacks = stacks;
    if is_over {
        totals::add(&counts.totals());
    }
    Some(Collected {
        settings: settings.clone(),
        period,
        snapshot,
        frames: KeptFrames::new(frames),
        names,
        is_over,
        wants_names,
        natives,
        labels,
        ledger: Arc::new(ledgers::of_period(is_over)),
        counts,
        ticks: Counter::Ticks.read(clear),
        cut_count: Counter::Cut.read(clear),
        object_figures,
        threads,
        process: Process { pid: id(), ppid: parent_id(), command: process::command() },
    })
}

/// Returns the totals of a period so far, without the drops known only at its end; `None` when
/// there is no sampler.
pub fn so_far(period: &Period) -> Option<Totals> {
    sampler().as_ref().map(|sampler| Counts::read(sampler, period, 0, false).totals())
}
