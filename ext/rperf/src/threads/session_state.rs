//! State of the running session that any context may read, and counters for contexts that may not
//! take a lock: atomics only.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rperf_core::collect::{Deaths, LIFETIMES};
use rperf_core::state::ByClock;

/// Flags that hooks, the sampling thread and the signal handler read. The flags that each GVL event
/// needs stand first, close together.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct SessionFlags {
    on: AtomicBool,
    /// Whether ends of suspensions may be flushed to clocks later, within the deferral budget. Not
    /// where there are other Ractors, or native threads that run several threads in turn.
    pub late_resumes: AtomicBool,
    cpu: AtomicBool,
    wall: AtomicBool,
    /// Whether only threads inside of a block of `Rperf.profile` are profiled.
    deferred: AtomicBool,
    /// Whether threads that wait for the GVL are counted.
    pub blames: AtomicBool,
    /// Number of the session, which tells its data from those of an earlier one.
    generation: AtomicU64,
    /// Number of the first session of those that go on one from the other up to this one: in a
    /// forked child, say.
    since: AtomicU64,
}

pub static FLAGS: SessionFlags = SessionFlags {
    on: AtomicBool::new(false),
    late_resumes: AtomicBool::new(false),
    cpu: AtomicBool::new(false),
    wall: AtomicBool::new(false),
    deferred: AtomicBool::new(false),
    blames: AtomicBool::new(false),
    generation: AtomicU64::new(0),
    since: AtomicU64::new(0),
};

impl SessionFlags {
    /// Begins a session: a new generation. `clocks`: the clocks that weigh samples.
    pub fn begin(&self, clocks: ByClock<bool>, late_resumes: bool, deferred: bool) {
        self.late_resumes.store(late_resumes, Ordering::Relaxed);
        self.cpu.store(clocks.cpu, Ordering::Relaxed);
        self.wall.store(clocks.wall, Ordering::Relaxed);
        self.deferred.store(deferred, Ordering::Relaxed);
        let before = self.generation.fetch_add(1, Ordering::AcqRel);
        self.since.store(before + 1, Ordering::Relaxed);
        self.on.store(true, Ordering::Release);
    }

    /// Ends the session: from now on hooks and signals do nothing.
    pub fn end(&self) {
        self.on.store(false, Ordering::Release);
    }

    pub fn is_on(&self) -> bool {
        self.on.load(Ordering::Acquire)
    }

    /// Returns whether a session runs that samples time.
    pub fn is_timed(&self) -> bool {
        self.is_on() && (self.is_cpu() || self.wall.load(Ordering::Relaxed))
    }

    /// Returns whether a session runs that samples wall time.
    pub fn is_wall(&self) -> bool {
        self.is_on() && self.wall.load(Ordering::Relaxed)
    }

    /// Returns whether a session runs that profiles only threads inside of `Rperf.profile` blocks.
    pub fn is_deferred(&self) -> bool {
        self.is_on() && self.deferred.load(Ordering::Relaxed)
    }

    pub fn is_cpu(&self) -> bool {
        self.cpu.load(Ordering::Relaxed)
    }

    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// Lets the session go on from the one before.
    pub fn go_on(&self, since: u64) {
        self.since.store(since, Ordering::Relaxed);
    }

    /// Number of the first session from which this one goes on; its own number if it begins anew.
    pub fn since(&self) -> u64 {
        self.since.load(Ordering::Relaxed)
    }

    /// Returns whether the running session goes on from the one with this number, or is that one.
    pub fn includes(&self, session: u64) -> bool {
        (self.since()..=self.generation()).contains(&session)
    }
}

/// A counter of a session.
#[derive(Clone, Copy, Debug)]
pub enum Counter {
    /// Ticks of the engine.
    Ticks,
    /// Ticks whose frames could not be read.
    Unreadable,
    /// Ticks whose callers were in doubt, and were cut off.
    Cut,
    /// Signals of the native probe that found no profiled thread.
    Strays,
    /// Notes of the native probe that found no room.
    ProbeFull,
    /// Nanoseconds spent in the native probe's handler.
    HandlerTime,
    /// Nanoseconds in hooks, estimated by those that were timed, and in the mark function.
    HookTime,
    /// Pieces of memory whose sample found the sampler in use; objects due on a short native stack.
    Busy,
}

static COUNTS: [AtomicU64; Counter::Busy as usize + 1] =
    [const { AtomicU64::new(0) }; Counter::Busy as usize + 1];
/// Objects that have died in the session, as far as they were watched.
static DEATHS: [AtomicU64; LIFETIMES] = [const { AtomicU64::new(0) }; LIFETIMES];

/// Notes how many objects have died so far.
pub fn set_deaths(deaths: Deaths) {
    DEATHS.iter().zip(deaths).for_each(|(count, number)| count.store(number, Ordering::Relaxed));
}

/// Returns how many objects have died in the session, or the last one.
pub fn deaths() -> Deaths {
    DEATHS.each_ref().map(|count| count.load(Ordering::Relaxed))
}

impl Counter {
    /// Begins a session with all counters at 0.
    pub fn begin_all() {
        COUNTS.iter().chain(&DEATHS).for_each(|count| count.store(0, Ordering::Relaxed));
    }

    pub fn add(self, more: u64) {
        COUNTS[self as usize].fetch_add(more, Ordering::Relaxed);
    }

    /// Returns the count, while other threads go on counting. With `clear` it begins again at 0.
    pub fn read(self, clear: bool) -> u64 {
        let count = &COUNTS[self as usize];
        if clear { count.swap(0, Ordering::Relaxed) } else { count.load(Ordering::Relaxed) }
    }
}

/// Number of the current era of captures, in the life of the process.
static ERA: AtomicU64 = AtomicU64::new(0);

/// Begins another era: captures up to now that are in no table yet are void. A collection marks, or
/// another period begins.
///
/// Words that were captured before a collection, and that its mark function does not see, may be
/// other objects when it has swept. Only the mark function announces a collection here: events can
/// be silenced, as Ruby does when the program ends and its threads still run.
pub fn begin_era() {
    ERA.fetch_add(1, Ordering::SeqCst);
}

/// Returns the era of captures from now on.
pub fn era() -> u64 {
    ERA.load(Ordering::SeqCst)
}
