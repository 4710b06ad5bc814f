//! The labels of fibers: Ruby names them, a fiber's record carries the number of its set, the table
//! knows the sets.
//!
//! Labels come and go with every request, mostly the same ones: the steps that they lead to are
//! remembered, and found without the table's lock.
//!
//! Context: Ruby methods, of any Ractor, and the hook of fiber switches. The table's lock is never
//! held while Ruby is asked for anything.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use magnus::{Error, RHash, RModule, Ruby};
use rperf_core::collect::{LabelLimits, LabelSteps, LabelTable, Merged};
use rperf_core::ids::LabelSetId;
use rperf_core::profile::{Label, LabelValue};

use super::defer;
use crate::threads::fiber_labels::{self, FIBER, FiberLabels};
use crate::threads::record::ThreadRecord;
use crate::threads::session_flags::FLAGS;
use crate::vm::context::Gvl;
use crate::vm::fiber_storage::{self, Raised};
use crate::vm::fiber_switches;
use crate::vm::gvl_cell::GvlCell;
use crate::vm::label_hash::{self, OwnedLabel};
use crate::vm::threads::RubyThread;

/// `None` when no session runs.
static LABELS: Mutex<Option<Labels>> = Mutex::new(None);

/// The period's steps.
static STEPS: GvlCell<Option<LabelSteps>> = GvlCell::new(None);

/// Where a block goes back to when it ends: the session in the upper half, the number of the set in
/// the lower. Fits a small Integer of Ruby's.
pub type Token = u64;

/// The labels of a session.
#[derive(Debug)]
pub struct Labels {
    table: LabelTable,
    fibers: Fibers,
}

/// The same, locked.
pub type Locked = MutexGuard<'static, Option<Labels>>;

/// The records of fibers, and those of fibers that have been collected since they were last sorted
/// out.
#[derive(Debug, Default)]
struct Fibers {
    records: Vec<Weak<FiberLabels>>,
    /// How many there were then.
    alive: usize,
}

impl Fibers {
    /// So many may pile up, at least.
    const ROOM: usize = 64;

    fn add(&mut self, fiber: &Arc<FiberLabels>) {
        if self.records.len() >= 2 * self.alive + Self::ROOM {
            self.sort_out();
        }
        self.records.push(Arc::downgrade(fiber));
    }

    fn sort_out(&mut self) {
        self.records.retain(|fiber| fiber.strong_count() > 0);
        self.alive = self.records.len();
    }

    /// Every set that some fiber has or goes back to.
    fn sets(&self) -> impl Iterator<Item = LabelSetId> {
        self.records.iter().filter_map(Weak::upgrade).flat_map(|fiber| fiber.sets())
    }
}

/// What a period had: the sets by number, and how many labellings were beyond the limit.
#[derive(Debug, Default)]
pub struct LabelSets {
    /// In the order of their numbers, without the empty set.
    pub sets: Vec<(LabelSetId, Vec<Label>)>,
    /// Beyond the limit.
    pub overflow_count: u64,
}

/// What labels need of the VM, once, at load.
pub fn prepare(ruby: &Ruby, native: RModule) -> Result<(), Error> {
    const KEY: &str = "__rperf_labels";
    fiber_switches::prepare(ruby, on_fiber_switch);
    fiber_storage::prepare(ruby, KEY)?;
    FIBER.prepare(ruby, native, "FiberLabels", KEY)
}

/// A session begins.
pub fn begin(gvl: Gvl<'_>) {
    *labels() = Some(Labels { table: LabelTable::new(LabelLimits::default()), fibers: Fibers::default() });
    forget_steps(gvl);
}

/// It ends. Returns what the last period had.
pub fn end(gvl: Gvl<'_>) -> LabelSets {
    forget_steps(gvl);
    labels().take().map(|labels| contents(&labels.table)).unwrap_or_default()
}

fn forget_steps(gvl: Gvl<'_>) {
    STEPS.with(gvl, |steps| *steps = None);
}

