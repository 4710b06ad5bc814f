//! The sampler: charges weights to stacks.
//!
//! Context: the sampling thread at a tick, and Ruby threads in GVL hooks, GC hooks and methods,
//! with the GVL. Its lock is held for microseconds, never while Ruby runs, and never taken in the
//! signal handler. The order of locks is sampler, then a thread's accounts.

mod blame;
mod ended_threads;
mod endings;
mod objects;
mod periods;
mod pieces;
mod stacks;
mod suspensions;
mod times;
mod values;

use rperf_core::accounting::{Event, Gaps, GcTimes, ThreadClock};
use rperf_core::collect::{
    Aggregator, DropCause, Drops, FrameTable, Labelling, Nodes, ObjectKinds, Snapshot, SnapshotSample,
    StackTable, Time, Values,
};
use rperf_core::ids::{LabelSetId, StackId, ThreadSeq, WorkId};
use rperf_core::state::{ByClock, Clock, Mode, VmState};
use rperf_core::time::Nanos;

use crate::config::EngineKind;
use crate::config::SessionConfig;
use crate::os::clock;
use crate::os::sync::{Lock, Locked};
use crate::threads::accounts::ThreadAccounts;
use crate::threads::record::ThreadRecord;
use crate::threads::session_state::FLAGS;
use crate::vm::context::Gvl;
use crate::vm::layout::ThreadStruct;
use crate::vm::profile_frames::ProfileFrames;
pub use ended_threads::EndedThread;
pub use endings::ClosingStack;
pub use objects::{ObjectFigures, Objects};
pub use periods::{KnownFrame, KnownNames, Names};
pub use pieces::{Piece, sample_piece};
pub use stacks::has_no_frames;
use times::{LastTick, Times};
pub use values::TooManyNames;

/// How many distinct frames a session may hold: each costs some 100 bytes and two marks in a
/// collection.
const FRAME_LIMIT: usize = 1 << 20;
/// How many distinct stacks, prefixes included: some 30 bytes each.
const STACK_LIMIT: usize = 8 << 20;
/// How many kinds of objects: each keeps a class, which costs a mark in a collection.
const KIND_LIMIT: usize = 1 << 16;
/// GC steps that together are shorter are charged with the next one: some programs have tens of
/// thousands of steps a second.
const GC: Together = Together { part: 50, least: 20_000, most: 200_000 };
/// Suspensions of a thread that are shorter are charged together, so much to one of their stacks,
/// and about one in so much time is measured by the CPU clock: some programs have hundreds of
/// thousands a second.
const SUSPENSIONS: Together = Together { part: 5, least: 200_000, most: 20_000_000 };

/// How much time is charged together: a part of the period between ticks, but at least and at most
/// so many nanoseconds.
struct Together {
    part: u64,
    least: u64,
    most: u64,
}

impl Together {
    fn of(&self, period: u64) -> Nanos {
        Nanos((period / self.part).clamp(self.least, self.most))
    }
}

pub static SAMPLER: Lock<Option<Sampler>> = Lock::new(None);

