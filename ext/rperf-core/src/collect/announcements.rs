//! Which collections tell the truth about the objects that are watched.
//!
//! The VM tells of a collection by events: its start, and its end of marking, when it is known
//! which objects are dead. It does not tell of all: a collection of another Ractor, or of a thread
//! inside of a hook, passes unannounced. Then nothing that is watched may die, or its address would
//! be let anew unnoticed. Only the mark function is asked in every collection: it keeps all.

/// What has been told so far. Collections have the numbers that the VM gives them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Announcements {
    /// The last collection whose start was told.
    started: Option<u64>,
    /// The same, until it is known which objects are dead, or that none of those watched could die.
    open: Option<u64>,
    /// The last one that kept all.
    kept: Option<u64>,
    /// How many of these there were.
    unannounced: u64,
    /// How many collections were announced whose end of marking was never told.
    lost: u64,
}

impl Announcements {
    /// A collection begins. True when objects may have died unnoticed in the one before: what was
    /// watched must be forgotten.
    pub fn start(&mut self, collection: u64) -> bool {
        let lost = self.open.is_some_and(|before| before != collection);
        self.lost += u64::from(lost);
        (self.started, self.open) = (Some(collection), Some(collection));
        lost
    }

    /// A collection marks, in a Ractor whose events are told or not. True when all that is watched
    /// must be kept.
    pub fn mark(&mut self, collection: u64, told: bool) -> bool {
        if told && self.started == Some(collection) {
            return false;
        }
        if self.kept != Some(collection) {
            self.unannounced += 1;
        }
        self.kept = Some(collection);
        self.open = self.open.filter(|open| *open != collection);
        true
    }

    /// A collection has marked.
    pub fn end_of_marking(&mut self, collection: u64) {
        self.open = self.open.filter(|open| *open != collection);
    }

    /// How many collections kept all that is watched, since they were not announced.
    pub fn unannounced(&self) -> u64 {
        self.unannounced
    }

    /// How many announced collections never told their end of marking.
    pub fn lost(&self) -> u64 {
        self.lost
    }
}

#[cfg(test)]
mod tests {
    use super::Announcements;

    #[test]
    fn an_announced_collection_keeps_nothing() {
        let mut told = Announcements::default();
        for collection in 5..9 {
            assert!(!told.start(collection));
            assert!(!told.mark(collection, true));
            assert!(!told.mark(collection, true), "marking goes on");
            told.end_of_marking(collection);
        }
        assert_eq!((told.unannounced(), told.lost()), (0, 0));
    }

    #[test]
    fn an_unannounced_one_keeps_all_and_counts_once() {
        let mut told = Announcements::default();
        told.start(1);
        told.end_of_marking(1);
        assert!(told.mark(2, false));
        assert!(told.mark(2, false));
        assert!(told.mark(3, true), "inside of a hook");
        assert!(!told.start(4));
        assert_eq!((told.unannounced(), told.lost()), (2, 0));
    }

    #[test]
    fn one_that_another_ractor_ends_keeps_all() {
        let mut told = Announcements::default();
        assert!(!told.start(1));
        assert!(!told.mark(1, true));
        assert!(told.mark(1, false), "the last steps of an incremental marking");
        assert!(!told.start(2), "nothing died unnoticed");
        assert_eq!((told.unannounced(), told.lost()), (1, 0));
    }

    #[test]
    fn without_its_end_of_marking_objects_may_have_died_unnoticed() {
        let mut told = Announcements::default();
        told.start(1);
        told.mark(1, true);
        assert!(told.start(2));
        told.end_of_marking(2);
        assert!(!told.start(3));
        assert_eq!(told.lost(), 1);
    }
}
