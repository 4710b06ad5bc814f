//! Links of units of work that have samples. They stay with the samples until the period ends, also
//! when a unit has ended.

use hashbrown::HashMap;
use rperf_core::ids::WorkId;
use rperf_core::work::Link;

/// Maximum number of links in a period: each makes a label set of its own in the profile.
const LIMIT: usize = 10_000;

/// Links of a period.
#[derive(Clone, Debug, Default)]
pub struct Links {
    kept: HashMap<WorkId, Link>,
    /// Number of links beyond the limit.
    pub lost: u64,
}

impl Links {
    /// Returns whether there is room for one more.
    pub fn has_room(&self) -> bool {
        self.kept.len() < LIMIT
    }

    /// Adds the link of a unit of work.
    pub fn add(&mut self, work: WorkId, link: Link) {
        self.kept.insert(work, link);
    }

    /// Returns the link of a unit of work, if it has one.
    pub fn get(&self, work: WorkId) -> Option<&Link> {
        self.kept.get(&work)
    }
}
