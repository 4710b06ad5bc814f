//! What the profiler keeps for each thread.
//!
//! Slots are never freed, only used again: a signal may look at one while its thread ends.

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rperf_core::accounting::{Jitter, ThreadClock};
use rperf_core::collect::{SlotId, TickFrame};
use rperf_core::ids::{FrameId, LabelSetId, ThreadSeq};
use rperf_core::state::Mode;
use rperf_core::time::Nanos;

use crate::os::clock::CpuClock;
use crate::vm::threads::ThreadStruct;

/// A thread's place in the profiler.
#[derive(Debug)]
pub struct ThreadSlot {
    /// The session that uses the slot; 0 while it is free.
    generation: AtomicU64,
    structure: AtomicUsize,
    /// It holds the GVL and runs the program: ticks count. Not while suspended, nor during GC.
    running: AtomicBool,
    labels: AtomicU32,
    /// The reading of its CPU clock at which its next tick is due, in nanoseconds; 0 where no clock of its own ticks it.
    due: AtomicU64,
    /// Ticks taken by the thread's own signal handler.
    pub ticks: TickQueue,
    /// Ticks taken by the worker, from outside.
    seen: Mutex<VecDeque<SlotId>>,
    state: Mutex<SlotState>,
}

/// The part of a slot that is used under its lock. The signal handler never takes it.
#[derive(Debug)]
pub struct SlotState {
    /// The thread's number in the session.
    pub seq: ThreadSeq,
    /// Its accounting.
    pub clock: ThreadClock,
    /// Its CPU clock, for others to read; known once it has run.
    pub cpu_clock: Option<CpuClock>,
    /// Frames of the last stack, outermost first, with their ids: most of a stack does not change from one
    /// sample to the next.
    pub cache: Vec<(TickFrame, Option<FrameId>)>,
    /// Time of threads that ended before, which the next tick carries.
    pub inherited: Nanos,
    /// The last stack that was sampled, the leaf first.
    pub last_stack: Vec<FrameId>,
    /// How many ticks it has had.
    pub tick_count: u64,
    /// Voluntary context switches of the native thread when last looked at.
    pub switches: u64,
}

impl SlotState {
    fn new(seq: ThreadSeq, clock: ThreadClock) -> Self {
        Self {
            seq,
            clock,
            cpu_clock: None,
            cache: Vec::with_capacity(128),
            inherited: Nanos::ZERO,
            last_stack: Vec::with_capacity(128),
            tick_count: 0,
            switches: 0,
        }
    }
}

static FREE: Mutex<Vec<&'static ThreadSlot>> = Mutex::new(Vec::new());
static IN_USE: Mutex<Vec<&'static ThreadSlot>> = Mutex::new(Vec::new());

impl ThreadSlot {
    /// Takes a free slot, or makes one.
    pub fn take(
        generation: u64,
        structure: ThreadStruct,
        seq: ThreadSeq,
        clock: ThreadClock,
    ) -> &'static Self {
        let slot = lock(&FREE).pop().unwrap_or_else(|| Box::leak(Box::new(Self::empty())));
        *slot.state() = SlotState::new(seq, clock);
        slot.structure.store(structure.0, Ordering::Release);
        slot.labels.store(0, Ordering::Relaxed);
        slot.set_due(0);
        slot.running.store(false, Ordering::Release);
        slot.generation.store(generation, Ordering::Release);
        lock(&IN_USE).push(slot);
        slot
    }

    /// Gives the slot back, when its thread or session has ended.
    pub fn release(&'static self) {
        self.running.store(false, Ordering::Release);
        self.generation.store(0, Ordering::Release);
        lock(&IN_USE).retain(|slot| !std::ptr::eq(*slot, self));
        lock(&FREE).push(self);
    }

    /// All slots in use.
    pub fn all() -> Vec<&'static Self> {
        lock(&IN_USE).clone()
    }

    /// Forgets all slots without touching them: a forked child must not, since the parent's other threads
    /// may have held their locks.
    pub fn forget_all() {
        for list in [&FREE, &IN_USE] {
            if let Ok(mut list) = list.try_lock() {
                list.clear();
            }
        }
    }

    fn empty() -> Self {
        Self {
            generation: AtomicU64::new(0),
            structure: AtomicUsize::new(0),
            running: AtomicBool::new(false),
            labels: AtomicU32::new(0),
            due: AtomicU64::new(0),
            ticks: TickQueue::new(),
            seen: Mutex::new(VecDeque::with_capacity(QUEUE)),
            state: Mutex::new(SlotState::new(
                ThreadSeq(0),
                ThreadClock::suspended(Mode::Cpu, false, Nanos::ZERO, Nanos::ZERO),
            )),
        }
    }

    /// From a pointer that was made of a `&'static ThreadSlot`.
    pub fn from_pointer(pointer: *mut Self) -> Option<&'static Self> {
        crate::os::pointer::from_static(pointer)
    }

    /// Whether the slot belongs to this session.
    pub fn is_of(&self, generation: u64) -> bool {
        self.generation.load(Ordering::Acquire) == generation
    }

    /// The thread's structure in the VM.
    pub fn structure(&self) -> ThreadStruct {
        ThreadStruct(self.structure.load(Ordering::Acquire))
    }

    /// Whether ticks count now.
    pub fn is_running(&self) -> bool {
        self.running.load(Ordering::Acquire)
    }

    /// Says whether ticks count from now on.
    pub fn set_running(&self, running: bool) {
        self.running.store(running, Ordering::Release);
    }

    /// When its next tick is due.
    pub fn due(&self) -> Nanos {
        Nanos(self.due.load(Ordering::Relaxed))
    }

    /// Says when.
    pub fn set_due(&self, due: u64) {
        self.due.store(due, Ordering::Relaxed);
    }

    /// The thread's labels.
    pub fn labels(&self) -> LabelSetId {
        LabelSetId(self.labels.load(Ordering::Relaxed))
    }

    /// Sets them.
    pub fn set_labels(&self, labels: LabelSetId) {
        self.labels.store(labels.0, Ordering::Relaxed);
    }

    /// Ticks taken by the worker, from outside, that wait to be interpreted: at most [`QUEUE`]. The signal
    /// handler never takes this lock.
    pub fn seen(&self) -> MutexGuard<'_, VecDeque<SlotId>> {
        lock(&self.seen)
    }

    /// Whether ticks wait to be interpreted.
    pub fn has_ticks(&self) -> bool {
        self.ticks.first().is_some() || !self.seen().is_empty()
    }

    /// Locks the slot's state.
    pub fn state(&self) -> MutexGuard<'_, SlotState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How many ticks can wait for a safepoint on one thread. Equal ones are merged, so few are needed.
