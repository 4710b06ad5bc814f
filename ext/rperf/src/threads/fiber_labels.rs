//! The labels of a fiber: each has a record of its own, and its thread's record repeats what the
//! record of the running fiber says.
//!
//! A record lives as long as its fiber: an object in the fiber owns it (see
//! [`fiber_local`](crate::vm::fiber_local)), and the garbage collector frees that.

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

/// What is known of a fiber's labels. Only its own thread changes it.
#[derive(Debug)]
pub struct FiberLabels {
    /// The session that it belongs to.
    generation: u64,
    current: AtomicU64,
    /// The sets that the blocks which it is in go back to, the outermost block's first, but for the
    /// empty set.
    outer: Lock<Vec<LabelSetId>>,
    /// The units of work that it is in within its labelling's one, the outermost first.
    inner: Lock<Vec<WorkId>>,
}

impl FiberLabels {
    /// Of a fiber that begins with these labels.
    pub fn new(generation: u64, labels: Labelling) -> Self {
        Self {
            generation,
            current: AtomicU64::new(labels.to_word()),
            outer: Lock::default(),
            inner: Lock::default(),
        }
    }

    /// Its labels.
    pub fn current(&self) -> Labelling {
        Labelling::from_word(self.current.load(Ordering::Relaxed))
    }

    /// Sets them; the unit of work stays.
    pub fn set(&self, set: LabelSetId) {
        self.show(Labelling { set, ..self.current() });
    }

    /// It is in this unit of work from here on; the labels stay.
    pub fn set_work(&self, work: WorkId) {
        self.show(Labelling { work, ..self.current() });
    }

    /// A unit of work begins whose samples are those of the one that it is in.
    pub fn enter_inner(&self, work: WorkId) {
        self.inner.lock().push(work);
    }

    /// That one has ended, and with it all that are inside of it.
    pub fn leave_inner(&self, work: WorkId) {
        let mut inner = self.inner.lock();
        let place = inner.iter().rposition(|id| *id == work);
        inner.truncate(place.unwrap_or(usize::MAX));
    }

    /// The innermost unit of work that it is in.
    pub fn innermost(&self) -> WorkId {
        self.inner.lock().last().copied().unwrap_or(self.current().work)
    }

    /// Every unit of work that it is in, as far as others do not know it.
    pub fn works(&self) -> Vec<WorkId> {
        let mut works = self.inner.lock().clone();
        works.push(self.current().work);
        works
    }

    fn show(&self, labels: Labelling) {
        self.current.store(labels.to_word(), Ordering::Relaxed);
    }

    /// A block begins: returns the set that it goes back to.
    pub fn enter_block(&self) -> LabelSetId {
        let from = self.current().set;
        if from != LabelSetId::EMPTY {
            self.outer.lock().push(from);
        }
        from
    }

    /// The block that goes back to `from` has ended, and with it all that are inside of it.
    pub fn leave_block(&self, from: LabelSetId) {
        self.set(from);
        if from != LabelSetId::EMPTY {
            let mut outer = self.outer.lock();
            let block = outer.iter().rposition(|id| *id == from);
            outer.truncate(block.unwrap_or(usize::MAX));
        }
    }

    /// Every set that it has or goes back to.
    pub fn sets(&self) -> Vec<LabelSetId> {
        let mut sets = self.outer.lock().clone();
        sets.push(self.current().set);
        sets
    }
}

/// The record of the fiber that `thread`, the calling one, runs, if it has one of this session.
pub fn known(gvl: Gvl<'_>, thread: RubyThread, generation: u64) -> Option<Arc<FiberLabels>> {
    FIBER.get(gvl, thread).filter(|fiber| fiber.generation == generation)
}

/// At a moment at which the VM may serve an interrupt: `thread`, the calling one, may have entered
/// a fiber already whose switch the VM announces afterwards. Its labels count from here on; without
/// a record it has none.
pub fn follow(gvl: Gvl<'_>, thread: RubyThread, record: &ThreadRecord, generation: u64) {
    if fiber_switches::is_listening() {
        let fiber = known(gvl, thread, generation);
        record.set_labels(fiber.map(|fiber| fiber.current()).unwrap_or_default());
    }
}