/// The data of a session.
pub struct Sampler {
    engine: EngineKind,
    /// One of so many objects is sampled, and chance says which.
    interval: u64,
    gaps: Gaps,
    /// Whether short suspensions are charged together.
    merges: bool,
    /// So much of them.
    suspensions: Nanos,
    /// The collector's time is charged when so much has come together.
    gc_at_least: Nanos,
    frames: FrameTable,
    stacks: StackTable,
    /// Samples of time, by each clock that the session samples.
    times: ByClock<Option<Times>>,
    /// Whether the program says what is sampled.
    custom: bool,
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
    known_names: KnownNames,
    /// Of the short threads that have ended.
    last_tick: Option<LastTick>,
    values_counted: Counted,
    walk: ProfileFrames,
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

/// A tick that met a thread.
#[derive(Clone, Copy, Debug)]
pub struct Tick {
    /// The wall clock.
    pub wall: Nanos,
    /// The thread's CPU clock.
    pub cpu: Nanos,
    /// What the tick stands for.
    pub span: ByClock<Nanos>,
    /// By which clocks it is charged.
    pub charged: ByClock<bool>,
    /// How long other threads waited for the GVL, where that is charged.
    pub caused: Nanos,
}

/// A stack, or why there is none.
type StackResult = Result<StackId, DropCause>;

impl Sampler {
    /// An empty one. `objects`: what watches those that are sampled.
    pub fn new(engine: EngineKind, config: &SessionConfig, objects: Option<Objects>) -> Self {
        let merges = config.aggregate && !config.timeline;
        // What keeps moments has them of the shortest times.
        let period = if merges { config.period() } else { 0 };
        Self {
            engine,
            interval: config.interval,
            gaps: Gaps::new(config.interval, config.seed()),
            merges: config.aggregate,
            suspensions: SUSPENSIONS.of(period),
            gc_at_least: GC.of(period),
            frames: FrameTable::new(FRAME_LIMIT),
            stacks: StackTable::new(STACK_LIMIT),
            times: ByClock::new(|clock| {
                config.clocks()[clock].then(|| Times::new(clock, merges, config.sample_limit))
            }),
            custom: config.samples(Mode::Custom),
            values: Aggregator::new(config.aggregate, config.sample_limit),
            kinds: ObjectKinds::new(KIND_LIMIT),
            value_names: Vec::new(),
            objects,
            names: Names::default(),
            known_names: KnownNames::default(),
            last_tick: None,
            values_counted: Counted::default(),
            walk: ProfileFrames::new(),
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
    pub fn times_counted(&self) -> ByClock<Counted> {
        self.times_by(Times::counted)
    }

    fn times_by<T: Default>(&self, of: impl Fn(&Times) -> T) -> ByClock<T> {
        ByClock::new(|clock| self.times[clock].as_ref().map(&of).unwrap_or_default())
    }

    /// Whether time is sampled.
    fn is_timed(&self) -> bool {
        self.times.iter().any(Option::is_some)
    }

    /// Whether the program says what is sampled.
    pub fn is_custom(&self) -> bool {
        self.custom
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
            (
                "samples",
                self.times.iter().flatten().map(|times| times.aggregator.len()).sum::<usize>()
                    + self.values.len(),
            ),
            ("kinds", self.kinds.kinds().len()),
            ("live objects", self.live_objects()),
            ("ended threads", self.ended.len()),
        ]
    }

    /// A copy of everything so far, but for the stacks: see [`tables`](Self::tables).
    pub fn take_snapshot(&self) -> Snapshot {
        Snapshot {
            times: self.times_by(|times| times.aggregator.samples()),
            values: self.values.samples(),
            kinds: self.kinds.kinds().to_vec(),
            value_names: self.value_names.clone(),
            ..Snapshot::default()
        }
    }

    /// The same without a copy, at the end of a period or of the session.
    pub fn drain(&mut self) -> Snapshot {
        Snapshot {
            times: ByClock::new(|clock| drained(&mut self.times[clock])),
            values: self.values.drain(),
            kinds: self.kinds.kinds().to_vec(),
            value_names: self.value_names.clone(),
            ..Snapshot::default()
        }
    }

    /// A copy of the frames and the stacks that samples refer to.
    pub fn tables(&self) -> (FrameTable, Nodes) {
        (self.frames.clone(), self.stacks.nodes().clone())
    }

    /// The same without a copy, at the end of a period or of the session.
    pub fn take_tables(&mut self) -> (FrameTable, Nodes) {
        let frames = std::mem::replace(&mut self.frames, FrameTable::new(FRAME_LIMIT));
        let stacks = std::mem::replace(&mut self.stacks, StackTable::new(STACK_LIMIT));
        (frames, stacks.into_nodes())
    }

    /// The frames that samples refer to.
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
        let clock = |clock| self.times[clock].is_some().then(|| ThreadClock::running(clock, wall, cpu));
        let accounts = ThreadAccounts::new(seq, ByClock::new(clock), self.suspensions, self.merges);
        let record = ThreadRecord::take(FLAGS.generation(), structure, accounts);
        record.accounts().happen(Event::Begin { suspended }, wall, cpu);
        record
    }

    /// See [`Times::charge`]. Nothing where the session does not sample this clock.
    fn charge<const PARTS: usize>(
        &mut self,
        clock: Clock,
        stack: StackResult,
        thread: ThreadSeq,
        labels: Labelling,
        charges: [(VmState, Time); PARTS],
        moment: Nanos,
    ) {
        if let Some(times) = &mut self.times[clock] {
            times.charge(stack, thread, labels, charges, moment);
        }
    }

