//! The sampler: charges weights to stacks.
//!
//! Context: the sampling thread at a tick, and Ruby threads in GVL hooks, GC hooks and methods,
//! with the GVL. Its lock is held for microseconds, never while Ruby runs, and never taken in the
//! signal handler. The order of locks is sampler, then a thread's accounts.

mod ended_threads;
mod endings;
mod objects;
mod periods;
mod pieces;
mod short_threads;
mod stacks;
mod suspensions;
mod values;

use std::sync::{Mutex, MutexGuard, PoisonError};

use rperf_core::accounting::{Carry, Event, EventSink, Gaps, GcTimes, ThreadClock};
use rperf_core::collect::{
    Aggregator, CapturedFrame, DropCause, Drops, FrameTable, Labelling, ObjectKinds, SampleKey, Snapshot,
    StackTable, Time, Values,
};
use rperf_core::ids::{KindId, LabelSetId, StackId, ThreadSeq, WorkId};
use rperf_core::state::{Clock, VmState};
use rperf_core::time::Nanos;
use rperf_core::trace::TraceLine;

use crate::config::EngineKind;
use crate::config::SessionConfig;
use crate::os::clock;
use crate::threads::accounts::ThreadAccounts;
use crate::threads::record::ThreadRecord;
use crate::threads::session_flags::FLAGS;
use crate::threads::trace;
use crate::vm::context::Gvl;
use crate::vm::profile_frames::ProfileFrames;
use crate::vm::threads::ThreadStruct;
pub use ended_threads::EndedThread;
pub use endings::ClosingStack;
pub use objects::{ObjectFigures, Objects};
pub use periods::{KnownFrame, Learnt, Names};
pub use pieces::{Piece, sample_piece};
use short_threads::LastTick;
pub use stacks::has_no_frames;
pub use values::TooManyNames;

/// How many distinct frames a session may hold: each costs some 100 bytes and two marks in a
/// collection.
const FRAME_LIMIT: usize = 1 << 20;
/// How many distinct stacks, prefixes included: some 30 bytes each.
const STACK_LIMIT: usize = 8 << 20;
/// How many distinct samples, or raw ones: some 50 bytes each.
const SAMPLE_LIMIT: usize = 4 << 20;
/// How many kinds of objects: each keeps a class, which costs a mark in a collection.
const KIND_LIMIT: usize = 1 << 16;
/// GC steps shorter than this, in nanoseconds, are charged together with the next one: some
/// programs have tens of thousands of steps a second.
const GC_AT_LEAST: Nanos = Nanos(20_000);

static SAMPLER: Mutex<Option<Sampler>> = Mutex::new(None);

/// The data of a session.
pub struct Sampler {
    engine: EngineKind,
    /// None where samples are not times.
    clock: Option<Clock>,
    /// One of so many objects is sampled, and chance says which.
    interval: u64,
    gaps: Gaps,
    /// Whether short suspensions are charged together.
    merges: bool,
    frames: FrameTable,
    stacks: StackTable,
    aggregator: Aggregator,
    /// Samples that are not times, the kinds of objects in them, and what the program's own values
    /// are called.
    values: Aggregator<Values>,
    kinds: ObjectKinds,
    value_names: Vec<String>,
    /// Sampled objects that are watched.
    objects: Option<Objects>,
    /// Names of frames and kinds that are known by them, and of those that will be when the next
    /// period begins.
    names: Names,
    learnt: Learnt,
    carry: Carry,
    /// Of the short threads that have ended.
    last_tick: Option<LastTick>,
    times_counted: Counted,
    values_counted: Counted,
    walk: ProfileFrames,
    /// Room for the frames of a stack as it stands.
    scratch: Vec<CapturedFrame>,
    next_seq: u32,
    /// Threads that have ended, or whose records have been given back.
    ended: Vec<EndedThread>,
    /// How many threads had ended when the period began.
    gone: u32,
}

/// What is counted of samples: of times, or of values.
#[derive(Clone, Debug, Default)]
pub struct Counted {
    /// How many were taken.
    pub taken: u64,
    /// What was lost before aggregation, or did not fit.
    pub drops: Drops,
}

impl Counted {
    /// The same with what had no room.
    fn with(&self, unfitting: &Drops) -> Self {
        let mut counted = self.clone();
        counted.drops.merge(unfitting);
        counted
    }
}

