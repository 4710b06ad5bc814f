//! The sampler: charges weights to stacks.
//!
//! Context: the sampling thread at a tick; Ruby threads in methods and hooks (READY and EXITED have
//! no GVL); any thread that takes memory (`pieces`). The lock is held for microseconds, never while
//! Ruby runs, and never taken in the signal handler. Order of locks: sampler, a thread's accounts.

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
    Aggregator, Amount, Counted, FrameTable, Labelling, Nodes, ObjectKinds, Snapshot, SnapshotSample,
    StackTable, Time, Values,
};
use rperf_core::ids::{LabelSetId, ThreadSeq, WorkId};
use rperf_core::state::{ByClock, Clock, VmState};
use rperf_core::time::Nanos;

use crate::config::EngineKind;
use crate::config::SessionConfig;
use crate::os::clock;
use crate::os::sync::{Lock, Locked};
use crate::threads::accounts::{Place, StackResult, ThreadAccounts};
use crate::threads::record::ThreadRecord;
use crate::threads::session_state::FLAGS;
use crate::vm::context::Gvl;
use crate::vm::profile_frames::ProfileFrames;
use crate::vm::threads::RubyThread;
pub use ended_threads::EndedThread;
pub use objects::{ObjectFigures, Objects};
pub use periods::{KnownFrame, KnownNames, Names};
pub use pieces::{Piece, sample_piece};
pub use stacks::has_no_frames;
use times::Times;
pub use values::TooManyNames;

/// Maximum number of distinct frames in a session. Each takes some 100 bytes and two marks in a
/// collection.
const FRAME_LIMIT: usize = 1 << 20;
/// Maximum number of distinct stacks, prefixes included. Each takes some 30 bytes.
const STACK_LIMIT: usize = 8 << 20;
/// Maximum number of kinds of objects. Each keeps a class, which takes a mark in a collection.
const KIND_LIMIT: usize = 1 << 16;
/// Minimum time of the collector that is charged at once. A shorter time is charged with a later GC
/// step: some programs have tens of thousands of steps a second.
const GC: Together = Together { part: 50, least: 20_000, most: 200_000 };
/// Wall mode: mean time of a thread's short suspensions that one stack is charged with. Cpu mode:
/// mean time between two suspensions of a thread that are measured by the CPU clock. Some programs
/// have hundreds of thousands of suspensions a second.
const SUSPENSIONS: Together = Together { part: 5, least: 200_000, most: 20_000_000 };

/// Time that is charged together: the period between ticks divided by `part`, but at least `least`
/// and at most `most` nanoseconds.
struct Together {
    part: u64,
    least: u64,
    most: u64,
}

impl Together {
    /// Where samples keep their moments, only the least time is charged together.
    fn of(&self, config: &SessionConfig) -> Nanos {
        let period = if config.aggregate && !config.timeline { config.period() } else { 0 };
        Nanos((period / self.part).clamp(self.least, self.most))
    }
}

pub static SAMPLER: Lock<Option<Sampler>> = Lock::new(None);

/// Frames, stacks and kinds of objects in the samples of a period.
struct Tables {
    frames: FrameTable,
    stacks: StackTable,
    kinds: ObjectKinds,
    /// Names of frames and kinds that have a name in place of words, and names of those that get
    /// one when the next period begins.
    names: Names,
    known_names: KnownNames,
}

impl Default for Tables {
    fn default() -> Self {
        Self {
            frames: FrameTable::new(FRAME_LIMIT),
            stacks: StackTable::new(STACK_LIMIT),
            kinds: ObjectKinds::new(KIND_LIMIT),
            names: Names::default(),
            known_names: KnownNames::default(),
        }
    }
}

/// The data of a session: frames, stacks, samples and counters.
pub struct Sampler {
    engine: EngineKind,
    config: SessionConfig,
    /// One in `interval` objects is sampled, chosen by chance.
    interval: u64,
    gaps: Gaps,
    tables: Tables,
    /// Samples of time, by each clock that the session samples.
    times: ByClock<Option<Times>>,
    /// Samples of values other than time, and the names of the program's own values.
    values: Aggregator<Values>,
    value_names: Vec<String>,
    objects: Option<Objects>,
    /// Place of the last tick, in this period, of a short thread that has ended.
    last_tick: Option<Place>,
    walk: ProfileFrames,
    next_seq: u32,
    /// Threads that have ended, or whose records have been given back.
    ended: Vec<EndedThread>,
}

