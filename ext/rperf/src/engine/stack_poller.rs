//! The stack poller: takes ticks from outside, by a capture of what the running thread runs. It
//! sends no signal.
//!
//! Context: the sampling thread, or for manual ticks the Ruby thread itself. A tick belongs to the
//! thread that ran when it was due, also if that has given up the GVL since: its frames stand
//! there.

use std::sync::atomic::Ordering;

use rperf_core::accounting::{Blame, Starvation};
use rperf_core::collect::DropCause;
use rperf_core::state::ByClock;
use rperf_core::time::Nanos;
use rperf_core::trace::TraceLine;

use super::taken_back::TakenBack;
use crate::os::clock::{self, CpuClock};
use crate::sampler::{Tick, sampler};
use crate::threads::accounts::Processor;
use crate::threads::gvl_holder::HOLDER;
use crate::threads::record::ThreadRecord;
use crate::threads::session_state::{self, Counter, FLAGS};
use crate::threads::trace;
use crate::vm::layout::Layout;
use crate::vm::ractors;
use crate::vm::remote::stack::RemoteStack;

/// A capture during which a collection marked, a period ended or the labels changed is not of one
/// moment: so often another is made.
const TRIES: usize = 4;

/// A tick that comes later than this after it was due, in nanoseconds, belongs to the thread that
/// ran then: the sampling thread had no processor, perhaps until the program gave up its own.
/// Otherwise the moment is that at which the sampling thread looks: some 60 us after the tick was
/// due, whatever runs.
const PROMPT_NS: Nanos = Nanos(300_000);

/// Takes ticks.
#[derive(Debug)]
pub struct StackPoller {
    /// Those that ticks are charged by.
    clocks: ByClock<bool>,
    stack: RemoteStack,
    /// What the next tick stands for, as far as it has passed: ticks were lost.
    span: ByClock<Nanos>,
    blame: Blame,
    /// How much waiting for the GVL this tick charges.
    caused: Nanos,
    starvation: Starvation,
    taken_back: TakenBack,
}

/// What became of a tick.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// It was charged, or there was nothing to charge.
    Done,
    /// It was lost: the next one stands for its time, too.
    Lost,
    /// The capture was not of one moment.
    Again,
}

impl StackPoller {
    /// One that captures by `stack`.
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

    /// A tick that was due at `due` of the wall clock and stands for `span`. It meets each thread
    /// that runs with a GVL (there is one for each Ractor); its CPU time is only charged if it uses
    /// a processor.
    pub fn tick(&mut self, due: Nanos, span: ByClock<Nanos>) {
        self.span = ByClock::new(|clock| self.span[clock] + span[clock]);
        let now = clock::monotonic();
        let moment = if now - due > PROMPT_NS { due } else { now };
        let holders = [HOLDER.get(), HOLDER.last()];
        let met = running(holders, |record| record.ran_at(moment));
        if self.clocks.cpu {
            // Of all at once: what each takes from here on may hold up the others.
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
            let processor =
                if self.clocks.cpu { record.processor(now, self.span.cpu, others) } else { Processor::Has };
            is_unknown |= processor == Processor::Unknown;
            let cpu = self.clocks.cpu && matches!(processor, Processor::Has | Processor::JustLost);
            let charged = ByClock { cpu, ..self.clocks };
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
        // Last: it takes time where the thread is suspended, and none where it runs, so that it
        // would move the moment of the tick.
        self.taken_back.look(&self.stack, now);
        // What this tick has taken of a thread's processor is not to count at the next one.
        if self.clocks.cpu {
            self.look_ahead();
        }
    }

    /// Cpu mode, some time before a tick: reads the clocks of the threads that run.
    pub fn look_ahead(&self) {
        running([HOLDER.get(), None], |record| record.epoch().is_running())
            .for_each(ThreadRecord::read_clocks);
    }

    /// See [`Starvation::is_likely`].
    pub fn is_starved(&self) -> bool {
        self.starvation.is_likely()
    }

    /// How much waiting for the GVL a tick charges that comes now. (Each Ractor has a GVL of its
    /// own: with others, none is blamed for what threads of another wait for.)
    fn blame(&mut self, now: Nanos, is_late: bool) -> Nanos {
        if !FLAGS.blames.load(Ordering::Relaxed) || !ractors::only_main() {
            return Nanos::ZERO;
        }
        let waited = HOLDER.waiters.read(now);
        waited.map_or(Nanos::ZERO, |waited| self.blame.tick(waited, now, self.span.wall, is_late))
    }

    /// A tick of this thread, now. False when it is lost.
    pub fn tick_thread(&mut self, record: &'static ThreadRecord) -> bool {
        self.charge_tick(record, self.clocks)
    }

    /// The same by some of the clocks.
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
        // What the mark function has not seen by now it will see from here on.
        if session_state::era() != era {
            return Outcome::Again;
        }
        let others_run = accounts.shares_native && !epoch.is_running();
        let cpu_clock = accounts.cpu_clock.filter(|_| !others_run);
        let cpu = cpu_clock.and_then(CpuClock::read).unwrap_or_default();
        let stack = sampler.intern_captured(&self.stack);
        let tick = Tick { wall, cpu, span: self.span, charged, caused: self.caused };
        sampler.tick(accounts, stack, labels, tick);
        Outcome::Done
    }
}

/// A tick that charges this has met no thread: what threads waited for meanwhile was the collector,
/// or a thread on its way.
fn blame_unmet(caused: Nanos, now: Nanos) {
    if let Some(sampler) = sampler().as_mut() {
        match HOLDER.get().filter(|record| record.collecting.load(Ordering::Relaxed)) {
            Some(record) => record.accounts().caused_by_gc += caused,
            None => sampler.blame_no_thread(caused, now),
        }
    }
}

/// The first of `holders` that `runs`; where there are Ractors, all threads that do.
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
