//! The stack poller: takes ticks from outside, by a capture of the running thread's stack. It sends
//! no signal.
//!
//! Context: the sampling thread, or for manual ticks the Ruby thread itself. A tick belongs to the
//! thread that ran when it was due, also if that thread has given up the GVL since: its frames are
//! still the same.

use std::sync::atomic::Ordering;

use rperf_core::accounting::{Blame, Starvation};
use rperf_core::collect::DropCause;
use rperf_core::state::ByClock;
use rperf_core::time::Nanos;
use rperf_core::trace::TraceLine;

use super::taken_back::TakenBack;
use crate::os::clock::{self, CpuClock};
use crate::sampler::{Tick, sampler};
use crate::threads::gvl_holder::HOLDER;
use crate::threads::record::ThreadRecord;
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

/// The stack poller.
#[derive(Debug)]
pub struct StackPoller {
    /// Clocks by which ticks are charged.
    clocks: ByClock<bool>,
    stack: RemoteStack,
    /// Time that the next tick stands for already, since ticks were lost.
    span: ByClock<Nanos>,
    blame: Blame,
    /// Time of waiting for the GVL that this tick charges.
    caused: Nanos,
    starvation: Starvation,
    taken_back: TakenBack,
}

/// Outcome of an attempt to take a tick.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// The tick was charged, or there was nothing to charge.
    Done,
    /// The tick was lost: the next one stands for its time, too.
    Lost,
    /// The capture was not of one moment.
    Again,
}

impl StackPoller {
    /// Creates a poller that captures by `stack`, for ticks that these clocks charge.
    pub fn new(stack: RemoteStack, clocks: ByClock<bool>) -> Self {
        Self {
            clocks,
            stack,
            span: ByClock::default(),
            blame: Blame::default(),
            caused: Nanos::ZERO,
            starvation: Starvation::default(),
            taken_back: TakenBack::default(),
        }
    }

    /// Takes a tick that was due at `due` of the wall clock and stands for `span`. It meets each
    /// thread that runs with a GVL (there is one for each Ractor). A thread's CPU time is only
    /// charged if the thread uses a processor.
    pub fn tick(&mut self, due: Nanos, span: ByClock<Nanos>) {
        self.span = ByClock::new(|clock| self.span[clock] + span[clock]);
        let now = clock::monotonic();
        let moment = if now - due > PROMPT_NS { due } else { now };
        let holders = [HOLDER.get(), HOLDER.last()];
        let met = running(holders, |record| record.ran_at(moment));
        if self.clocks.cpu {
            // Clocks of all threads first: the work for one thread may hold up the others.
            met.clone().for_each(ThreadRecord::note_cpu);
        }
        trace::write(|| {
            let met = met.clone().map(|record| record.accounts().seq).collect();
            TraceLine::Tick { due, now, span: self.span.wall, met }
        });
        self.caused = self.blame(now, moment < now);
        let (mut is_met, mut is_lost, mut is_unknown) = (false, false, false);
        for record in met {
            is_met = true;
            let others = !ractors::only_main();
            let computes =
                if self.clocks.cpu { record.computes(now, self.span.cpu, others) } else { Some(false) };
            is_unknown |= computes.is_none();
            let charged = ByClock { cpu: computes == Some(true), ..self.clocks };
            if charged.any() {
                is_lost |= !self.charge_tick(record, charged);
            }
        }
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
        self.taken_back.look(&self.stack, now);
        // The processor time that this tick took from a thread must not count at the next tick.
        if self.clocks.cpu {
            self.look_ahead();
        }
    }

    /// Cpu mode: reads the clocks of the threads that run, some time before a tick.
    pub fn look_ahead(&self) {
        running([HOLDER.get(), None], |record| record.epoch().is_running())
            .for_each(ThreadRecord::read_clocks);
    }

    /// Returns whether threads are likely to lack processors: see [`Starvation::is_likely`].
    pub fn is_starved(&self) -> bool {
        self.starvation.is_likely()
    }

    /// Returns the time of waiting for the GVL that a tick charges now. It is 0 with several
    /// Ractors: each has a GVL of its own, and the waiting threads may belong to another one.
    fn blame(&mut self, now: Nanos, is_late: bool) -> Nanos {
        if !FLAGS.blames.load(Ordering::Relaxed) || !ractors::only_main() {
            return Nanos::ZERO;
        }
        let waited = HOLDER.waiters.read(now);
        waited.map_or(Nanos::ZERO, |waited| self.blame.tick(waited, now, self.span.wall, is_late))
    }

    /// Takes a tick of this thread now. Returns false when the tick is lost.
    pub fn tick_thread(&mut self, record: &'static ThreadRecord) -> bool {
        self.charge_tick(record, self.clocks)
    }

    /// Takes the same tick, charged by some of the clocks.
    fn charge_tick(&mut self, record: &'static ThreadRecord, charged: ByClock<bool>) -> bool {
        Counter::Ticks.add(1);
        let outcome =
            (0..TRIES).map(|_| self.try_tick(record, charged)).find(|outcome| *outcome != Outcome::Again);
        let is_done = outcome == Some(Outcome::Done);
        if !is_done {
            Counter::Unreadable.add(1);
            trace::write(|| TraceLine::lost(DropCause::Unreadable, Nanos::ZERO));
        }
        is_done
    }

    fn try_tick(&mut self, record: &'static ThreadRecord, charged: ByClock<bool>) -> Outcome {
        if Layout::is_withdrawn() {
            return Outcome::Lost;
        }
        let generation = FLAGS.generation();
        let era = session_state::era();
        let (epoch, labels) = (record.epoch(), record.labels());
        let read = self.stack.capture(record.structure(), era);
        let wall = clock::monotonic();
        if record.labels() != labels {
            return Outcome::Again;
        }
        if !read {
            return Outcome::Lost;
        }
        let mut sampler = sampler();
        let Some(sampler) = sampler.as_mut() else { return Outcome::Done };
        let accounts = &mut *record.accounts();
        if !record.is_of(generation) {
            return Outcome::Done;
        }
        // In the same era no collection has marked yet: the next one sees what is interned here.
        if session_state::era() != era {
            return Outcome::Again;
        }
        let others_run = accounts.shares_native && !epoch.is_running();
        let cpu_clock = accounts.cpu_clock.filter(|_| !others_run);
        let cpu = cpu_clock.and_then(CpuClock::read).unwrap_or_default();
        let stack = sampler.intern_captured(&self.stack);
        let tick =
            Tick { wall: record.ran_until(epoch, wall), cpu, span: self.span, charged, caused: self.caused };
        sampler.tick(accounts, stack, labels, tick);
        Outcome::Done
    }
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

/// Returns the first of `holders` that `runs`; with Ractors, all threads that do.
fn running(
    holders: [Option<&'static ThreadRecord>; 2],
    runs: impl Fn(&ThreadRecord) -> bool,
) -> impl Iterator<Item = &'static ThreadRecord> + Clone {
    let (holders, mut others) = match ractors::only_main() {
        true => (holders, Vec::new()),
        false => ([None; 2], ThreadRecord::all()),
    };
    let holder = holders.into_iter().flatten().find(|record| runs(record));
    others.retain(|record| runs(record));
    holder.into_iter().chain(others)
}
