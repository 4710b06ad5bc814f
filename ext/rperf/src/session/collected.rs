//! What a session, or a period of it, has collected: samples, labels, and what was counted meanwhile.

use std::sync::atomic::{AtomicU64, Ordering};

use rperf_core::collect::{DropCause, Drops, Snapshot};
use rperf_core::native::NativeFunction;
use rperf_core::time::Nanos;

use super::labels::LabelSets;
use crate::config::SessionConfig;
use crate::handoff::Intake;
use crate::os::clock;
use crate::roots::KeptFrames;
use crate::sampler::{Sampler, SamplerKind, sampler};
use crate::threads::live::LIVE;
use crate::threads::slot::ThreadSlot;
use crate::vm::boundary;

/// How a session collects.
#[derive(Clone, Debug)]
pub struct Settings {
    /// As given to `start`.
    pub config: SessionConfig,
    /// How stacks are taken.
    pub kind: SamplerKind,
    /// What ticked first: `reader`, `perf`, `thread` or `manual`.
    pub timer: &'static str,
}

impl Settings {
    /// What ticked; `reader, then perf` where task clocks took over.
    pub fn ticked(&self) -> &'static str {
        if LIVE.clocks_took_over.load(Ordering::Relaxed) { "reader, then perf" } else { self.timer }
    }
}

/// The time since the session began, or since the last snapshot that cleared.
#[derive(Clone, Copy, Debug)]
pub struct Period {
    started: Nanos,
    start_time_ns: i64,
}

impl Period {
    /// The first, which began a moment ago.
    pub fn begin(started: Nanos) -> Self {
        Self { started, start_time_ns: clock::realtime_ns() }
    }

    /// The one that follows, from `now` on.
    pub fn next(&self, now: Nanos) -> Self {
        let start_time_ns = self.start_time_ns.saturating_add_unsigned((now - self.started).0);
        Self { started: now, start_time_ns }
    }
}

/// What a period has collected, not named yet.
pub struct Collected {
    /// How it was collected.
    pub settings: Settings,
    /// When the period began, in nanoseconds since 1970.
    pub start_time_ns: i64,
    /// How long it took so far.
    pub duration: Nanos,
    /// The aggregated samples.
    pub snapshot: Snapshot,
    /// The frames in them, by number.
    pub frames: KeptFrames,
    /// The native functions in them: that of number 1 is the first.
    pub natives: Vec<NativeFunction>,
    /// The label sets that they refer to.
    pub labels: LabelSets,
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

/// The samples of a period, and what they refer to.
pub struct Aggregated {
    snapshot: Snapshot,
    frames: KeptFrames,
    natives: Vec<NativeFunction>,
}

/// Everything that was sampled so far; `None` when there is no sampler. With `clear` the next period begins without it.
/// Meanwhile the sampler is locked: threads of other Ractors do not stop for a snapshot.
pub fn aggregate(intake: &Intake, clear: bool) -> Option<Aggregated> {
    let mut guard = sampler();
    let sampler = guard.as_mut()?;
    let rest = sampler.take_buffer();
    let mut store = intake.collect();
    store.aggregate(&rest);
    let snapshot = store.take_snapshot();
    let frames = KeptFrames::new(sampler.roots());
    if clear {
        store.clear();
        sampler.forget_frames(snapshot.samples.iter().map(|sample| &*sample.stack));
    }
    Some(Aggregated { snapshot, frames, natives: store.functions() })
}

/// Puts what was counted in a period beside its samples; `None` when there is no sampler. With `clear` the counters
/// begin anew.
pub fn collect(
    settings: &Settings,
    period: &Period,
    now: Nanos,
    Aggregated { snapshot, frames, natives }: Aggregated,
    labels: LabelSets,
    clear: bool,
) -> Option<Collected> {
    let living = ThreadSlot::all().into_iter().filter(|slot| slot.is_known_to(LIVE.generation())).count();
    let mut guard = sampler();
    let sampler = guard.as_mut()?;
    let collected = Collected {
        settings: settings.clone(),
        start_time_ns: period.start_time_ns,
        duration: now - period.started,
        snapshot,
        frames,
        natives,
        labels,
        drops: all_drops(sampler, clear),
        sampling_count: sampler.sampling_count,
        sampling_time: sampler.sampling_time + Nanos(read(&LIVE.handler_time, clear)),
        trigger_count: read(&LIVE.ticks, clear),
        thread_count: sampler.thread_count(),
    };
    if clear {
        sampler.begin_period(living);
    }
    Some(collected)
}

fn all_drops(sampler: &Sampler, clear: bool) -> Drops {
    let mut drops = sampler.drops.clone();
    for (cause, counter) in [
        (DropCause::RingFull, &LIVE.ring_full),
        (DropCause::Unreadable, &LIVE.unreadable),
        (DropCause::StraySignal, &LIVE.strays),
    ] {
        drops.add(cause, read(counter, clear), Nanos::ZERO);
    }
    let panics = boundary::panics();
    if clear {
        boundary::reset();
    }
    drops.add(DropCause::InternalError, panics, Nanos::ZERO);
    drops
}

/// The value of a counter, which others go on counting with.
fn read(counter: &AtomicU64, clear: bool) -> u64 {
    if clear { counter.swap(0, Ordering::Relaxed) } else { counter.load(Ordering::Relaxed) }
}
