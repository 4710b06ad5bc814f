//! The thread record: data that the profiler keeps for each thread.
//!
//! Records are never freed, only used again: the sampling thread may look at a record while its
//! thread ends.

use std::sync::MutexGuard;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicU64, Ordering};

use rperf_core::accounting::{Event, GvlEvents};
use rperf_core::collect::Labelling;
use rperf_core::state::Clock;
use rperf_core::time::Nanos;

use super::accounts::ThreadAccounts;
use super::session_state::FLAGS;
use crate::os::clock::{self, CpuClock};
use crate::os::sync::{Lock, Locked};
use crate::vm::control_frames::AtomicThreadStruct;
use crate::vm::layout::ThreadStruct;
use crate::vm::thread_names::{AtomicName, NameWord};
use crate::vm::threads::RubyThread;

/// A thread's epoch: it changes whenever the thread gets or gives up the GVL, and when a step of
/// the collector begins or ends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Epoch(u64);

impl Epoch {
    /// Returns whether the thread runs the program with the GVL.
    pub fn is_running(self) -> bool {
        self.0 % 2 == 1
    }
}

/// A thread's record. The fields that each GVL event needs stand first, close together: after a
/// switch, little of the record is in the processor's cache.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub struct ThreadRecord {
    /// The session that uses the record; 0 while it is free. With [`PARKED`] set, its thread is not
    /// profiled now.
    generation: AtomicU64,
    /// See [`Epoch`]. Odd: the thread runs the program with the GVL.
    epoch: AtomicU64,
    /// Moments at which the thread gave up and got the GVL, until they are flushed to its clock.
    pub gvl_events: GvlEvents,
    /// Moments at which the thread last began to run, and last stopped, in nanoseconds of the wall
    /// clock.
    started: AtomicU64,
    stopped: AtomicU64,
    /// Whether a step of the collector runs on the thread.
    pub collecting: AtomicBool,
    /// Whether the thread waits for the GVL: see [`GvlHolder`](super::gvl_holder::GvlHolder).
    pub waiting: AtomicBool,
    /// Whether allocations of the thread are rperf's own.
    pub own_work: AtomicBool,
    /// Cpu mode: number of suspensions that pass until one is measured.
    pub gap: AtomicU32,
    /// Cpu mode: whether the last suspension is measured. The CPU clock was read when it began.
    pub is_measured: AtomicBool,
    /// Kernel's id of the native thread that runs the thread, or ran it last; 0 where unknown.
    pub tid: AtomicI32,
    labels: AtomicU64,
    creator: AtomicU32,
    /// Estimated number of objects that the thread has allocated, where objects are sampled.
    pub objects: AtomicU64,
    structure: AtomicThreadStruct,
    /// Word of the thread's name when it last gave up the GVL. The collector marks the word while
    /// the record is used, since it does not mark a thread that has ended.
    pub name: AtomicName,
    accounts: Lock<ThreadAccounts>,
}

/// Mark of a parked record in its generation.
const PARKED: u64 = 1 << 63;

/// Number of the next thread as a creator of fibers.
static CREATORS: AtomicU32 = AtomicU32::new(1);

static FREE: Lock<Vec<&'static ThreadRecord>> = Lock::new(Vec::new());
static IN_USE: Lock<Vec<&'static ThreadRecord>> = Lock::new(Vec::new());

impl ThreadRecord {
    /// Locks the lists of records, so that a forked child finds them whole.
    pub fn lock_lists() -> [Locked<Vec<&'static Self>>; 2] {
        [FREE.lock(), IN_USE.lock()]
    }

    /// Takes a free record, or makes one.
    pub fn take(generation: u64, structure: ThreadStruct, accounts: ThreadAccounts) -> &'static Self {
        let record = FREE.lock().pop().unwrap_or_else(|| Box::leak(Box::new(Self::default())));
        record.gvl_events.clear();
        record.set_budget(&accounts);
        *record.accounts() = accounts;
        record.structure.set(structure);
        record.creator.store(CREATORS.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        record.tid.store(0, Ordering::Relaxed);
        record.name.set(NameWord::default());
        record.set_running(false, clock::monotonic());
        record.gap.store(0, Ordering::Relaxed);
        for number in [&record.labels, &record.objects, &record.stopped] {
            number.store(0, Ordering::Relaxed);
        }
        for flag in [&record.collecting, &record.waiting, &record.own_work, &record.is_measured] {
            flag.store(false, Ordering::Relaxed);
        }
        record.generation.store(generation, Ordering::Release);
        IN_USE.lock().push(record);
        record
    }

