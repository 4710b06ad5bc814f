//! What any context may ask of the running session, and what contexts count that may not take a
//! lock: atomics only.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rperf_core::state::ByClock;

/// Flags that hooks, the sampling thread and the signal handler read. Those that each GVL event
/// needs stand first, close together.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct SessionFlags {
    /// A session runs.
    on: AtomicBool,
    /// The end of a suspension may be flushed to the thread's clock later, within its budget.
    late_resumes: AtomicBool,
    /// CPU time is measured.
    cpu: AtomicBool,
    /// Wall time is measured.
    wall: AtomicBool,
    /// Some native thread runs several threads in turn (M:N threads).
    native_shared: AtomicBool,
    /// Only threads inside of a block of `Rperf.profile` are profiled.
    deferred: AtomicBool,
    /// Native instructions are probed.
    probing: AtomicBool,
    /// Threads that wait for the GVL are counted.
    pub blames: AtomicBool,
    /// The number of the session: what an earlier one left behind is not taken for this one's.
    generation: AtomicU64,
}

/// The flags of the process.
pub static FLAGS: SessionFlags = SessionFlags {
    on: AtomicBool::new(false),
    late_resumes: AtomicBool::new(false),
    cpu: AtomicBool::new(false),
    wall: AtomicBool::new(false),
    native_shared: AtomicBool::new(false),
    deferred: AtomicBool::new(false),
    probing: AtomicBool::new(false),
    blames: AtomicBool::new(false),
    generation: AtomicU64::new(0),
};

impl SessionFlags {
    /// Begins a session: a new generation. `clocks`: those that weigh samples.
    pub fn begin(&self, clocks: ByClock<bool>, late_resumes: bool, deferred: bool, probing: bool) {
        self.late_resumes.store(late_resumes, Ordering::Relaxed);
        self.cpu.store(clocks.cpu, Ordering::Relaxed);
        self.wall.store(clocks.wall, Ordering::Relaxed);
        self.deferred.store(deferred, Ordering::Relaxed);
        self.probing.store(probing, Ordering::Relaxed);
        self.native_shared.store(false, Ordering::Relaxed);
        self.generation.fetch_add(1, Ordering::AcqRel);
        self.on.store(true, Ordering::Release);
    }

    /// Ends it: from now on hooks and signals do nothing.
    pub fn end(&self) {
        self.on.store(false, Ordering::Release);
    }

    /// Whether a session runs.
    pub fn is_on(&self) -> bool {
        self.on.load(Ordering::Acquire)
    }

    /// Whether a session runs that samples time.
    pub fn is_timed(&self) -> bool {
        self.is_on() && (self.is_cpu() || self.wall.load(Ordering::Relaxed))
    }

    /// Whether a session runs that samples wall time.
    pub fn is_wall(&self) -> bool {
        self.is_on() && self.wall.load(Ordering::Relaxed)
    }

    /// Whether a session runs that profiles only threads inside of a block of `Rperf.profile`.
    pub fn is_deferred(&self) -> bool {
        self.is_on() && self.deferred.load(Ordering::Relaxed)
    }

    /// Whether native instructions are probed.
    pub fn is_probing(&self) -> bool {
        self.probing.load(Ordering::Relaxed)
    }

    /// From now on the end of each suspension must be flushed at once: there are other Ractors, or
    /// native threads that run several threads in turn.
    pub fn flush_at_once(&self) {
        self.late_resumes.store(false, Ordering::Relaxed);
    }

    /// Whether ends of suspensions may be flushed later.
    pub fn late_resumes(&self) -> bool {
        self.late_resumes.load(Ordering::Relaxed)
    }

    /// Some native thread runs several threads in turn.
    pub fn note_shared_native_thread(&self) {
        self.native_shared.store(true, Ordering::Relaxed);
        self.flush_at_once();
    }

    /// Whether there is such a native thread.
    pub fn has_shared_native_threads(&self) -> bool {
        self.native_shared.load(Ordering::Relaxed)
    }

    /// Whether CPU time is measured.
    pub fn is_cpu(&self) -> bool {
        self.cpu.load(Ordering::Relaxed)
    }

    /// The number of the session.
    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }
}

/// What is counted in a session.
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
    /// Nanoseconds spent in hooks, by those that were timed, and in the mark function.
    HookTime,
    /// Pieces of memory whose sample found the sampler in use.
    Busy,
    /// Objects that have died, as far as they were watched.
    Died,
    /// Those of them that the first collection after their birth has found dead.
    DiedYoung,
}

static COUNTS: [AtomicU64; Counter::DiedYoung as usize + 1] =
    [const { AtomicU64::new(0) }; Counter::DiedYoung as usize + 1];

impl Counter {
    /// Begins a session.
    pub fn begin_all() {
        COUNTS.iter().for_each(|count| count.store(0, Ordering::Relaxed));
    }

    /// So many more.
    pub fn add(self, more: u64) {
        COUNTS[self as usize].fetch_add(more, Ordering::Relaxed);
    }

    /// So many in all.
    pub fn set(self, all: u64) {
        COUNTS[self as usize].store(all, Ordering::Relaxed);
    }

    /// How many there are, while other threads go on counting; with `clear` from 0.
    pub fn read(self, clear: bool) -> u64 {
        let count = &COUNTS[self as usize];
        if clear { count.swap(0, Ordering::Relaxed) } else { count.load(Ordering::Relaxed) }
    }
}

/// The era of captures, in the life of the process.
static ERA: AtomicU64 = AtomicU64::new(0);

/// What was captured up to now, and is in no table yet, is void: a collection marks, or another
/// period begins.
///
/// Words that were captured before a collection, and that its mark function does not see, may be
/// other objects when it has swept. Only the mark function says so: events can be silenced, as Ruby
/// does when the program ends and its threads still run.
pub fn begin_era() {
    ERA.fetch_add(1, Ordering::SeqCst);
}

/// The era of what is captured from now on.
pub fn era() -> u64 {
    ERA.load(Ordering::SeqCst)
}
