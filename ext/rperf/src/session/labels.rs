//! The labels of fibers: Ruby names them, a fiber's record carries the number of its set, and the
//! table knows the sets.
//!
//! A request's endpoint is known only when it has been routed: see [`works`].
//!
//! Labels come and go with every request, mostly the same ones. So the steps from set to set are
//! remembered, and found without the table's lock.
//!
//! Context: Ruby methods, of any Ractor, and the hook of fiber switches. The table's lock is never
//! held while Ruby is asked for anything.

pub mod carried;
mod fibers;
mod label_sets;
mod links;
mod measures;
pub mod works;

use std::sync::Arc;

use hashbrown::HashSet;
use magnus::{Error, RHash, RModule, Ruby};
use rperf_core::collect::{LabelLimits, LabelSteps, LabelTable, LabelWord, Labelling, Merged, Works};
use rperf_core::ids::{LabelSetId, WorkId};
use rperf_core::profile::Label;

use super::defer;
use crate::config::SessionConfig;
use crate::os::sync::Lock;
use crate::sampler::sampler;
use crate::threads::fiber_labels::{self, FIBER, FiberLabels};
use crate::threads::record::ThreadRecord;
use crate::threads::session_state::FLAGS;
use crate::vm::context::Gvl;
use crate::vm::fiber_storage::{self, Raised};
use crate::vm::fiber_switches;
use crate::vm::label_hash::{self, OwnedLabel};
use crate::vm::ractors;
use crate::vm::threads::RubyThread;
use fibers::Fibers;
pub use label_sets::LabelSets;
use links::Links;
use measures::Measures;

/// The labels of the running session; `None` when no session runs.
pub static LABELS: Lock<Option<Labels>> = Lock::new(None);

/// Remembered steps between the period's label sets. Nothing waits for the lock: where the native
/// stack ends in the middle of a step, Ruby jumps out of it, and the lock stays taken.
static STEPS: Lock<Option<LabelSteps>> = Lock::new(None);

/// Value that the end of a block needs. The upper half is the session; the lower half is the number
/// of the set to return to, or of the unit of work. It fits a small Integer of Ruby's.
pub type Token = u64;

/// The labels of a session.
#[derive(Debug)]
pub struct Labels {
    table: LabelTable,
    fibers: Fibers,
    works: Works,
    links: Links,
    measures: Measures,
    /// What blocks of an earlier session return to.
    carried: Vec<carried::Block<LabelSetId>>,
}

/// Prepares the VM for labels, once, before the methods that set them are defined.
pub fn prepare(ruby: &Ruby, native: RModule) -> Result<(), Error> {
    const KEY: &str = "__rperf_labels";
    label_hash::prepare(ruby, native)?;
    fiber_switches::prepare(ruby, on_fiber_switch);
    fiber_storage::prepare(ruby, KEY)?;
    FIBER.prepare(ruby, native, "FiberLabels", KEY)
}

/// Begins a session.
pub fn begin(config: &SessionConfig) {
    *LABELS.lock() = Some(Labels {
        table: LabelTable::new(LabelLimits::default()),
        fibers: Fibers::default(),
        works: Works::default(),
        links: Links::default(),
        measures: Measures::of(config),
        carried: Vec::new(),
    });
    forget_steps();
}

/// Ends the session. Returns the label sets of the last period.
pub fn end() -> LabelSets {
    forget_steps();
    LABELS.lock().take().map(|all| LabelSets::of(&all.table, &all.works, all.links)).unwrap_or_default()
}

fn forget_steps() {
    STEPS.try_lock().into_iter().for_each(|mut steps| *steps = None);
}

/// Returns the label sets of the period so far. With `clear` the next period begins: sets that
/// nothing refers to are freed.
pub fn collect(clear: bool) -> LabelSets {
    let of_objects: HashSet<LabelSetId> = match sampler().as_ref() {
        Some(sampler) if clear => sampler.keys_of_objects().map(|key| key.labels.set).collect(),
        _ => HashSet::new(),
    };
    let mut labels = LABELS.lock();
    let Some(Labels { table, fibers, works, links, carried, .. }) = labels.as_mut() else {
        return LabelSets::default();
    };
    let links = if clear { std::mem::take(links) } else { links.clone() };
    let collected = LabelSets::of(table, works, links);
    if clear {
        let of_records = of_records().map(|labels| labels.set);
        let of_carried = carried.iter().map(|(_, set)| *set);
        let in_use: HashSet<LabelSetId> =
            of_records.chain(fibers.sets()).chain(of_carried).chain(of_objects).collect();
        table.retain(|id| in_use.contains(&id));
        forget_steps();
    }
    collected
}

/// Returns the labels that threads have, or may still be charged with.
fn of_records() -> impl Iterator<Item = Labelling> {
    ThreadRecord::all().into_iter().flat_map(|record| {
        let [last, blocked, waited] = record.accounts().places().map(|place| place.labels);
        [record.labels(), last, blocked, waited]
    })
}