/// A tick that met a thread.
#[derive(Clone, Copy, Debug)]
pub struct Tick {
    pub wall: Nanos,
    /// Reading of the thread's CPU clock.
    pub cpu: Nanos,
    /// Time that the tick stands for, by each clock.
    pub span: ByClock<Nanos>,
    /// Clocks by which the tick is charged.
    pub charged: ByClock<bool>,
    /// Time for which other threads waited for the GVL, where that is charged.
    pub caused: Nanos,
}

impl Sampler {
    /// Creates a sampler without samples. `objects`: the watched objects, if any are watched.
    pub fn new(engine: EngineKind, config: &SessionConfig, objects: Option<Objects>) -> Self {
        let merges = config.aggregate && !config.timeline;
        Self {
            engine,
            config: config.clone(),
            interval: config.interval,
            gaps: Gaps::new(config.interval, config.seed()),
            tables: Tables::default(),
            times: ByClock::new(|clock| {
                config.clocks()[clock].then(|| Times::new(clock, merges, config.sample_limit))
            }),
            values: Aggregator::new(config.aggregate, config.sample_limit),
            value_names: Vec::new(),
            objects,
            last_tick: None,
            walk: ProfileFrames::default(),
            next_seq: 1,
            ended: Vec::new(),
        }
    }

    pub fn engine(&self) -> EngineKind {
        self.engine
    }

    /// Returns the counters of samples of time, and those of samples of values.
    pub fn counted(&self) -> (ByClock<Counted>, Counted) {
        let counted = |times: &Times| times.aggregator.counted.clone();
        let times = ByClock::new(|clock| self.times[clock].as_ref().map(counted).unwrap_or_default());
        (times, self.values.counted.clone())
    }

    fn is_timed(&self) -> bool {
        self.times.iter().any(Option::is_some)
    }

    pub fn table_sizes(&self) -> [(&'static str, usize); 6] {
        [
            ("frames", self.tables.frames.frames().len()),
            ("stacks", self.tables.stacks.nodes().len()),
            (
                "samples",
                self.times.iter().flatten().map(|times| times.aggregator.len()).sum::<usize>()
                    + self.values.len(),
            ),
            ("kinds", self.tables.kinds.kinds().len()),
            ("live objects", self.live_objects()),
            ("ended threads", self.ended.len()),
        ]
    }

    /// Returns all samples so far, but for the stacks: see [`tables`](Self::tables). `ends`: the
    /// period or the session ends, so the samples are taken, not copied.
    pub fn snapshot(&mut self, ends: bool) -> Snapshot {
        if ends {
            self.times.iter_mut().flatten().for_each(Times::charge_placed);
        }
        Snapshot {
            times: ByClock::new(|clock| {
                self.times[clock].as_mut().map_or_else(Vec::new, |times| taken(&mut times.aggregator, ends))
            }),
            values: taken(&mut self.values, ends),
            kinds: self.tables.kinds.kinds().to_vec(),
            value_names: self.value_names.clone(),
            ..Snapshot::default()
        }
    }

    /// Returns a copy of the frames and the stacks that samples refer to.
    pub fn tables(&self) -> (FrameTable, Nodes) {
        (self.tables.frames.clone(), self.tables.stacks.nodes().clone())
    }

    /// Takes the same tables without a copy, at the end of the session.
    pub fn take_tables(&mut self) -> (FrameTable, Nodes) {
        let Tables { frames, stacks, .. } = std::mem::take(&mut self.tables);
        (frames, stacks.into_nodes())
    }

    pub fn frames(&self) -> &FrameTable {
        &self.tables.frames
    }

    /// Gives a record to a thread, unless it has one. (While a thread begins, the thread that has
    /// created it may give it one, too.) Its CPU clock is known once it runs.
    pub fn adopt(&mut self, thread: RubyThread, suspended: bool) -> &'static ThreadRecord {
        if let Some(known) = ThreadRecord::known_of(thread) {
            return known;
        }
        let wall = clock::monotonic();
        let seq = ThreadSeq(self.next_seq);
        self.next_seq += 1;
        let clock =
            |clock| self.times[clock].is_some().then(|| ThreadClock::running(clock, wall, Nanos::ZERO));
        let accounts = ThreadAccounts::new(
            seq,
            ByClock::new(clock),
            SUSPENSIONS.of(&self.config),
            self.config.aggregate,
        );
        let record = ThreadRecord::take(FLAGS.generation(), thread.structure(), accounts);
        record.accounts().happen(Event::Begin { suspended }, wall, Nanos::ZERO);
        thread.set_slot(Some(record));
        record
    }

