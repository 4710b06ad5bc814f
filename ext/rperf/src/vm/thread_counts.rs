//! Numbers of objects that single threads have allocated, for threads that ask for it.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::context::{Gvl, InAlloc};
use super::slow_path::{self, SlowPath};
use super::threads::RubyThread;

/// Maximum number of threads that count at the same time.
const COUNTING_THREADS: usize = 64;

/// A counting thread.
struct CountingThread {
    /// Address of the thread's structure; 0: the place is free.
    thread: AtomicUsize,
    counted: AtomicU64,
    /// Nesting depth of the thread's counting blocks.
    depth: AtomicU64,
}

static THREADS: [CountingThread; COUNTING_THREADS] = [const {
    CountingThread { thread: AtomicUsize::new(0), counted: AtomicU64::new(0), depth: AtomicU64::new(0) }
}; COUNTING_THREADS];

/// Guard: while it lives, the objects that its thread allocates are counted.
#[derive(Debug)]
pub struct ThreadCount {
    place: usize,
    before: u64,
}

impl ThreadCount {
    /// Begins to count the objects of this thread. `None` where too many threads count already.
    pub fn begin(gvl: Gvl<'_>) -> Option<Self> {
        let thread = RubyThread::current(gvl).structure().0;
        let place = find(thread).or_else(|| claim(thread))?;
        THREADS[place].depth.fetch_add(1, Ordering::Relaxed);
        slow_path::set(SlowPath::Threads, true);
        Some(Self { place, before: THREADS[place].counted.load(Ordering::Relaxed) })
    }

    /// Returns the number of objects that the thread has allocated since.
    pub fn counted(&self) -> u64 {
        THREADS[self.place].counted.load(Ordering::Relaxed) - self.before
    }
}

impl Drop for ThreadCount {
    fn drop(&mut self) {
        let place = &THREADS[self.place];
        if place.depth.fetch_sub(1, Ordering::Relaxed) == 1 {
            place.thread.store(0, Ordering::Release);
        }
        let is_any = THREADS.iter().any(|place| place.thread.load(Ordering::Relaxed) != 0);
        slow_path::set(SlowPath::Threads, is_any);
    }
}

/// Counts an object of this thread, if the thread counts.
pub fn count(in_alloc: InAlloc<'_>) {
    let thread = RubyThread::current(in_alloc.gvl()).structure().0;
    if let Some(place) = find(thread) {
        THREADS[place].counted.fetch_add(1, Ordering::Relaxed);
    }
}

fn find(thread: usize) -> Option<usize> {
    THREADS.iter().position(|place| place.thread.load(Ordering::Relaxed) == thread)
}

fn claim(thread: usize) -> Option<usize> {
    THREADS.iter().position(|place| {
        place.thread.compare_exchange(0, thread, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    })
}