/// What the period has so far. With `clear` the next one begins: sets that nothing refers to are
/// freed.
pub fn collect(gvl: Gvl<'_>, clear: bool) -> LabelSets {
    let mut labels = labels();
    let Some(Labels { table, fibers }) = labels.as_mut() else { return LabelSets::default() };
    let collected = contents(table);
    if clear {
        let records = ThreadRecord::all();
        let of_records = records.iter().flat_map(|record| [record.labels(), record.accounts().last_labels]);
        let in_use: HashSet<LabelSetId> = of_records.chain(fibers.sets()).collect();
        table.retain(|id| in_use.contains(&id));
        forget_steps(gvl);
    }
    collected
}

fn contents(table: &LabelTable) -> LabelSets {
    let label = |(key, value): &(Arc<str>, Arc<str>)| Label {
        key: key.to_string(),
        value: LabelValue::Text(value.to_string()),
    };
    let sets = table.sets().into_iter();
    LabelSets {
        sets: sets.map(|(id, labels)| (id, labels.iter().map(label).collect())).collect(),
        overflow_count: table.overflow_count(),
    }
}

/// The fiber that the calling thread runs.
struct Running {
    record: &'static ThreadRecord,
    fiber: Arc<FiberLabels>,
}

impl Running {
    /// `None` where no session profiles the thread. A fiber that has no record yet gets one.
    fn find(ruby: &Ruby, record: Option<&'static ThreadRecord>, raised: &mut Raised) -> Option<Self> {
        let (gvl, record) = (Gvl::of(ruby), record?);
        let (thread, generation) = (RubyThread::current(gvl), FLAGS.generation());
        let fiber = fiber_labels::known(gvl, thread, generation);
        let fiber = fiber.or_else(|| adopt(ruby, thread, inherited(ruby, record, raised), generation))?;
        Some(Self { record, fiber })
    }

    /// From here on the fiber, and those that it makes, have these labels.
    fn show(&self, ruby: &Ruby, raised: &mut Raised) {
        let labels = self.fiber.current();
        self.record.set_labels(labels);
        let creator = u64::from(self.record.creator() & CREATOR) << u32::BITS;
        let inherited = creator | u64::from(labels.0);
        fiber_storage::set(ruby, (labels != LabelSetId::EMPTY).then_some(inherited), raised);
    }
}

/// As much of a creator's number as there is room for beside that of a set.
const CREATOR: u32 = (1 << (fiber_storage::BITS - u32::BITS)) - 1;

/// Gives the running fiber its record.
fn adopt(ruby: &Ruby, thread: RubyThread, first: LabelSetId, generation: u64) -> Option<Arc<FiberLabels>> {
    let fiber = Arc::new(FiberLabels::new(generation, first));
    labels().as_mut()?.fibers.add(&fiber);
    FIBER.set(ruby, thread, &fiber);
    Some(fiber)
}

/// The labels that the running fiber's creator had when it made it. A thread begins without: what
/// its storage says is for fibers of the thread that made it.
fn inherited(ruby: &Ruby, record: &ThreadRecord, raised: &mut Raised) -> LabelSetId {
    let number = fiber_storage::get(ruby, raised).unwrap_or_default();
    let same_thread = number >> u32::BITS == u64::from(record.creator() & CREATOR);
    if same_thread { LabelSetId(number as u32) } else { LabelSetId::EMPTY }
}

/// The calling thread has entered another fiber.
fn on_fiber_switch(ruby: &Ruby) -> Result<(), Error> {
    let Some(record) = super::known_record(ruby) else { return Ok(()) };
    let (gvl, generation) = (Gvl::of(ruby), FLAGS.generation());
    let thread = RubyThread::current(gvl);
    let mut raised = None;
    let known = fiber_labels::known(gvl, thread, generation).map(|fiber| fiber.current());
    record.set_labels(known.unwrap_or_else(|| {
        let first = inherited(ruby, record, &mut raised);
        // It needs no record as long as it has no labels.
        let fiber = if first == LabelSetId::EMPTY { None } else { adopt(ruby, thread, first, generation) };
        fiber.map_or(first, |fiber| fiber.current())
    }));
    raised.map_or(Ok(()), Err)
}

/// A block begins: returns where [`leave`] goes back to. Nothing happens, and there is nothing to
/// go back to, when no session runs.
pub fn enter(ruby: &Ruby) -> Result<Option<Token>, Error> {
    let mut raised = None;
    let running = labelled(ruby, &mut raised);
    if let Some(error) = raised {
        return Err(error);
    }
    Ok(running.map(|running| {
        let from = running.fiber.enter_block();
        FLAGS.generation() << u32::BITS | u64::from(from.0)
    }))
}

