//! Links of units of work that have samples: they stay with the samples, when a unit has ended,
//! until the period ends.

use hashbrown::HashMap;
use rperf_core::ids::WorkId;
use rperf_core::work::Link;

/// So many in a period: each makes a label set of its own in the profile.
const LIMIT: usize = 10_000;

/// Those of a period.
#[derive(Clone, Debug, Default)]
pub struct Links {
    kept: HashMap<WorkId, Link>,
    /// How many were beyond the limit.
    pub lost: u64,
}

impl Links {
    /// Whether there is room for one more.
    pub fn has_room(&self) -> bool {
        self.kept.len() < LIMIT
    }

    /// That of a unit of work.
    pub fn add(&mut self, work: WorkId, link: Link) {
        self.kept.insert(work, link);
    }

    /// That of a unit of work, if it has one.
    pub fn get(&self, work: WorkId) -> Option<&Link> {
        self.kept.get(&work)
    }
}