    /// See [`Aggregator::settle`]. Objects in use get the set alone: they outlive links.
    pub fn settle(&mut self, work: WorkId, mut named: impl FnMut(LabelSetId) -> Labelling) {
        self.times.iter_mut().flatten().for_each(|times| times.aggregator.settle(work, &mut named));
        self.values.settle(work, &mut named);
        self.settle_objects(work, |set| named(set).set);
    }

    /// A tick met the thread with these accounts.
    pub fn tick(&mut self, accounts: &mut ThreadAccounts, stack: StackResult, labels: Labelling, tick: Tick) {
        accounts.tick_count += 1;
        for (clock, _) in tick.charged.into_pairs().into_iter().filter(|(_, charged)| *charged) {
            let weight = self.weigh(clock, accounts, tick);
            let waited = match clock {
                Clock::Wall if stack.is_ok() => accounts.take_cpu_wait(weight),
                _ => Nanos::ZERO,
            };
            let charges =
                [(VmState::CpuWait, Time::new(waited, 1)), (VmState::Running, Time::new(weight - waited, 1))];
            let charges = match tick.caused {
                Nanos::ZERO => charges,
                caused => blame::shared(clock, caused, charges),
            };
            if let Some(times) = &mut self.times[clock] {
                times.counted.taken += 1;
                times.charge(stack, accounts.seq, labels, charges, tick.wall);
            }
        }
        // A thread that has no frames yet, or any more, is still to be charged to its last stack.
        if let Some(stack) = stack.ok().filter(|stack| *stack != StackTable::EMPTY) {
            accounts.last_stack = stack;
            accounts.last_labels = labels;
        }
    }

    /// A sample at the safepoint, on the calling thread (the safepoint engine).
    pub fn sample_here(&mut self, gvl: Gvl<'_>, record: &'static ThreadRecord) {
        let [wall, cpu] = [clock::monotonic(), clock::thread_cpu()];
        let charged = ByClock::new(|clock| self.times[clock].is_some());
        let stack = self.intern_public(gvl);
        let accounts = &mut *record.accounts();
        self.tick(
            accounts,
            stack,
            record.labels(),
            Tick { wall, cpu, span: ByClock::default(), charged, caused: Nanos::ZERO },
        );
        accounts.captured_here(wall);
    }

    /// A step of the collector ends on the thread of `record`, the calling one.
    pub fn gc_exit(&mut self, gvl: Gvl<'_>, record: &'static ThreadRecord, wall: Nanos, cpu: Nanos) {
        let accounts = &mut *record.accounts();
        let charged = accounts.happen(Event::GcExit { at_least: self.gc_at_least }, wall, cpu);
        self.charge_gc(gvl, record, accounts, charged.map(|charged| charged.gc), wall);
    }

    /// Charges the collector's times, up to `wall`, to the stack that stands.
    fn charge_gc(
        &mut self,
        gvl: Gvl<'_>,
        record: &ThreadRecord,
        accounts: &mut ThreadAccounts,
        times: ByClock<GcTimes>,
        wall: Nanos,
    ) {
        if times == ByClock::default() {
            return;
        }
        let stack = self.intern_standing(gvl, record);
        let caused = std::mem::take(&mut accounts.caused_by_gc);
        for (clock, GcTimes { mark, sweep }) in times.into_pairs() {
            let charges = [(VmState::GcMark, Time::new(mark, 1)), (VmState::GcSweep, Time::new(sweep, 1))];
            let charges = blame::shared(clock, caused, charges);
            if let Some(times) = &mut self.times[clock] {
                times.charge(stack, accounts.seq, record.labels(), charges, wall);
            }
        }
    }
}

/// The samples of a clock, which has none then.
fn drained(times: &mut Option<Times>) -> Vec<SnapshotSample> {
    times.as_mut().map(|times| times.aggregator.drain()).unwrap_or_default()
}

/// Locks the session's sampler; `None` in it when no session runs.
pub fn sampler() -> Locked<Option<Sampler>> {
    SAMPLER.lock()
}