pub const QUEUE: usize = 32;

/// Ticks that wait to be interpreted: one producer, one consumer, both without locks.
#[derive(Debug)]
pub struct TickQueue {
    slots: [AtomicU32; QUEUE],
    head: AtomicUsize,
    tail: AtomicUsize,
}

impl TickQueue {
    const fn new() -> Self {
        Self {
            slots: [const { AtomicU32::new(0) }; QUEUE],
            head: AtomicUsize::new(0),
            tail: AtomicUsize::new(0),
        }
    }

    /// Adds a tick. False when there are too many.
    pub fn push(&self, slot: SlotId) -> bool {
        let tail = self.tail.load(Ordering::Relaxed);
        if tail - self.head.load(Ordering::Acquire) >= QUEUE {
            return false;
        }
        self.slots[tail % QUEUE].store(slot.number(), Ordering::Relaxed);
        self.tail.store(tail + 1, Ordering::Release);
        true
    }

    /// The tick that was added last, if it still waits: its producer may change it.
    pub fn last(&self) -> Option<SlotId> {
        let tail = self.tail.load(Ordering::Relaxed);
        (tail != self.head.load(Ordering::Acquire)).then(|| self.at(tail - 1))
    }

    /// Whether so many ticks wait that they should be interpreted soon.
    pub fn wants_safepoint(&self) -> bool {
        self.tail.load(Ordering::Relaxed) - self.head.load(Ordering::Acquire) >= QUEUE / 2
    }

    /// The tick that was added first.
    pub fn first(&self) -> Option<SlotId> {
        let head = self.head.load(Ordering::Relaxed);
        (head != self.tail.load(Ordering::Acquire)).then(|| self.at(head))
    }

    /// Takes the first tick away: from now on it is the consumer's alone.
    pub fn take_first(&self) {
        self.head.fetch_add(1, Ordering::AcqRel);
    }

    fn at(&self, index: usize) -> SlotId {
        SlotId::from_number(self.slots[index % QUEUE].load(Ordering::Relaxed))
    }
}

/// What belongs to a native thread: the Ruby thread that it runs, and its task clock.
pub struct NativeThread {
    /// The thread that it runs.
    pub slot: Cell<Option<&'static ThreadSlot>>,
    /// The descriptor of its task clock, or -1.
    pub task_clock: Cell<i32>,
    /// The session that the task clock belongs to.
    pub generation: Cell<u64>,
    /// Draws its periods.
    pub jitter: Cell<Option<Jitter>>,
}

thread_local! {
    static NATIVE: NativeThread = const {
        NativeThread {
            slot: Cell::new(None),
            task_clock: Cell::new(-1),
            generation: Cell::new(0),
            jitter: Cell::new(None),
        }
    };
}

impl NativeThread {
    /// Runs `body` with the calling thread's. It has neither lazy initialisation nor a destructor, so that
    /// a signal handler may look at it once the thread itself has (which allocates the memory).
    pub fn with<T>(body: impl FnOnce(&Self) -> T) -> Option<T> {
        NATIVE.try_with(body).ok()
    }
}
