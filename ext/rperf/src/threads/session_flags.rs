//! What any context may ask of the running session: atomics only.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rperf_core::state::ByClock;

/// Flags that hooks, the sampling thread and the signal handler read. Those that each GVL event
/// needs stand first, close together.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct SessionFlags {
    /// A session runs.
    on: AtomicBool,
    /// It samples time.
    timed: AtomicBool,
    /// The end of a suspension may be flushed to the thread's clock later, within its budget.
    late_resumes: AtomicBool,
    /// CPU time is measured.
    cpu: AtomicBool,
    /// Some native thread runs several threads in turn (M:N threads).
    native_shared: AtomicBool,
    /// Only threads inside of a block of `Rperf.profile` are profiled.
    deferred: AtomicBool,
    /// Native instructions are probed.
    probing: AtomicBool,
    /// Threads that wait for the GVL are counted.
    pub blames: AtomicBool,
    /// The sampling thread waits for a thread to get the GVL: the thread that does wakes it.
    pub resting: AtomicBool,
    /// The number of the session: what an earlier one left behind is not taken for this one's.
    generation: AtomicU64,
}

/// The flags of the process.
pub static FLAGS: SessionFlags = SessionFlags {
    on: AtomicBool::new(false),
    timed: AtomicBool::new(false),
    late_resumes: AtomicBool::new(false),
    cpu: AtomicBool::new(false),
    native_shared: AtomicBool::new(false),
    deferred: AtomicBool::new(false),
    probing: AtomicBool::new(false),
    blames: AtomicBool::new(false),
    resting: AtomicBool::new(false),
    generation: AtomicU64::new(0),
};

impl SessionFlags {
    /// Begins a session: a new generation. `resting` stays: the sampling thread, which runs
    /// already, may rest. `clocks`: those that weigh samples.
    pub fn begin(&self, clocks: ByClock<bool>, late_resumes: bool, deferred: bool, probing: bool) {
        self.late_resumes.store(late_resumes, Ordering::Relaxed);
        self.timed.store(clocks.any(), Ordering::Relaxed);
        self.cpu.store(clocks.cpu, Ordering::Relaxed);
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
        self.is_on() && self.timed.load(Ordering::Relaxed)
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
