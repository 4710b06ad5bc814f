//! The records of fibers that have labels: what they refer to must be kept.

use std::sync::{Arc, Weak};

use rperf_core::ids::{LabelSetId, WorkId};

use crate::threads::fiber_labels::FiberLabels;

/// The records of fibers, and those of fibers that have been collected since they were last sorted
/// out.
#[derive(Debug, Default)]
pub struct Fibers {
    records: Vec<Weak<FiberLabels>>,
    /// How many there were then.
    kept: usize,
}

impl Fibers {
    /// So many may pile up, at least.
    const ROOM: usize = 64;

    /// A fiber has got its record.
    pub fn add(&mut self, fiber: &Arc<FiberLabels>) {
        if self.records.len() >= 2 * self.kept + Self::ROOM {
            self.sort_out();
        }
        self.records.push(Arc::downgrade(fiber));
    }

    fn sort_out(&mut self) {
        self.records.retain(|fiber| fiber.strong_count() > 0);
        self.kept = self.records.len();
    }

    /// How many records there are, some of fibers that have been collected.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Every set that some fiber has or goes back to.
    pub fn sets(&self) -> impl Iterator<Item = LabelSetId> {
        self.alive().flat_map(|fiber| fiber.sets())
    }

    /// Every unit of work that some fiber is in.
    pub fn works(&self) -> impl Iterator<Item = WorkId> {
        self.alive().flat_map(|fiber| fiber.works())
    }

    fn alive(&self) -> impl Iterator<Item = Arc<FiberLabels>> {
        self.records.iter().filter_map(Weak::upgrade)
    }
}