/// Merges labels into those of the running fiber. Nothing happens when no session runs.
pub fn merge(ruby: &Ruby, labels: RHash) -> Result<(), Error> {
    let mut raised = None;
    if let Some(running) = labelled(ruby, &mut raised)
        && let Some(to) = known_step(Gvl::of(ruby), running.fiber.current(), labels)
    {
        running.fiber.set(to);
        running.show(ruby, &mut raised);
        return raised.map_or(Ok(()), Err);
    }
    raised.map_or(Ok(()), Err)?;
    merge_texts(ruby, labels)
}

/// The same, by way of texts.
fn merge_texts(ruby: &Ruby, labels: RHash) -> Result<(), Error> {
    if super::known_record(ruby).is_none() {
        return Ok(());
    }
    let texts = label_hash::texts(ruby, labels)?;
    let mut raised = None;
    // Ruby code has run: all may have changed.
    if let Some(running) = labelled(ruby, &mut raised)
        && let Some((from, merged)) = apply(&running.fiber, &texts)
    {
        if let Merged::Set(to) = merged {
            remember_step(Gvl::of(ruby), from, labels, to);
        }
        running.show(ruby, &mut raised);
    }
    raised.map_or(Ok(()), Err)
}

fn known_step(gvl: Gvl<'_>, from: LabelSetId, labels: RHash) -> Option<LabelSetId> {
    label_hash::with_words(labels, |words| {
        STEPS.with(gvl, |steps| steps.as_ref()?.find(from, words)).flatten()
    })
}

fn remember_step(gvl: Gvl<'_>, from: LabelSetId, labels: RHash, to: LabelSetId) {
    label_hash::with_words(labels, |words| {
        STEPS.with(gvl, |steps| steps.get_or_insert_default().remember(from, words, to))
    });
}

/// The running fiber, about to be labelled: the first time in its Ractor, fiber switches are of
/// interest from here on. Where threads are profiled in parts, labels may come before the first
/// part.
fn labelled(ruby: &Ruby, raised: &mut Raised) -> Option<Running> {
    let adopted = || if FLAGS.is_deferred() { defer::adopt_parked(Gvl::of(ruby)) } else { None };
    let running = Running::find(ruby, super::known_record(ruby).or_else(adopted), raised)?;
    fiber_switches::listen(ruby, FLAGS.generation() as usize);
    Some(running)
}

/// Merges texts, under one lock, so that no set is freed before the fiber has its number. Returns
/// from which set to which.
fn apply(fiber: &FiberLabels, texts: &[OwnedLabel]) -> Option<(LabelSetId, Merged)> {
    let mut labels = labels();
    let table = &mut labels.as_mut()?.table;
    let from = fiber.current();
    let merged = table.merge(from, texts.iter().map(|(key, value)| (&**key, value.as_deref())));
    fiber.set(merged.id());
    Some((from, merged))
}

/// The block that got this token has ended. Nothing happens when its session has, too.
pub fn leave(ruby: &Ruby, token: Token) -> Result<(), Error> {
    let record = super::known_record(ruby).filter(|_| token >> u32::BITS == FLAGS.generation());
    let mut raised = None;
    if let Some(running) = Running::find(ruby, record, &mut raised) {
        running.fiber.leave_block(LabelSetId(token as u32));
        running.show(ruby, &mut raised);
    }
    raised.map_or(Ok(()), Err)
}

/// The labels of the running fiber: keys and values.
pub fn current(ruby: &Ruby) -> Result<Vec<(String, String)>, Error> {
    let mut raised = None;
    let running = Running::find(ruby, super::known_record(ruby), &mut raised);
    if let Some(error) = raised {
        return Err(error);
    }
    let Some(running) = running else { return Ok(Vec::new()) };
    let labels = labels();
    let texts = labels.as_ref().map_or(&[][..], |labels| labels.table.labels(running.fiber.current()));
    Ok(texts.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect())
}

/// Abandons the parent's sets in a forked child.
pub fn abandon() {
    *labels() = None;
}

/// Locks what a session knows of labels.
pub fn labels() -> Locked {
    LABELS.lock().unwrap_or_else(PoisonError::into_inner)
}
