//! Units of work that have begun, and their names by now.

use std::sync::Arc;

use hashbrown::HashMap;

use super::Labelling;
use super::label_table::LabelTable;
use crate::ids::WorkId;
use crate::time::Nanos;
use crate::work::{Figures, Kind, Link, Moment};

/// A unit of work: a request, or a job.
#[derive(Clone, Debug)]
pub struct Work {
    /// Its name by now: the value of the labels that are open in its label sets.
    pub name: Arc<str>,
    /// The labels to go back to when the unit is over, or its running part.
    pub before: Labelling,
    /// The unit of work that this one is a part of.
    pub outer: WorkId,
    /// Its kind.
    pub kind: Kind,
    /// Whether its samples are kept apart until it ends. Otherwise they belong to the unit that it
    /// is a part of.
    pub has_samples: bool,
    /// Its span in a store of traces, if that is known.
    pub link: Option<Link>,
    /// Clocks and sums of its thread when its running part began; `None` while it is paused.
    pub began: Option<Moment>,
    /// Sums of its parts that have ended.
    pub spent: Figures,
    /// Number of the thread that began its last part, as a creator of fibers.
    pub creator: u32,
}

impl Work {
    /// Returns the figures of the unit. `now`: clocks and sums of the thread of its running part.
    pub fn figures(&self, now: &Moment, failed: bool) -> Figures {
        let mut all = self.spent.clone();
        if let Some(began) = &self.began {
            all.merge(&now.since(began, failed));
        }
        Figures { units: 1, errors: u64::from(failed), ..all }
    }

    /// Returns how long it has run by `now`.
    pub fn age(&self, now: Nanos) -> Nanos {
        self.spent.wall + self.began.map_or(Nanos::ZERO, |began| now - began.wall)
    }

    /// Ends a part of the unit, which goes on later.
    pub fn pause(&mut self, now: &Moment) {
        self.spent = self.figures(now, false);
        self.began = None;
    }
}

/// Units of work of a session, by number. A number is used again after half a billion others.
///
/// Units stay until [forgotten](Self::forget): fibers may have their numbers long after their end.
#[derive(Debug, Default)]
pub struct Works {
    known: HashMap<WorkId, Work>,
    last: u32,
    /// Number of units that were kept when units were last forgotten.
    kept: usize,
}

impl Works {
    /// Minimum number of units that may pile up.
    const ROOM: usize = 1024;

    /// Begins a unit of work, and returns its number.
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

    /// Returns a unit, unless it has been forgotten.
    pub fn get(&self, id: WorkId) -> Option<&Work> {
        self.known.get(&id)
    }

    /// Returns a unit, unless it has been forgotten, to be changed.
    pub fn get_mut(&mut self, id: WorkId) -> Option<&mut Work> {
        self.known.get_mut(&id)
    }

    /// Returns a unit and the units that it is a part of, the innermost first.
    pub fn around(&self, id: WorkId) -> impl Iterator<Item = &Work> {
        std::iter::successors(self.get(id), |work| self.get(work.outer))
    }

    /// Returns whether a unit and all units that it is a part of are jobs.
    pub fn are_jobs(&self, id: WorkId) -> bool {
        self.around(id).all(|work| work.kind == Kind::Job)
    }

    /// Gives a unit this name from now on.
    pub fn rename(&mut self, id: WorkId, name: &str) {
        if let Some(work) = self.known.get_mut(&id).filter(|work| &*work.name != name) {
            work.name = LabelTable::text(name.as_bytes());
        }
    }

    /// Gives a unit this link from now on, unless it has a link.
    pub fn link(&mut self, id: WorkId, link: Link) {
        if let Some(work) = self.known.get_mut(&id) {
            work.link.get_or_insert(link);
        }
    }

    /// Returns the links of the units that have one.
    pub fn links(&self) -> impl Iterator<Item = (WorkId, Link)> {
        self.known.iter().filter_map(|(id, work)| Some((*id, work.link?)))
    }

    /// Returns the name of each unit.
    pub fn names(&self) -> HashMap<WorkId, Arc<str>> {
        self.known.iter().map(|(id, work)| (*id, Arc::clone(&work.name))).collect()
    }

    /// Returns the number of units.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Returns whether units have piled up, so that those without a reference should be forgotten.
    pub fn is_full(&self) -> bool {
        self.known.len() >= 2 * self.kept + Self::ROOM
    }

    /// Forgets all units but those `in_use` and the units that these are a part of. Returns the
    /// forgotten units.
    pub fn forget(&mut self, in_use: impl IntoIterator<Item = WorkId>) -> HashMap<WorkId, Work> {
        // Room for the units that begin before the table is full again.
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