    /// Charges a place by this clock, if the session samples it: see [`Times::charge`].
    fn charge<const PARTS: usize>(&mut self, clock: Clock, place: Place, charges: [(VmState, Time); PARTS]) {
        self.times[clock].iter_mut().for_each(|times| times.charge(place, charges));
    }

    /// See [`Aggregator::settle`]. Objects in use get the label set alone: they outlive links.
    pub fn settle(&mut self, work: WorkId, mut named: impl FnMut(LabelSetId) -> Labelling) {
        self.times.iter_mut().flatten().for_each(|times| times.aggregator.settle(work, &mut named));
        self.values.settle(work, &mut named);
        self.settle_objects(work, |set| named(set).set);
    }

    /// Charges a tick that met the thread with these accounts.
    pub fn tick(&mut self, accounts: &mut ThreadAccounts, stack: StackResult, labels: Labelling, tick: Tick) {
        accounts.tick_count += 1;
        let place = accounts.place(stack, labels, tick.wall);
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
                times.aggregator.counted.taken += 1;
                times.charge(place, charges);
            }
        }
        // Without frames (the thread begins or ends) the last stack stays: it may still be charged.
        if place.has_frames() {
            accounts.last = place;
        }
    }

    /// Takes a sample at the safepoint, on the calling thread (the safepoint engine).
    pub fn sample_here(&mut self, gvl: Gvl<'_>, record: &'static ThreadRecord) {
        let [wall, cpu] = [clock::monotonic(), clock::thread_cpu()];
        let charged = ByClock::new(|clock| self.times[clock].is_some());
        let stack = self.intern_public(gvl, RubyThread::current(gvl));
        let accounts = &mut *record.accounts();
        self.tick(
            accounts,
            stack,
            record.labels(),
            Tick { wall, cpu, span: ByClock::default(), charged, caused: Nanos::ZERO },
        );
        accounts.inspections.leave_out(clock::monotonic() - wall);
    }

    /// Charges a step of the collector that ends on the thread of `record`, the calling one.
    pub fn gc_exit(&mut self, gvl: Gvl<'_>, record: &'static ThreadRecord, wall: Nanos, cpu: Nanos) {
        let accounts = &mut *record.accounts();
        let charged = accounts.happen(Event::GcExit { at_least: GC.of(&self.config) }, wall, cpu);
        self.charge_gc(gvl, record, accounts, charged.map(|charged| charged.gc), wall);
    }

    /// Charges the collector's times, which end at `wall`, to the thread's current stack.
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
        let place = accounts.place(self.intern_standing(gvl, record), record.labels(), wall);
        let caused = std::mem::take(&mut accounts.caused_by_gc);
        for (clock, GcTimes { mark, sweep }) in times.into_pairs() {
            let charges = [(VmState::GcMark, Time::new(mark, 1)), (VmState::GcSweep, Time::new(sweep, 1))];
            self.charge(clock, place, blame::shared(clock, caused, charges));
        }
    }
}

/// Returns samples, or takes them without a copy.
fn taken<A: Amount>(samples: &mut Aggregator<A>, ends: bool) -> Vec<SnapshotSample<A>> {
    if ends { samples.drain() } else { samples.samples() }
}

/// Locks the session's sampler, which is `None` when no session runs.
pub fn sampler() -> Locked<Option<Sampler>> {
    SAMPLER.lock()
}
