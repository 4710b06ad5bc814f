//! What is counted in a session, by contexts that may not take a lock.

use std::sync::atomic::{AtomicU64, Ordering};

/// The counters.
#[derive(Debug)]
pub struct SessionCounters {
    /// Ticks of the engine.
    pub ticks: AtomicU64,
    /// Ticks whose frames could not be read.
    pub unreadable: AtomicU64,
    /// Ticks whose callers were in doubt, and were cut off.
    pub cut: AtomicU64,
    /// Signals of the native probe that found no profiled thread.
    pub strays: AtomicU64,
    /// Notes of the native probe that found no room.
    pub probe_full: AtomicU64,
    /// Nanoseconds spent in the native probe's handler.
    pub handler_time: AtomicU64,
    /// Nanoseconds spent in hooks, by those that were timed, and in the mark function.
    pub hook_time: AtomicU64,
    /// Pieces of memory whose sample found the sampler in use.
    pub busy: AtomicU64,
    /// Objects that have died, as far as they were watched.
    pub died: AtomicU64,
    /// Those of them that the first collection after their birth has found dead.
    pub died_young: AtomicU64,
    /// How often a collection has marked, in the life of the process.
    collections: AtomicU64,
}

/// The counters of the process.
pub static COUNTERS: SessionCounters = SessionCounters {
    ticks: AtomicU64::new(0),
    unreadable: AtomicU64::new(0),
    cut: AtomicU64::new(0),
    strays: AtomicU64::new(0),
    probe_full: AtomicU64::new(0),
    handler_time: AtomicU64::new(0),
    hook_time: AtomicU64::new(0),
    busy: AtomicU64::new(0),
    died: AtomicU64::new(0),
    died_young: AtomicU64::new(0),
    collections: AtomicU64::new(0),
};

impl SessionCounters {
    /// Begins a session.
    pub fn begin(&self) {
        for counter in [
            &self.ticks,
            &self.unreadable,
            &self.cut,
            &self.strays,
            &self.probe_full,
            &self.busy,
            &self.handler_time,
            &self.hook_time,
            &self.died,
            &self.died_young,
        ] {
            counter.store(0, Ordering::Relaxed);
        }
    }

    /// A collection marks: words that were captured before, and that the mark function does not see
    /// now, may be other objects when it has swept. Only the mark function says so. Events can be
    /// silenced, as Ruby does when the program ends and its threads still run.
    pub fn count_collection(&self) {
        self.collections.fetch_add(1, Ordering::SeqCst);
    }

    /// How many collections have marked.
    pub fn collections(&self) -> u64 {
        self.collections.load(Ordering::SeqCst)
    }
}