/// A stack, or why there is none.
type StackResult = Result<StackId, DropCause>;

impl Sampler {
    /// An empty one. `objects`: what watches those that are sampled.
    pub fn new(engine: EngineKind, config: &SessionConfig, objects: Option<Objects>) -> Self {
        Self {
            engine,
            clock: config.clock(),
            interval: config.interval,
            gaps: Gaps::new(config.interval, config.seed()),
            merges: config.aggregate,
            frames: FrameTable::new(FRAME_LIMIT),
            stacks: StackTable::new(STACK_LIMIT),
            aggregator: Aggregator::new(config.aggregate && !config.timeline, SAMPLE_LIMIT),
            values: Aggregator::new(config.aggregate, SAMPLE_LIMIT),
            kinds: ObjectKinds::new(KIND_LIMIT),
            value_names: Vec::new(),
            objects,
            names: Names::default(),
            learnt: Learnt::default(),
            carry: Carry::default(),
            last_tick: None,
            times_counted: Counted::default(),
            values_counted: Counted::default(),
            walk: ProfileFrames::new(),
            scratch: Vec::with_capacity(256),
            next_seq: 1,
            ended: Vec::new(),
            gone: 0,
        }
    }

    /// The engine that takes stacks.
    pub fn engine(&self) -> EngineKind {
        self.engine
    }

    /// How many threads have been seen in this period.
    pub fn thread_count(&self) -> u64 {
        u64::from(self.next_seq - 1 - self.gone)
    }

    /// What was counted of samples of time.
    pub fn times_counted(&self) -> Counted {
        self.times_counted.with(self.aggregator.drops())
    }

    /// What was counted of samples of values.
    pub fn values_counted(&self) -> Counted {
        self.values_counted.with(self.values.drops())
    }

    /// How many entries each table has.
    pub fn table_sizes(&self) -> [(&'static str, usize); 6] {
        [
            ("frames", self.frames.frames().len()),
            ("stacks", self.stacks.nodes().len()),
            ("samples", self.aggregator.len() + self.values.len()),
            ("kinds", self.kinds.kinds().len()),
            ("live objects", self.live_objects()),
            ("ended threads", self.ended.len()),
        ]
    }

    /// A copy of everything so far.
    pub fn take_snapshot(&self) -> Snapshot {
        Snapshot {
            samples: self.aggregator.samples(),
            values: self.values.samples(),
            in_use: Vec::new(),
            kinds: self.kinds.kinds().to_vec(),
            value_names: self.value_names.clone(),
            stacks: self.stacks.nodes().clone(),
        }
    }

    /// The same at the end of the session: nothing is copied.
    pub fn drain(&mut self) -> Snapshot {
        Snapshot {
            samples: self.aggregator.drain(),
            values: self.values.drain(),
            in_use: Vec::new(),
            kinds: self.kinds.kinds().to_vec(),
            value_names: std::mem::take(&mut self.value_names),
            stacks: self.stacks.take_nodes(),
        }
    }

    /// The frames that snapshots refer to.
    pub fn frames(&self) -> &FrameTable {
        &self.frames
    }

    /// A record for a thread that is seen for the first time. `cpu` is its CPU clock where it is
    /// known.
    pub fn adopt(
        &mut self,
        structure: ThreadStruct,
        suspended: bool,
        wall: Nanos,
        cpu: Nanos,
    ) -> &'static ThreadRecord {
        let seq = ThreadSeq(self.next_seq);
        self.next_seq += 1;
        let clock = ThreadClock::running(self.clock.unwrap_or_default(), wall, cpu);
        let record = ThreadRecord::take(FLAGS.generation(), structure, seq, clock);
        record.accounts().happen(Event::Begin { suspended }, wall, cpu);
        record
    }

