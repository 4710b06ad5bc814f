//! What the profiler keeps for each thread.
//!
//! Slots are never freed, only used again: a signal may look at one while its thread ends.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rperf_core::accounting::{GvlEvents, LONG, ThreadClock};
use rperf_core::collect::SlotId;
use rperf_core::ids::{LabelSetId, ThreadSeq};
use rperf_core::state::Mode;
use rperf_core::time::Nanos;

use super::away::AwayTicks;
use super::live::LIVE;
use super::slot_state::SlotState;
use super::tick_queue::{QUEUE, TickQueue};
use crate::os::clock::CpuClock;
use crate::os::{self, quick_clock};
use crate::vm::root_stack::RootStack;
use crate::vm::threads::ThreadStruct;

/// A stretch of running with the GVL, between two events: in it no object is freed that the thread refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn(u64);

/// A thread's place in the profiler. What each GVL event needs stands first, close together: after a switch the cache has
/// little of it.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct ThreadSlot {
    /// The session that uses the slot; 0 while it is free. With [`PARKED`] its thread is not profiled now.
    generation: AtomicU64,
    /// Counts up whenever the thread begins or ends to run the program with the GVL, which it does not while it is
    /// suspended, nor during GC. Odd: it runs, and ticks count.
    turns: AtomicU64,
    /// When it gave up the GVL and got it again, as long as its clock has not been told.
    pub gvl_events: GvlEvents,
    /// The native thread that runs it: its handle.
    native: AtomicUsize,
    /// The same native thread: the kernel's id.
    tid: AtomicI32,
    labels: AtomicU32,
    structure: AtomicUsize,
    /// Its own VM stack: where the execution context is, 0 where that is not known, and the stack.
    root: [AtomicUsize; 2],
    /// Whether there may be ticks that the worker has taken: said before they are put there.
    has_seen: AtomicBool,
    /// Ticks taken by the thread's own signal handler.
    pub ticks: TickQueue,
    state: Mutex<SlotState>,
    /// Ticks taken by the worker, from outside.
    seen: Mutex<VecDeque<SlotId>>,
    /// The reading of its CPU clock at which its next tick is due, in nanoseconds; 0 where no clock of its own ticks it.
    due: AtomicU64,
    /// Ticks of the thread while it computes without the GVL.
    pub away: AwayTicks,
}

/// The mark of a parked slot in its generation.
const PARKED: u64 = 1 << 63;

static FREE: Mutex<Vec<&'static ThreadSlot>> = Mutex::new(Vec::new());
static IN_USE: Mutex<Vec<&'static ThreadSlot>> = Mutex::new(Vec::new());

/// The locks of both lists.
pub type SlotLists = [MutexGuard<'static, Vec<&'static ThreadSlot>>; 2];

impl ThreadSlot {
    /// Locks the lists of slots, so that a fork finds them whole.
    pub fn lock_lists() -> SlotLists {
        [lock(&FREE), lock(&IN_USE)]
    }

