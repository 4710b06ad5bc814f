//! The stack poller: takes ticks from outside, by a capture of the running thread's stack. It sends
//! no signal.
//!
//! Context: the sampling thread, or for manual ticks the Ruby thread itself. A tick belongs to the
//! thread that ran when it was due, also if that thread has given up the GVL since: its frames are
//! still the same.

use std::sync::atomic::Ordering;

use hashbrown::HashMap;
use rperf_core::accounting::{Blame, Starvation};
use rperf_core::collect::DropCause;
use rperf_core::state::ByClock;
use rperf_core::time::Nanos;
use rperf_core::trace::TraceLine;

use crate::os::clock::{self, CpuClock};
use crate::sampler::{Tick, sampler};
use crate::threads::gvl_holder::HOLDER;
use crate::threads::record::{Epoch, ThreadRecord};
use crate::threads::session_state::{self, Counter, FLAGS};
use crate::threads::trace;
use crate::vm::layout::Layout;
use crate::vm::ractors;
use crate::vm::remote::stack::RemoteStack;

/// Maximum number of captures for a tick. A capture during which a collection marked, a period
/// ended or the labels changed is not of one moment, and is repeated.
const TRIES: usize = 4;

/// Delay, in nanoseconds, beyond which a tick belongs to the thread that ran when it was due: the
/// sampling thread had no processor, perhaps until the program gave up its own. The moment of a
/// prompter tick is that at which the sampling thread looks: some 60 us after the tick was due,
/// whatever runs.
const PROMPT_NS: Nanos = Nanos(300_000);

/// Maximum number of ticks that look at a suspension. Each look takes three system calls, some 3
/// us, and a thread that goes on is soon in another place.
const LOOKS: u32 = 20;

/// The stack poller.
#[derive(Debug)]
pub struct StackPoller {
    stack: RemoteStack,
    /// Time that the next tick stands for already, since ticks were lost.
    span: ByClock<Nanos>,
    blame: Blame,
    /// Time of waiting for the GVL that this tick charges.
    caused: Nanos,
    /// Whether threads lack processors.
    pub starvation: Starvation,
    /// Suspensions that are looked at, by the addresses of their thread records.
    suspensions: HashMap<usize, Suspension>,
    /// Threads that a tick meets, each with two readings of its CPU clock. Empty between ticks: it
    /// is kept so that a tick allocates nothing.
    met: Vec<(&'static ThreadRecord, Option<[Nanos; 2]>)>,
}

/// A suspension that the VM has announced, and may take back: the event that the thread wanted to
/// wait for had come already. The thread goes on, and the VM announces nothing
/// (`thread_sched_wait_events` in thread_pthread_mn.c, `thread_sched_to_waiting_until_wakeup` in
/// thread_pthread.c). Of Ractors' sleeps of 10 us 2 to 7 % end like that, beside busy processes
/// more. The stack of a thread that is off its GVL does not change: if it does, the thread runs.
#[derive(Clone, Copy, Debug)]
struct Suspension {
    epoch: Epoch,
    top: Option<[usize; 2]>,
    looks: u32,
}

impl StackPoller {
    /// Creates a poller that captures by `stack`.
    pub fn new(stack: RemoteStack) -> Self {
        Self {
            stack,
            span: ByClock::default(),
            blame: Blame::default(),
            caused: Nanos::ZERO,
            starvation: Starvation::default(),
            suspensions: HashMap::new(),
            met: Vec::new(),
        }
    }

    /// Takes a tick that was due at `due` of the wall clock and stands for `period`. It meets each
    /// thread that runs with a GVL (there is one for each Ractor). A thread's CPU time is only
    /// charged if the thread uses a processor.
    ///
    /// By the wall clock the tick also stands for the time by which it is late: if the system has
    /// stopped the program, the thread stood at one place meanwhile. By the CPU clock it does not:
    /// a thread that ran meanwhile was at many places.
    pub fn tick(&mut self, due: Nanos, period: Nanos) {
        let now = clock::monotonic();
        let delay = now - due;
        let (moment, late) = if delay > PROMPT_NS { (due, delay) } else { (now, Nanos::ZERO) };
        let span = ByClock { cpu: period, wall: period + late };
        self.span = ByClock::new(|clock| self.span[clock] + span[clock]);
        let holders = [HOLDER.get(), HOLDER.last()];
        let clocks = clocks();
        // Clocks of all threads first: the work for one thread may hold up the others.
        let readings = |record: &ThreadRecord| clocks.cpu.then(|| record.read_cpu_twice()).flatten();
        let mut met = std::mem::take(&mut self.met);
        let records = selected(holders, |record| record.ran_at(moment));
        met.extend(records.map(|record| (record, readings(record))));
        trace::write(|| {
            let met = met.iter().map(|(record, _)| record.accounts().seq).collect();
            TraceLine::Tick { due, now, span: self.span.wall, met }
        });
        self.caused = self.blame(now, late > Nanos::ZERO);
        let is_met = !met.is_empty();
        let (mut is_lost, mut is_unknown) = (false, false);
        for (record, readings) in met.drain(..) {
            let others = !ractors::only_main();
            let computes = readings.map_or(Some(false), |cpu| record.computes(now, cpu, others));
            is_unknown |= computes.is_none();
            let charged = ByClock { cpu: computes == Some(true), ..clocks };
            if charged.any() {
                is_lost |= !self.charge_tick(record, charged);
            }
        }
        self.met = met;
        self.starvation.tick(is_unknown);
        if !is_met && self.caused > Nanos::ZERO {
            blame_unmet(self.caused, now);
        }
        if !is_lost {
            self.span = ByClock::default();
        } else if self.caused > Nanos::ZERO {
            self.blame.give_back(self.caused);
        }
        // Last: it takes time where a thread is suspended, and none where it runs, so it would move
        // the moment of the tick.
        self.look_at_suspensions(now);
        // The processor time that this tick took from a thread must not count at the next tick.
        if clocks.cpu {
            self.look_ahead();
        }
    }