/// The fiber that the calling thread runs, with the thread's record.
pub struct Running {
    record: &'static ThreadRecord,
    fiber: Arc<FiberLabels>,
}

impl Running {
    /// Finds the running fiber, or gives it a record. `None` where no session profiles the thread.
    fn find(ruby: &Ruby, record: Option<&'static ThreadRecord>, raised: &mut Raised) -> Option<Self> {
        let (gvl, record) = (Gvl::of(ruby), record?);
        let (thread, generation) = (RubyThread::current(gvl), FLAGS.generation());
        let fiber = fiber_labels::known(gvl, thread, generation);
        let fiber = fiber.or_else(|| adopt(ruby, thread, inherited(ruby, record, raised), generation))?;
        Some(Self { record, fiber })
    }

    /// Merges labels into those of the fiber.
    pub fn merge(&self, ruby: &Ruby, labels: RHash) -> Result<(), Error> {
        let from = self.fiber.current().set;
        let Some(to) = with_steps(labels, |steps, words| steps.find(from, words)).flatten() else {
            return merge_texts(ruby, labels);
        };
        self.fiber.set(to);
        let mut raised = None;
        self.show(ruby, &mut raised);
        raised.map_or(Ok(()), Err)
    }

    /// Gives the fiber's labels to its thread's record, and to fibers that it makes from here on.
    fn show(&self, ruby: &Ruby, raised: &mut Raised) {
        let labels = self.fiber.current();
        self.record.set_labels(labels);
        let inherited = to_inherit(labels, self.record);
        fiber_storage::set(ruby, (labels.set != LabelSetId::EMPTY).then_some(inherited), raised);
    }
}

/// Returns the number that a fiber's storage has for its labels: the set in the lower half; in the
/// upper half the unit of work, which knows its thread, or else the thread.
fn to_inherit(labels: Labelling, record: &ThreadRecord) -> u64 {
    let upper = match labels.work {
        WorkId::NONE => record.creator() & CREATOR,
        WorkId(work) => IS_WORK | work,
    };
    u64::from(upper) << u32::BITS | u64::from(labels.set.0)
}

/// Mask of the part of a creator's number for which there is room.
const CREATOR: u32 = WorkId::MAX;
/// Flag in the upper half, which then has the number of a unit of work.
const IS_WORK: u32 = CREATOR + 1;
const _: () = assert!(fiber_storage::BITS == u32::BITS + IS_WORK.ilog2() + 1);

/// Gives the running fiber its record.
fn adopt(ruby: &Ruby, thread: RubyThread, first: Labelling, generation: u64) -> Option<Arc<FiberLabels>> {
    let fiber = Arc::new(FiberLabels::new(generation, first));
    LABELS.lock().as_mut()?.fibers.add(&fiber);
    FIBER.set(ruby, thread, &fiber);
    Some(fiber)
}

/// Returns the labels that the running fiber's creator had when it made the fiber. A thread begins
/// without labels: its storage is for fibers of the thread that made it.
fn inherited(ruby: &Ruby, record: &ThreadRecord, raised: &mut Raised) -> Labelling {
    let number = fiber_storage::get(ruby, raised).unwrap_or_default();
    let (upper, set) = ((number >> u32::BITS) as u32, LabelSetId(number as u32));
    let inherited = match upper & IS_WORK {
        0 => Labelling::from(set),
        _ => Labelling { set, work: WorkId(upper & WorkId::MAX) },
    };
    // False for a number of another thread, or of a unit of work that has been forgotten.
    let is_own = inherited == Labelling::default()
        || number == to_inherit(inherited, record) && works::is_of(inherited.work, record.creator());
    if is_own { inherited } else { Labelling::default() }
}

/// Sets the labels of the calling thread after it has entered another fiber.
fn on_fiber_switch(ruby: &Ruby) -> Result<(), Error> {
    let Some(record) = super::known_record(ruby) else { return Ok(()) };
    let _own = super::OwnWork::begin(ruby);
    let (gvl, generation) = (Gvl::of(ruby), FLAGS.generation());
    let thread = RubyThread::current(gvl);
    let mut raised = None;
    let known = fiber_labels::known(gvl, thread, generation).map(|fiber| fiber.current());
    record.set_labels(known.unwrap_or_else(|| {
        let first = inherited(ruby, record, &mut raised);
        // A fiber needs no record as long as it has no labels.
        let fiber = if first == Labelling::default() { None } else { adopt(ruby, thread, first, generation) };
        fiber.map_or(first, |fiber| fiber.current())
    }));
    raised.map_or(Ok(()), Err)
}

/// Begins a block in which labels are to be set. Returns the token for [`leave`]; or `None`,
/// without effect, when no session runs. Only then are the keys checked here.
pub fn enter(ruby: &Ruby, labels: RHash) -> Result<Option<Token>, Error> {
    match labelled_or_raise(ruby)? {
        Some(running) => Ok(Some(token(running.fiber.enter_block().0))),
        None => label_hash::check_keys(ruby, labels).map(|()| None),
    }
}

