//! The records of fibers that have labels: label sets and units of work in them must be kept.

use std::sync::{Arc, Weak};

use rperf_core::ids::{LabelSetId, WorkId};

use crate::threads::fiber_labels::FiberLabels;

/// The records of fibers, some of fibers that have been collected since the records were last
/// sorted out.
#[derive(Debug, Default)]
pub struct Fibers {
    records: Vec<Weak<FiberLabels>>,
    /// Number of records after they were last sorted out.
    kept: usize,
}

impl Fibers {
    /// Minimum number of records that pile up before they are sorted out.
    const ROOM: usize = 64;

    /// Adds the record of a fiber.
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

    /// Returns the number of records, some of fibers that have been collected.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Returns every label set that some fiber has or returns to.
    pub fn sets(&self) -> impl Iterator<Item = LabelSetId> {
        self.alive().flat_map(|fiber| fiber.sets())
    }

    /// Returns every unit of work that some fiber is in.
    pub fn works(&self) -> impl Iterator<Item = WorkId> {
        self.alive().flat_map(|fiber| fiber.works())
    }

    fn alive(&self) -> impl Iterator<Item = Arc<FiberLabels>> {
        self.records.iter().filter_map(Weak::upgrade)
    }
}
