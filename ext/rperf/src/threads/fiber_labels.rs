//! The labels of fibers. Each labelled fiber has a record of its own, and its thread's record
//! repeats the labels of the running fiber.
//!
//! A record lives as long as its fiber: an object in the fiber owns it (see
//! [`fiber_local`](crate::vm::fiber_local)), and the garbage collector frees that object.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rperf_core::collect::Labelling;
use rperf_core::ids::{LabelSetId, WorkId};

use super::record::ThreadRecord;
use crate::os::sync::Lock;
use crate::vm::context::Gvl;
use crate::vm::fiber_local::FiberLocal;
use crate::vm::fiber_switches;
use crate::vm::threads::RubyThread;

/// The record of the running fiber.
pub static FIBER: FiberLocal<FiberLabels> = FiberLocal::new();

/// Record of a fiber's labels. Only the fiber's own thread changes it.
#[derive(Debug)]
pub struct FiberLabels {
    /// The session that the record belongs to.
    generation: u64,
    current: AtomicU64,
    /// The label sets to which the open blocks of the fiber return, the outermost block's first.
    /// The empty set is left out.
    outer: Lock<Vec<LabelSetId>>,
    /// The units of work that have begun on the fiber and have not ended, the outermost first.
    works: Lock<Vec<WorkId>>,
}

impl FiberLabels {
    /// Creates the record of a fiber that begins with these labels.
    pub fn new(generation: u64, labels: Labelling) -> Self {
        Self {
            generation,
            current: AtomicU64::new(labels.to_word()),
            outer: Lock::default(),
            works: Lock::default(),
        }
    }

    /// Returns the labels.
    pub fn current(&self) -> Labelling {
        Labelling::from_word(self.current.load(Ordering::Relaxed))
    }

    /// Sets the label set; the unit of work stays.
    pub fn set(&self, set: LabelSetId) {
        self.show(Labelling { set, ..self.current() });
    }

    /// Sets the unit of work; the label set stays.
    pub fn set_work(&self, work: WorkId) {
        self.show(Labelling { work, ..self.current() });
    }

    /// Begins a unit of work.
    pub fn enter_work(&self, work: WorkId) {
        self.works.lock().push(work);
    }

    /// Ends a unit of work, and with it all units inside of it. Returns whether the fiber was in
    /// the unit.
    pub fn leave_work(&self, work: WorkId) -> bool {
        let mut works = self.works.lock();
        let place = works.iter().rposition(|id| *id == work);
        works.truncate(place.unwrap_or(usize::MAX));
        place.is_some()
    }

    /// Returns the innermost unit of work that the fiber is in.
    pub fn innermost(&self) -> WorkId {
        self.works.lock().last().copied().unwrap_or(self.current().work)
    }

    /// Returns the units of work that the fiber is in, as far as no other unit refers to them.
    pub fn works(&self) -> Vec<WorkId> {
        let mut works = self.works.lock().clone();
        works.push(self.current().work);
        works
    }

    fn show(&self, labels: Labelling) {
        self.current.store(labels.to_word(), Ordering::Relaxed);
    }

    /// Begins a block. Returns the label set to which the block returns.
    pub fn enter_block(&self) -> LabelSetId {
        let from = self.current().set;
        if from != LabelSetId::EMPTY {
            self.outer.lock().push(from);
        }
        from
    }

    /// Ends the block that returns to `from`, and with it all blocks inside of it.
    pub fn leave_block(&self, from: LabelSetId) {
        self.set(from);
        if from != LabelSetId::EMPTY {
            let mut outer = self.outer.lock();
            let block = outer.iter().rposition(|id| *id == from);
            outer.truncate(block.unwrap_or(usize::MAX));
        }
    }

    /// Returns the label sets to which the open blocks return, without the empty one.
    pub fn outer(&self) -> Vec<LabelSetId> {
        self.outer.lock().clone()
    }

    /// Returns every label set that the fiber has or returns to.
    pub fn sets(&self) -> Vec<LabelSetId> {
        let mut sets = self.outer();
        sets.push(self.current().set);
        sets
    }
}

/// Returns the record of the fiber that `thread`, the calling one, runs, if this session has one.
pub fn known(gvl: Gvl<'_>, thread: RubyThread, generation: u64) -> Option<Arc<FiberLabels>> {
    FIBER.get(gvl, thread).filter(|fiber| fiber.generation == generation)
}

/// Sets the labels of the thread's record to those of the fiber that `thread`, the calling one,
/// runs; a fiber without a record has none. Called where the VM may serve an interrupt: the thread
/// may have entered a fiber already whose switch the VM announces afterwards.
pub fn follow(gvl: Gvl<'_>, thread: RubyThread, record: &ThreadRecord, generation: u64) {
    if fiber_switches::is_listening() {
        let fiber = known(gvl, thread, generation);
        record.set_labels(fiber.map(|fiber| fiber.current()).unwrap_or_default());
    }
}
