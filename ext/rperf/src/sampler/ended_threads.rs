//! Data of threads that have ended and whose records are used again.

use std::sync::atomic::Ordering;

use hashbrown::HashSet;
use rperf_core::ids::ThreadSeq;
use rperf_core::profile::Thread;

use super::Sampler;
use crate::threads::record::ThreadRecord;
use crate::vm::context::Gvl;
use crate::vm::thread_names::NameWord;

/// Maximum number of ended threads that are remembered. Each takes 16 bytes, and its name a mark in
/// each collection. Later ones have numbers only.
const ENDED_LIMIT: usize = 1 << 18;

/// A thread that has ended.
pub struct EndedThread {
    seq: ThreadSeq,
    native_id: i32,
    name: NameWord,
}

impl EndedThread {
    fn of(record: &ThreadRecord) -> Self {
        Self {
            seq: record.accounts().seq,
            native_id: record.tid.load(Ordering::Relaxed),
            name: record.name.get(),
        }
    }

    fn known(&self, gvl: Gvl<'_>) -> Thread {
        let native_id = u32::try_from(self.native_id).unwrap_or_default();
        Thread { seq: self.seq, name: self.name.text(gvl), native_id, process: None }
    }
}

impl Sampler {
    /// Remembers the data of a thread, whose record is given back next.
    pub(super) fn remember(&mut self, record: &ThreadRecord) {
        if self.ended.len() < ENDED_LIMIT {
            self.ended.push(EndedThread::of(record));
        }
    }

    /// Forgets ended threads without a sampled object, or block of memory, that lives on.
    pub(super) fn forget_ended(&mut self) {
        let needed: HashSet<ThreadSeq> = self.keys_of_objects().map(|key| key.thread).collect();
        self.ended.retain(|thread| needed.contains(&thread.seq));
    }

    /// Returns the data of these threads and of the ended ones, sorted by their numbers.
    pub fn threads(&self, gvl: Gvl<'_>, living: &[&'static ThreadRecord]) -> Vec<Thread> {
        let ended = self.ended.iter().map(|thread| thread.known(gvl));
        let living = living.iter().map(|record| EndedThread::of(record).known(gvl));
        let mut threads: Vec<_> = ended.chain(living).collect();
        threads.sort_unstable_by_key(|thread| thread.seq);
        threads
    }

    /// Returns the names that the collector must keep.
    pub fn ended_names(&self) -> impl Iterator<Item = NameWord> {
        self.ended.iter().map(|thread| thread.name)
    }
}