    /// Gives the record back, when its thread or session has ended.
    pub fn release(&'static self) {
        self.set_running(false, clock::monotonic());
        self.generation.store(0, Ordering::Release);
        IN_USE.lock().retain(|record| !std::ptr::eq(*record, self));
        FREE.lock().push(self);
    }

    /// Returns all records in use.
    pub fn all() -> Vec<&'static Self> {
        IN_USE.lock().clone()
    }

    /// Returns the records of the running session, also those of parked threads.
    pub fn all_known() -> Vec<&'static Self> {
        let mut records = Self::all();
        records.retain(|record| record.is_known_to(FLAGS.generation()));
        records
    }

    /// Returns the record of a thread that takes part in the running session.
    pub fn of(thread: RubyThread) -> Option<&'static Self> {
        Self::kept_by(thread).filter(|record| record.is_of(FLAGS.generation()))
    }

    /// Returns the record of a thread in the running session, also of a parked one.
    pub fn known_of(thread: RubyThread) -> Option<&'static Self> {
        Self::kept_by(thread).filter(|record| record.is_known_to(FLAGS.generation()))
    }

    /// Returns the record that the thread keeps, if it is still its own: threads of other Ractors
    /// keep theirs when a session ends, and the next session may give it to another thread.
    fn kept_by(thread: RubyThread) -> Option<&'static Self> {
        thread.slot::<Self>().filter(|record| record.structure() == thread.structure())
    }

    /// Forgets all records without touching them. A forked child must not touch them, since other
    /// threads of the parent may have held the records' locks.
    pub fn forget_all() {
        Self::lock_lists().iter_mut().for_each(|list| list.clear());
    }

    /// Takes the thread out of its session until [`unpark`](Self::unpark): it `is_of` no session.
    pub fn park(&self) {
        self.generation.fetch_or(PARKED, Ordering::AcqRel);
    }

    /// Lets the thread take part again.
    pub fn unpark(&self) {
        self.generation.fetch_and(!PARKED, Ordering::AcqRel);
    }

    pub fn is_parked(&self) -> bool {
        self.generation.load(Ordering::Acquire) & PARKED != 0
    }

    /// Returns whether the record belongs to this session, parked or not.
    pub fn is_known_to(&self, generation: u64) -> bool {
        self.generation.load(Ordering::Acquire) & !PARKED == generation
    }

    /// Returns whether the record belongs to this session, and takes part in it.
    pub fn is_of(&self, generation: u64) -> bool {
        self.generation.load(Ordering::Acquire) == generation
    }

    pub fn structure(&self) -> ThreadStruct {
        self.structure.get()
    }

    pub fn epoch(&self) -> Epoch {
        Epoch(self.epoch.load(Ordering::SeqCst))
    }

    /// Returns whether the thread is off the GVL, as far as the events tell.
    pub fn is_suspended(&self) -> bool {
        !self.epoch().is_running() && !self.collecting.load(Ordering::Relaxed)
    }

    /// Returns the moment, not after `now`, up to which the thread ran if it was in this epoch just
    /// before `now`: that at which it gave up the GVL, if it has.
    pub fn ran_until(&self, epoch: Epoch, now: Nanos) -> Nanos {
        let still_runs = epoch.is_running() && self.epoch() == epoch;
        if still_runs { now } else { now.min(Nanos(self.stopped.load(Ordering::Relaxed))) }
    }

    /// Returns whether the thread ran the program with the GVL at a moment just before now, also if
    /// it has stopped since.
    pub fn ran_at(&self, moment: Nanos) -> bool {
        let [started, stopped] = [&self.started, &self.stopped].map(|time| time.load(Ordering::Relaxed));
        stopped > moment.0 || self.epoch().is_running() && started <= moment.0
    }

    /// Notes whether the thread runs the program with the GVL from `now` on. Only the thread itself
    /// calls this, or the thread that holds its GVL.
    ///
    /// Each of two suspensions in a row has an epoch of its own: [`runs_on`](Self::runs_on) means
    /// one of them.
    pub fn set_running(&self, running: bool, now: Nanos) {
        let epoch = self.epoch.load(Ordering::Relaxed);
        let is_running = Epoch(epoch).is_running();
        if running && is_running {
            return;
        }
        let time = if running { &self.started } else { &self.stopped };
        time.store(now.0, Ordering::Relaxed);
        self.epoch.store(epoch + if running == is_running { 2 } else { 1 }, Ordering::SeqCst);
    }

    /// Notes that the suspension of this epoch was taken back: the thread has run since, as is
    /// known `now`. Returns false, and does nothing, where it has just given up the GVL, or got it.
    pub fn runs_on(&self, suspended: Epoch, now: Nanos) -> bool {
        let next = suspended.0 + 1;
        let exchanged =
            self.epoch.compare_exchange(suspended.0, next, Ordering::SeqCst, Ordering::Relaxed).is_ok();
        if exchanged {
            self.started.store(now.0, Ordering::Relaxed);
            self.read_clocks();
        }
        exchanged
    }

    /// Notes whether a step of the collector runs on the thread, the calling one, from `now` on.
    /// The thread does not run the program meanwhile.
    pub fn set_collecting(&self, collecting: bool, now: Nanos) {
        self.collecting.store(collecting, Ordering::Relaxed);
        self.set_running(!collecting, now);
    }

    /// Returns the number of the thread as a creator of fibers. No other thread has it, in this
    /// session or an earlier one.
    pub fn creator(&self) -> u32 {
        self.creator.load(Ordering::Relaxed)
    }

    /// Returns the labels of the fiber that the thread runs.
    pub fn labels(&self) -> Labelling {
        Labelling::from_word(self.labels.load(Ordering::Acquire))
    }

    /// Sets the labels of the fiber that the thread runs.
    pub fn set_labels(&self, labels: Labelling) {
        self.labels.store(labels.to_word(), Ordering::Release);
    }

    /// Locks the thread's accounts, and flushes its GVL events to them.
    pub fn accounts(&self) -> MutexGuard<'_, ThreadAccounts> {
        let mut accounts = self.accounts.lock();
        if accounts.flush(&self.gvl_events) {
            self.set_budget(&accounts);
        }
        accounts
    }

    /// Reads the thread's clocks, if it runs.
    pub fn read_clocks(&self) {
        let accounts = &mut *self.accounts();
        let clock = accounts.cpu_clock.filter(|_| self.epoch().is_running());
        if let Some(cpu) = clock.and_then(CpuClock::read) {
            accounts.happen(Event::SettleCpu, clock::monotonic(), cpu);
        }
    }

    /// Cpu mode: returns two readings of the thread's CPU clock. They differ if the thread uses a
    /// processor (each takes some 0.2 us).
    pub fn read_cpu_twice(&self) -> Option<[Nanos; 2]> {
        let is_running = self.epoch().is_running();
        let clock = self.accounts().own_clock(is_running)?;
        Some([clock.read()?, clock.read()?])
    }

    /// Cpu mode: returns whether the thread computes at a tick that came at `now`, when its clock
    /// had [these readings](Self::read_cpu_twice): it has a processor, or has just lost it. Returns
    /// `None` where that is unknown: it waits for the calling thread's processor.
    ///
    /// Where its clock did not move, the system is asked whether the thread sleeps, which takes
    /// some 20 us. If not, the thread waits for a processor. It has lost its processor to the
    /// calling thread, which looks, if it last used the same one, and its clocks say that it has
    /// [just lost one](rperf_core::accounting::ThreadClock::just_lost_processor). Where the system
    /// does not answer, the clocks alone decide. `others`: other threads may have a GVL, too, and
    /// any processor counts.
    pub fn computes(&self, now: Nanos, [first, cpu]: [Nanos; 2], others: bool) -> Option<bool> {
        if cpu > first {
            return Some(true);
        }
        let accounts = &mut *self.accounts();
        let (is_asleep, was_here) = accounts.cpu_clock.and_then(CpuClock::state).unwrap_or((false, true));
        let may_have_lost = (others || was_here) && !is_asleep;
        let clock = accounts.clocks.cpu.as_ref().filter(|_| may_have_lost);
        if clock.is_some_and(|clock| clock.just_lost_processor(now, cpu, others)) {
            return Some(true);
        }
        if self.epoch().is_running() {
            accounts.happen_on(Clock::Cpu, Event::SettleCpu, now, cpu);
        }
        (!may_have_lost).then_some(false)
    }

    /// Cpu mode: begins a suspension of the thread, the calling one. Returns whether it shall be
    /// measured.
    pub fn begin_suspension(&self) -> bool {
        let gap = self.gap.load(Ordering::Relaxed);
        self.gap.store(gap.saturating_sub(1), Ordering::Relaxed);
        self.is_measured.store(gap == 0, Ordering::Relaxed);
        gap == 0
    }

    /// Sets the deferral budget; to be called when it has changed. `accounts`: the record's own.
    pub fn set_budget(&self, accounts: &ThreadAccounts) {
        self.gvl_events.set_budget(accounts.budget());
    }
}
