//! Which collections are announced: only these tell the truth about the watched objects.
//!
//! The VM announces a collection by events: its start, and its end of marking, when it is known
//! which objects are dead. It does not announce all: a collection of another Ractor, or of a thread
//! inside of a hook, passes unannounced. Then no watched object may die, or another object could
//! get its address unnoticed. The mark function, called in every collection, keeps all then.

/// Announcements so far. Collections have the numbers that the VM gives them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Announcements {
    /// The last collection whose start was announced.
    started: Option<u64>,
    /// The same one, until it is known which objects are dead, or that no watched object could die.
    open: Option<u64>,
    /// The last collection that kept all watched objects.
    kept: Option<u64>,
    /// Number of collections that kept all watched objects.
    unannounced: u64,
    /// Number of announced collections whose end of marking was never announced.
    lost: u64,
}

impl Announcements {
    /// Notes that a collection begins. Returns true when objects may have died unnoticed in the one
    /// before: all watched objects must be forgotten then.
    pub fn start(&mut self, collection: u64) -> bool {
        let lost = self.open.is_some_and(|before| before != collection);
        self.lost += u64::from(lost);
        (self.started, self.open) = (Some(collection), Some(collection));
        lost
    }

    /// Notes that a collection marks. `told`: whether the events of its Ractor are announced.
    /// Returns true when all watched objects must be kept.
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

    /// Notes that a collection has marked.
    pub fn end_of_marking(&mut self, collection: u64) {
        self.open = self.open.filter(|open| *open != collection);
    }

    /// Returns the number of unannounced collections, which kept all watched objects.
    pub fn unannounced(&self) -> u64 {
        self.unannounced
    }

    /// Returns the number of announced collections whose end of marking was never announced.
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
