//! The state of the running session that any context may look at: atomics only.

use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};

use rperf_core::state::Mode;

use crate::threads::slot::ThreadSlot;

/// What hooks, the worker and the signal handler need to know. What each GVL event needs stands first, close together.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Live {
    /// Whether a session runs.
    on: AtomicBool,
    /// Ends of suspensions may be told later, as long as there is room for them.
    late_resumes: AtomicBool,
    /// CPU time is measured.
    cpu: AtomicBool,
    /// Some native thread runs several threads in turn (M:N threads).
    pub native_shared: AtomicBool,
    /// And those of threads that compute without the GVL.
    pub native_away: AtomicBool,
    /// Only threads inside of an `Rperf.profile` block are profiled.
    deferred: AtomicBool,
    /// Instruction pointers of merged ticks are kept.
    pub native: AtomicBool,
    /// The worker has stopped ticking since nothing ran: whoever resumes must wake it.
    pub worker_idle: AtomicBool,
    /// The number of the session, so that what an earlier one left behind is not taken for this one's.
    generation: AtomicU64,
    /// The thread that holds the main Ractor's GVL.
    holder: AtomicPtr<ThreadSlot>,
    /// How many turns there have been.
    turns: AtomicU64,
    /// How many steps of collections.
    collections: AtomicU64,
    /// Ticks of the timer in this session.
    pub ticks: AtomicU64,
    /// Time spent in the signal handler, in nanoseconds.
    pub handler_time: AtomicU64,
    /// What interpreting a tick takes lately, in nanoseconds.
    pub interpreting_time: AtomicU64,
    /// Signals that came for no session or thread, in this session or after the one before.
    pub strays: AtomicU64,
    /// Ticks that found no room in the ring.
    pub ring_full: AtomicU64,
    /// Ticks whose frames could not be read.
    pub unreadable: AtomicU64,
    /// Some thread slept while it held the GVL: the worker should look more often.
    pub sleeper_seen: AtomicBool,
    /// The session began without task clocks, and has them now.
    pub clocks_took_over: AtomicBool,
    /// Somebody watches for threads that sleep while they hold the GVL.
    pub watched: AtomicBool,
}

/// The one.
pub static LIVE: Live = Live {
    on: AtomicBool::new(false),
    generation: AtomicU64::new(0),
    ticks: AtomicU64::new(0),
    handler_time: AtomicU64::new(0),
    interpreting_time: AtomicU64::new(0),
    strays: AtomicU64::new(0),
    ring_full: AtomicU64::new(0),
    unreadable: AtomicU64::new(0),
    worker_idle: AtomicBool::new(false),
    sleeper_seen: AtomicBool::new(false),
    clocks_took_over: AtomicBool::new(false),
    watched: AtomicBool::new(false),
    native: AtomicBool::new(false),
    native_away: AtomicBool::new(false),
    native_shared: AtomicBool::new(false),
    late_resumes: AtomicBool::new(false),
    cpu: AtomicBool::new(false),
    deferred: AtomicBool::new(false),
    holder: AtomicPtr::new(std::ptr::null_mut()),
    turns: AtomicU64::new(0),
    collections: AtomicU64::new(0),
};

impl Live {
    /// Begins a session: counters at zero, a new generation. `worker_idle` stays: the worker, which runs already, may rest.
    pub fn begin(&self, mode: Mode, late_resumes: bool, watched: bool, deferred: bool) {
        self.watched.store(watched, Ordering::Relaxed);
        self.late_resumes.store(late_resumes, Ordering::Relaxed);
        self.cpu.store(mode == Mode::Cpu, Ordering::Relaxed);
        self.deferred.store(deferred, Ordering::Relaxed);
        self.native_shared.store(false, Ordering::Relaxed);
        self.clocks_took_over.store(false, Ordering::Relaxed);
        for counter in [
            &self.ticks,
            &self.handler_time,
            &self.interpreting_time,
            &self.strays,
            &self.ring_full,
            &self.unreadable,
        ] {
            counter.store(0, Ordering::Relaxed);
        }
        self.sleeper_seen.store(false, Ordering::Relaxed);
        self.set_holder(None);
        self.generation.fetch_add(1, Ordering::AcqRel);
        self.on.store(true, Ordering::Release);
    }

    /// Says whether native instruction pointers are wanted, before [`begin`](Self::begin). `away`: also those of
    /// threads without the GVL, whose CPU time is charged when they come back.
    pub fn set_native(&self, native: bool, away: bool) {
        self.native.store(native, Ordering::Relaxed);
        self.native_away.store(native && away, Ordering::Relaxed);
    }

    /// Ends it: from now on hooks and signals do nothing.
    pub fn end(&self) {
        self.on.store(false, Ordering::Release);
    }

    /// Whether a session runs.
    pub fn is_on(&self) -> bool {
        self.on.load(Ordering::Acquire)
    }

    /// Whether a session runs that profiles only threads inside of an `Rperf.profile` block.
    pub fn is_deferred(&self) -> bool {
        self.is_on() && self.deferred.load(Ordering::Relaxed)
    }

    /// From now on the end of each suspension must be told at once: there are other Ractors, or native threads that run
    /// several threads in turn, or threads open their task clocks there.
    pub fn tell_at_once(&self) {
        self.late_resumes.store(false, Ordering::Relaxed);
    }

    /// Whether ends of suspensions may be told later.
    pub fn late_resumes(&self) -> bool {
        self.late_resumes.load(Ordering::Relaxed)
    }

    /// Whether CPU time is measured.
    pub fn is_cpu(&self) -> bool {
        self.cpu.load(Ordering::Relaxed)
    }

    /// A tick came for a thread that is not profiled. (Where threads are profiled in parts, one may be on its way when
    /// such a part ends.)
    pub fn count_stray(&self) {
        if !self.is_deferred() {
            self.strays.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The number of the session.
    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// Remembers who holds the GVL.
    pub fn set_holder(&self, slot: Option<&'static ThreadSlot>) {
        let pointer = slot.map_or(std::ptr::null_mut(), |slot| std::ptr::from_ref(slot).cast_mut());
        self.holder.store(pointer, Ordering::Release);
    }

    /// Forgets `slot` as the holder, if it is.
    pub fn clear_holder(&self, slot: &'static ThreadSlot) {
        // Who holds the GVL says so itself: it is still this one, or that of another Ractor.
        if std::ptr::eq(self.holder.load(Ordering::Relaxed), slot) {
            self.holder.store(std::ptr::null_mut(), Ordering::Release);
        }
    }

    /// The program runs with the GVL from now on. Called by who has it.
    pub fn begin_turn(&self) {
        self.turns.store(self.turns.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    /// How many turns there have been.
    pub fn turns(&self) -> u64 {
        self.turns.load(Ordering::Relaxed)
    }

    /// A step of a collection has ended: words that were read before it, also just before, may mean other objects now.
    pub fn count_collection(&self) {
        self.collections.fetch_add(1, Ordering::Relaxed);
    }

    /// How many there have been.
    pub fn collections(&self) -> u64 {
        self.collections.load(Ordering::Relaxed)
    }

    /// Who holds the GVL, as far as the events tell.
    pub fn holder(&self) -> Option<&'static ThreadSlot> {
        ThreadSlot::from_pointer(self.holder.load(Ordering::Acquire))
    }
}
