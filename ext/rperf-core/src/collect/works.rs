//! Units of work that have begun, and what they are called by now.

use std::sync::Arc;

use hashbrown::HashMap;

use super::label_table::LabelTable;
use crate::ids::{LabelSetId, WorkId};
use crate::work::{Kind, Link, Moment};

/// A unit of work: a request, or a job.
#[derive(Clone, Debug)]
pub struct Work {
    /// What it is called by now: the value of the labels that its label sets leave open.
    pub name: Arc<str>,
    /// The labels to go back to when it is over.
    pub before: LabelSetId,
    /// The unit of work that it is a part of.
    pub outer: WorkId,
    /// What it is.
    pub kind: Kind,
    /// Whether its samples are kept apart until it ends. Otherwise they are those of the unit that
    /// it is a part of.
    pub has_samples: bool,
    /// Where it is found among traces, if that is known.
    pub link: Option<Link>,
    /// What its thread had spent when it began.
    pub began: Moment,
    /// The number of the thread that began it, as a creator of fibers.
    pub creator: u32,
}

/// The units of work of a session, by number. A number is used again after half a billion others.
///
/// One stays until it is [forgotten](Self::forget): fibers may have its number long after its end.
#[derive(Debug, Default)]
pub struct Works {
    known: HashMap<WorkId, Work>,
    last: u32,
    /// How many were kept when it was last asked which are in use.
    kept: usize,
}

impl Works {
    /// So many may pile up, at least.
    const ROOM: usize = 1024;

    /// One begins.
    pub fn begin(&mut self, work: Work) -> WorkId {
        loop {
            self.last = self.last % WorkId::MAX + 1;
            let id = WorkId(self.last);
            if !self.known.contains_key(&id) {
                self.known.insert(id, work);
                return id;
            }
        }
    }

    /// One, unless it has been forgotten.
    pub fn get(&self, id: WorkId) -> Option<&Work> {
        self.known.get(&id)
    }

    /// One, and those that it is a part of, the innermost first.
    pub fn around(&self, id: WorkId) -> impl Iterator<Item = &Work> {
        std::iter::successors(self.get(id), |work| self.get(work.outer))
    }

    /// From now on it has this name.
    pub fn rename(&mut self, id: WorkId, name: &str) {
        if let Some(work) = self.known.get_mut(&id).filter(|work| &*work.name != name) {
            work.name = LabelTable::text(name.as_bytes());
        }
    }

    /// From now on it has this link, unless it has one.
    pub fn link(&mut self, id: WorkId, link: Link) {
        if let Some(work) = self.known.get_mut(&id) {
            work.link.get_or_insert(link);
        }
    }

    /// The links of those that have one.
    pub fn links(&self) -> impl Iterator<Item = (WorkId, Link)> {
        self.known.iter().filter_map(|(id, work)| Some((*id, work.link?)))
    }

    /// What each of them is called.
    pub fn names(&self) -> HashMap<WorkId, Arc<str>> {
        self.known.iter().map(|(id, work)| (*id, Arc::clone(&work.name))).collect()
    }

    /// How many are kept.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Whether so many have piled up that those should be forgotten that nothing refers to.
    pub fn is_full(&self) -> bool {
        self.known.len() >= 2 * self.kept + Self::ROOM
    }

    /// Forgets all but those that `in_use` knows, and those that these are a part of. Returns the
    /// others.
    pub fn forget(&mut self, in_use: impl IntoIterator<Item = WorkId>) -> HashMap<WorkId, Work> {
        // As many will begin before it is full again.
        let mut kept = HashMap::with_capacity(self.known.len());
        for mut id in in_use {
            while let Some(work) = self.known.remove(&id) {
                let outer = work.outer;
                kept.insert(id, work);
                id = outer;
            }
        }
        self.kept = kept.len();
        std::mem::replace(&mut self.known, kept)
    }
}