    /// Charges a stack, parts without weight left out. Of time in which the thread ran the last
    /// number is how many ticks have met it, else how many events it is. Of several parts, each
    /// ends where the next one begins, and the last one ends at `moment`.
    fn charge<const PARTS: usize>(
        &mut self,
        stack: StackResult,
        thread: ThreadSeq,
        labels: Labelling,
        charges: [(VmState, Nanos, u32); PARTS],
        moment: Nanos,
    ) {
        let mut later: Nanos = charges.iter().map(|(_, weight, _)| *weight).sum();
        for (state, weight, count) in charges.into_iter().filter(|(_, weight, _)| *weight > Nanos::ZERO) {
            later = later - weight;
            // A thread that begins has no frames yet: what it waits for is shown by itself.
            let beginning = stack == Err(DropCause::NoFrames) && state != VmState::Running;
            match if beginning { Ok(StackTable::EMPTY) } else { stack } {
                // What no tick has counted is a lost sample, too.
                Err(cause) => self.lose(cause, u64::from(count.max(1)), weight),
                Ok(stack) => {
                    let key = SampleKey { stack, state, thread, labels, kind: KindId::NONE };
                    let time = Time { weight, count: u64::from(count) };
                    let fits = self.aggregator.add(key, time, moment - later);
                    trace::write(|| match fits {
                        true => {
                            TraceLine::Charge { thread, stack: stack.0, labels: labels.set.0, state, weight }
                        }
                        false => TraceLine::lost(DropCause::StackLimit, weight),
                    });
                }
            }
        }
    }

    /// See [`Aggregator::settle`].
    pub fn settle(&mut self, work: WorkId, mut named: impl FnMut(LabelSetId) -> LabelSetId) {
        self.aggregator.settle(work, &mut named);
        self.values.settle(work, &mut named);
        self.settle_objects(work, named);
    }

    fn lose(&mut self, cause: DropCause, count: u64, weight: Nanos) {
        self.times_counted.drops.add(cause, count, weight);
        trace::write(|| TraceLine::lost(cause, weight));
    }

    /// A tick that stands for `covers` met the thread with these accounts. `clocks`: the wall
    /// clock, and the thread's CPU clock.
    pub fn tick(
        &mut self,
        accounts: &mut ThreadAccounts,
        stack: StackResult,
        labels: Labelling,
        clocks: [Nanos; 2],
        covers: Nanos,
    ) {
        self.times_counted.taken += 1;
        accounts.tick_count += 1;
        let weight = self.weigh(accounts, clocks, covers);
        accounts.last_stack = stack.unwrap_or(StackTable::EMPTY);
        accounts.last_labels = labels;
        let wall_mode = self.clock == Some(Clock::Wall) && stack.is_ok();
        let waited = if wall_mode { accounts.take_cpu_wait(weight) } else { Nanos::ZERO };
        let charges = [(VmState::CpuWait, waited, 1), (VmState::Running, weight - waited, 1)];
        self.charge(stack, accounts.seq, labels, charges, clocks[0]);
    }

    /// A sample at the safepoint, on the calling thread (the safepoint engine).
    pub fn sample_here(&mut self, gvl: Gvl<'_>, record: &'static ThreadRecord) {
        let clocks = [clock::monotonic(), clock::thread_cpu()];
        let stack = self.intern_public(gvl);
        let accounts = &mut *record.accounts();
        self.tick(accounts, stack, record.labels(), clocks, Nanos::ZERO);
    }

    /// A step of the collector ends on the thread of `record`, the calling one.
    pub fn gc_exit(&mut self, gvl: Gvl<'_>, record: &'static ThreadRecord, wall: Nanos, cpu: Nanos) {
        let accounts = &mut *record.accounts();
        let charged = accounts.happen(Event::GcExit { at_least: GC_AT_LEAST }, wall, cpu);
        self.charge_gc(gvl, record, accounts, charged.gc, wall);
    }

    /// Charges the collector's times, up to `wall`, to the stack that stands.
    fn charge_gc(
        &mut self,
        gvl: Gvl<'_>,
        record: &ThreadRecord,
        accounts: &mut ThreadAccounts,
        times: GcTimes,
        wall: Nanos,
    ) {
        if times != GcTimes::default() {
            let stack = self.intern_standing(gvl, record, accounts);
            let charges = [(VmState::GcMark, times.mark, 1), (VmState::GcSweep, times.sweep, 1)];
            self.charge(stack, accounts.seq, record.labels(), charges, wall);
        }
    }
}

/// Locks the session's sampler; `None` in it when no session runs.
pub fn sampler() -> MutexGuard<'static, Option<Sampler>> {
    SAMPLER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Abandons the sampler of the parent in a forked child, without running its destructor.
pub fn abandon() {
    if let Ok(mut sampler) = SAMPLER.try_lock() {
        std::mem::forget(sampler.take());
    }
}