/// Returns a token of the running session.
fn token(number: u32) -> Token {
    FLAGS.generation() << u32::BITS | u64::from(number)
}

/// Returns whether a token was handed out in the running session.
fn is_of_session(token: Token) -> bool {
    token >> u32::BITS == FLAGS.generation()
}

/// Merges labels into those of the running fiber. Only checks their keys when no session runs.
pub fn merge(ruby: &Ruby, labels: RHash) -> Result<(), Error> {
    match labelled_or_raise(ruby)? {
        Some(running) => running.merge(ruby, labels),
        None => label_hash::check_keys(ruby, labels),
    }
}

/// Does the same by way of texts.
fn merge_texts(ruby: &Ruby, labels: RHash) -> Result<(), Error> {
    let texts = label_hash::texts(ruby, labels)?;
    let mut raised = None;
    // Ruby code has run: everything may have changed.
    if let Some(running) = labelled(ruby, &mut raised)
        && let Some((from, merged)) = apply(&running.fiber, &texts)
    {
        if let Merged::Set(to) = merged {
            with_steps(labels, |steps, words| steps.remember(from, words, to));
        }
        running.show(ruby, &mut raised);
    }
    raised.map_or(Ok(()), Err)
}

/// Runs `body` with the remembered steps and the words of these labels. Does nothing beside other
/// Ractors: one of them may free a set before the fiber has its number.
fn with_steps<R>(labels: RHash, body: impl FnOnce(&mut LabelSteps, &[LabelWord<'_>]) -> R) -> Option<R> {
    let labels = ractors::only_main().then_some(labels)?;
    label_hash::with_words(labels, |words| Some(body(STEPS.try_lock()?.get_or_insert_default(), words)))
}

/// Finds the running fiber, which is about to be labelled. The first time in its Ractor, begins to
/// listen to fiber switches. In a deferred session, labels may come before the first block.
fn labelled(ruby: &Ruby, raised: &mut Raised) -> Option<Running> {
    let adopted = || if FLAGS.is_deferred() { defer::adopt_parked(Gvl::of(ruby)) } else { None };
    let running = Running::find(ruby, super::known_record(ruby).or_else(adopted), raised)?;
    fiber_switches::listen(ruby, FLAGS.generation() as usize);
    Some(running)
}

/// Does the same before any change: an exception that an interrupt has raised comes first.
fn labelled_or_raise(ruby: &Ruby) -> Result<Option<Running>, Error> {
    let mut raised = None;
    let running = labelled(ruby, &mut raised);
    raised.map_or(Ok(running), Err)
}

/// Merges texts under one lock, so that no set is freed before the fiber has its number. Returns
/// the set before, and the merged one.
fn apply(fiber: &FiberLabels, texts: &[OwnedLabel]) -> Option<(LabelSetId, Merged)> {
    let mut labels = LABELS.lock();
    let table = &mut labels.as_mut()?.table;
    let from = fiber.current().set;
    let merged = table.merge(from, texts.iter().map(|(key, change)| (&**key, change.borrow())));
    fiber.set(merged.id());
    Some((from, merged))
}

/// Ends the block that got this token. Does nothing when its session has ended, unless the running
/// one has taken over its labels.
pub fn leave(ruby: &Ruby, token: Token) -> Result<(), Error> {
    let own = is_of_session(token).then_some(LabelSetId(token as u32));
    let Some(set) = own.or_else(|| carried::set(token)) else { return Ok(()) };
    let mut raised = None;
    if let Some(running) = Running::find(ruby, super::known_record(ruby), &mut raised) {
        running.fiber.leave_block(set);
        running.show(ruby, &mut raised);
    }
    raised.map_or(Ok(()), Err)
}

/// Returns the labels of the running fiber.
pub fn current(ruby: &Ruby) -> Result<Vec<Label>, Error> {
    let mut raised = None;
    let running = Running::find(ruby, super::known_record(ruby), &mut raised);
    if let Some(error) = raised {
        return Err(error);
    }
    let Some(running) = running else { return Ok(Vec::new()) };
    let (labels, now) = (LABELS.lock(), running.fiber.current());
    Ok(labels.as_ref().map_or_else(Vec::new, |Labels { table, works, .. }| {
        label_sets::complete(table.labels(now.set), works.get(now.work).map(|work| &work.name))
    }))
}

/// Returns the number of entries of each table.
pub fn table_sizes() -> [(&'static str, usize); 3] {
    let labels = LABELS.lock();
    let sizes = labels.as_ref().map(|all| [all.table.len(), all.fibers.len(), all.works.len()]);
    let [sets, fibers, works] = sizes.unwrap_or_default();
    [("label sets", sets), ("fibers", fibers), ("units of work", works)]
}