    /// Looks at suspensions at a tick. Threads whose suspension was taken back count as running.
    fn look_at_suspensions(&mut self, now: Nanos) {
        let generation = FLAGS.generation();
        // Off their GVLs, as far as events tell: the last holder, while no thread has the GVL.
        let last = HOLDER.last().filter(|_| HOLDER.get().is_none());
        for record in selected([last, None], |record| record.is_suspended() && record.is_of(generation)) {
            let epoch = record.epoch();
            let runs = !epoch.is_running() && self.is_taken_back(record, epoch);
            if runs && record.runs_on(epoch, now) && ractors::only_main() {
                HOLDER.set(record);
            }
        }
    }

    /// Returns whether the stack of a thread that is suspended in this epoch has changed since the
    /// last look.
    fn is_taken_back(&mut self, record: &ThreadRecord, epoch: Epoch) -> bool {
        let new = Suspension { epoch, top: None, looks: 0 };
        let known = self.suspensions.entry(std::ptr::from_ref(record).addr()).or_insert(new);
        if known.epoch != epoch {
            *known = new;
        }
        if known.looks == LOOKS {
            return false;
        }
        known.looks += 1;
        let top = self.stack.top(record.structure());
        let before = std::mem::replace(&mut known.top, top);
        before.is_some() && top.is_some() && before != top
    }

    /// Cpu mode: reads the clocks of the threads that run, some time before a tick.
    pub fn look_ahead(&self) {
        selected([HOLDER.get(), None], |record| record.epoch().is_running())
            .for_each(ThreadRecord::read_clocks);
    }

    /// Returns the time of waiting for the GVL that a tick charges now. It is 0 with several
    /// Ractors: each has a GVL of its own, and the waiting threads may belong to another one.
    fn blame(&mut self, now: Nanos, is_late: bool) -> Nanos {
        if !FLAGS.blames.load(Ordering::Relaxed) || !ractors::only_main() {
            return Nanos::ZERO;
        }
        let waited = HOLDER.waiters.read(now);
        waited.map_or(Nanos::ZERO, |waited| self.blame.tick(waited, self.span.wall, is_late))
    }

    /// Takes a tick of this thread now. Returns false when the tick is lost.
    pub fn tick_thread(&mut self, record: &'static ThreadRecord) -> bool {
        self.charge_tick(record, clocks())
    }

    /// Takes the same tick, charged by some of the clocks.
    fn charge_tick(&mut self, record: &'static ThreadRecord, charged: ByClock<bool>) -> bool {
        Counter::Ticks.add(1);
        let is_done = (0..TRIES).find_map(|_| self.try_tick(record, charged)).unwrap_or(false);
        if !is_done {
            Counter::Unreadable.add(1);
            trace::write(|| TraceLine::lost(DropCause::Unreadable, Nanos::ZERO));
        }
        is_done
    }

    /// Returns whether the tick was charged, or there was nothing to charge; `None` where the
    /// capture was not of one moment.
    fn try_tick(&mut self, record: &'static ThreadRecord, charged: ByClock<bool>) -> Option<bool> {
        if Layout::is_withdrawn() {
            return Some(false);
        }
        let generation = FLAGS.generation();
        let era = session_state::era();
        let (epoch, labels) = (record.epoch(), record.labels());
        let is_captured = self.stack.capture(record.structure(), era);
        let wall = clock::monotonic();
        if record.labels() != labels {
            return None;
        }
        if !is_captured {
            return Some(false);
        }
        let mut sampler = sampler();
        let Some(sampler) = sampler.as_mut() else { return Some(true) };
        let accounts = &mut *record.accounts();
        if !record.is_of(generation) {
            return Some(true);
        }
        // In the same era no collection has marked yet: the next one sees what is interned here.
        if session_state::era() != era {
            return None;
        }
        let cpu = accounts.own_clock(epoch.is_running()).and_then(CpuClock::read).unwrap_or_default();
        let stack = sampler.intern_captured(self.stack.frames(), self.stack.copier());
        let tick =
            Tick { wall: record.ran_until(epoch, wall), cpu, span: self.span, charged, caused: self.caused };
        sampler.tick(accounts, stack, labels, tick);
        Some(true)
    }
}

/// Returns the clocks by which the session's ticks are charged.
fn clocks() -> ByClock<bool> {
    ByClock { cpu: FLAGS.is_cpu(), wall: FLAGS.is_wall() }
}

/// Charges a tick's waiting where the tick has met no thread: threads waited for the collector, or
/// for a thread on its way.
fn blame_unmet(caused: Nanos, now: Nanos) {
    if let Some(sampler) = sampler().as_mut() {
        match HOLDER.get().filter(|record| record.collecting.load(Ordering::Relaxed)) {
            Some(record) => record.accounts().caused_by_gc += caused,
            None => sampler.blame_no_thread(caused, now),
        }
    }
}

/// Returns the first of `holders` that is `wanted`; with Ractors, all threads that are.
fn selected(
    holders: [Option<&'static ThreadRecord>; 2],
    wanted: impl Fn(&ThreadRecord) -> bool,
) -> impl Iterator<Item = &'static ThreadRecord> {
    let (holders, mut others) = match ractors::only_main() {
        true => (holders, Vec::new()),
        false => ([None; 2], ThreadRecord::all()),
    };
    let holder = holders.into_iter().flatten().find(|record| wanted(record));
    others.retain(|record| wanted(record));
    holder.into_iter().chain(others)
}