    /// Takes a free slot, or makes one.
    pub fn take(
        generation: u64,
        structure: ThreadStruct,
        seq: ThreadSeq,
        clock: ThreadClock,
    ) -> &'static Self {
        let slot = lock(&FREE).pop().unwrap_or_else(|| Box::leak(Box::new(Self::empty())));
        slot.gvl_events.clear();
        let state = &mut *slot.state();
        *state = SlotState::new(seq, clock);
        slot.leave_room(state);
        slot.structure.store(structure.0, Ordering::Release);
        slot.set_root(None);
        slot.labels.store(0, Ordering::Relaxed);
        slot.set_due(0);
        slot.tid.store(0, Ordering::Relaxed);
        slot.native.store(0, Ordering::Relaxed);
        slot.set_running(false);
        slot.generation.store(generation, Ordering::Release);
        lock(&IN_USE).push(slot);
        slot
    }

    /// Gives the slot back, when its thread or session has ended.
    pub fn release(&'static self) {
        self.set_running(false);
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
            root: [const { AtomicUsize::new(0) }; 2],
            turns: AtomicU64::new(0),
            labels: AtomicU32::new(0),
            tid: AtomicI32::new(0),
            native: AtomicUsize::new(0),
            due: AtomicU64::new(0),
            ticks: TickQueue::new(),
            away: AwayTicks::new(),
            gvl_events: GvlEvents::default(),
            seen: Mutex::new(VecDeque::with_capacity(QUEUE)),
            has_seen: AtomicBool::new(false),
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

    /// Takes no part in its session until [`unpark`](Self::unpark): it `is_of` none.
    pub fn park(&self) {
        self.generation.fetch_or(PARKED, Ordering::AcqRel);
    }

    /// Takes part again.
    pub fn unpark(&self) {
        self.generation.fetch_and(!PARKED, Ordering::AcqRel);
    }

    /// Whether it is parked.
    pub fn is_parked(&self) -> bool {
        self.generation.load(Ordering::Acquire) & PARKED != 0
    }

    /// Whether the slot belongs to this session, parked or not.
    pub fn is_known_to(&self, generation: u64) -> bool {
        self.generation.load(Ordering::Acquire) & !PARKED == generation
    }

    /// Whether the slot belongs to this session, and takes part in it.
    pub fn is_of(&self, generation: u64) -> bool {
        self.generation.load(Ordering::Acquire) == generation
    }

    /// The thread's structure in the VM.
    pub fn structure(&self) -> ThreadStruct {
        ThreadStruct(self.structure.load(Ordering::Acquire))
    }

    /// Says where its own VM stack is: before it runs.
    pub fn set_root(&self, root: Option<RootStack>) {
        let words = root.map_or([0; 2], |root| [root.context, root.low]);
        self.root.iter().zip(words).for_each(|(place, word)| place.store(word, Ordering::Relaxed));
    }

    /// Its own VM stack, if it runs in this session.
    pub fn standing_root(&self) -> Option<RootStack> {
        self.turn().filter(|_| LIVE.is_on())?;
        let [context, low] = [0, 1].map(|index: usize| self.root[index].load(Ordering::Relaxed));
        (context != 0).then_some(RootStack { context, low })
    }

    /// The turn in which it runs, if it does.
    pub fn turn(&self) -> Option<Turn> {
        let turns = self.turns.load(Ordering::SeqCst);
        (turns % 2 == 1).then_some(Turn(turns))
    }

    /// Whether ticks count now.
    pub fn is_running(&self) -> bool {
        self.turn().is_some()
    }

    /// Says whether ticks count from now on. Only the thread itself does, or who holds its GVL.
    pub fn set_running(&self, running: bool) {
        let turns = self.turns.load(Ordering::Relaxed);
        match (turns % 2 == 1, running) {
            // Whoever ends a turn looks for ticks afterwards, and may free objects: that must not come first.
            (true, false) => _ = self.turns.fetch_add(1, Ordering::SeqCst),
            // A beginning may be seen late.
            (false, true) => self.turns.store(turns + 1, Ordering::Release),
            _ => {}
        }
    }

    /// The calling native thread, whose kernel's id is `tid`, runs it.
    pub fn runs_here(&self, tid: i32) {
        self.tid.store(tid, Ordering::Relaxed);
        self.native.store(os::thread::handle(), Ordering::Relaxed);
    }

    /// Whether it last ran on the calling native thread.
    pub fn ran_here(&self) -> bool {
        self.native.load(Ordering::Relaxed) == os::thread::handle()
    }

    /// Whether it last ran on the native thread with this kernel's id.
    pub fn ran_on(&self, tid: i32) -> bool {
        self.tid.load(Ordering::Relaxed) == tid
    }

    /// Whether its native thread waits for something.
    pub fn is_asleep(&self) -> bool {
        os::thread::is_asleep(self.tid.load(Ordering::Relaxed))
    }

    /// Its CPU clock, once it has run.
    pub fn cpu_clock(&self) -> Option<CpuClock> {
        lock(&self.state).cpu_clock
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

    /// The same, by the worker, which may put a tick there while it has the lock. Whoever suspends the thread after it
    /// sees that, and whoever did so before is seen by the worker, if it looks for the turn afterwards.
    pub fn seen_to_fill(&self) -> MutexGuard<'_, VecDeque<SlotId>> {
        let seen = self.seen();
        self.has_seen.store(true, Ordering::SeqCst);
        seen
    }

    /// Whether ticks that were taken from outside wait to be interpreted.
    pub fn has_seen_ticks(&self) -> bool {
        self.has_seen.load(Ordering::Relaxed) && self.is_any_seen()
    }

    /// Whether ticks wait to be interpreted.
    pub fn has_ticks(&self) -> bool {
        let may_be_seen = self.has_seen.load(Ordering::SeqCst);
        self.ticks.first().is_some() || may_be_seen && self.is_any_seen()
    }

    fn is_any_seen(&self) -> bool {
        let seen = self.seen();
        self.has_seen.store(!seen.is_empty(), Ordering::SeqCst);
        !seen.is_empty()
    }

    /// Locks the slot's state.
    pub fn state(&self) -> MutexGuard<'_, SlotState> {
        let mut state = lock(&self.state);
        if state.hear(&self.gvl_events) {
            self.leave_room(&state);
        }
        state
    }

    /// The thread, the calling one, is about to give up the GVL, and what it uses from here on is to be known apart: that of
    /// a suspension that is measured, or of a thread that `ends`.
    pub fn measure(&self, ends: bool) {
        let state = &mut *self.state();
        state.measure(ends);
        self.leave_room(state);
    }

    /// Says how long suspensions may be for their ends to be told later; to be called when that has changed. `state`: the
    /// slot's own.
    pub fn leave_room(&self, state: &SlotState) {
        let [blocked, waited] = match LIVE.is_cpu() {
            true if state.is_measured() => [0; 2],
            true => [quick_clock::scale().units(LONG); 2],
            false => state.suspensions.room().map(|room| quick_clock::scale().units(room)),
        };
        self.gvl_events.leave_room(blocked, waited);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
