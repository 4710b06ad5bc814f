//! What one clock has charged: samples of time, and what is still to become some. What ticks weigh,
//! and threads that end after few ticks: what lies between the ticks of one and of the next.

use rperf_core::accounting::{Event, ShortThreadRemainder, halves};
use rperf_core::collect::{Aggregator, DropCause, Labelling, SampleKey, StackTable, Time};
use rperf_core::ids::{KindId, StackId, ThreadSeq};
use rperf_core::state::{Clock, VmState};
use rperf_core::time::Nanos;
use rperf_core::trace::TraceLine;

use super::{Counted, Sampler, StackResult, Tick};
use crate::threads::accounts::ThreadAccounts;
use crate::threads::trace;

/// The samples of one clock.
#[derive(Debug)]
pub struct Times {
    clock: Clock,
    /// The samples.
    pub aggregator: Aggregator,
    /// What was counted of them.
    pub counted: Counted,
    /// Time of short threads that have ended; with its last tick, and the moment of its end.
    pub remainder: ShortThreadRemainder<(LastTick, Nanos)>,
}

impl Times {
    /// None yet. With `merge` equal ones are one. `limit`: so many have room.
    pub fn new(clock: Clock, merge: bool, limit: usize) -> Self {
        let aggregator = Aggregator::new(merge, limit);
        Self { clock, aggregator, counted: Counted::default(), remainder: ShortThreadRemainder::default() }
    }

    /// What was counted, with what did not fit.
    pub fn counted(&self) -> Counted {
        self.counted.with(self.aggregator.drops())
    }

    /// A new period begins: samples and counts are forgotten.
    pub fn begin_period(&mut self) {
        self.counted = Counted::default();
        self.aggregator.clear();
    }

    /// Charges a stack, parts without weight left out. Of time in which the thread ran the last
    /// number is how many ticks have met it, else how many events it is. Of several parts, each
    /// ends where the next one begins, and the last one ends at `moment`.
    pub fn charge<const PARTS: usize>(
        &mut self,
        stack: StackResult,
        thread: ThreadSeq,
        labels: Labelling,
        charges: [(VmState, Time); PARTS],
        moment: Nanos,
    ) {
        let clock = self.clock;
        let mut later: Nanos = charges.iter().map(|(_, time)| time.weight).sum();
        for (state, time) in charges.into_iter().filter(|(_, time)| time.weight + time.caused > Nanos::ZERO) {
            let Time { weight, count, .. } = time;
            later = later - weight;
            // A thread that begins has no frames yet: what it waits for is shown by itself.
            let beginning = stack == Err(DropCause::NoFrames) && state != VmState::Running;
            match if beginning { Ok(StackTable::EMPTY) } else { stack } {
                // What no tick has counted is a lost sample, too.
                Err(cause) => self.lose(cause, count.max(1), weight),
                Ok(stack) => {
                    let key = SampleKey { stack, state, thread, labels, kind: KindId::NONE };
                    let fits = self.aggregator.add(key, time, moment - later);
                    let (stack, labels) = (stack.0, labels.set.0);
                    trace::write(|| match fits {
                        true => TraceLine::Charge { thread, stack, labels, clock, state, weight },
                        false => TraceLine::lost(DropCause::StackLimit, weight),
                    });
                }
            }
        }
    }

    /// So many samples, with so much time, are lost.
    pub fn lose(&mut self, cause: DropCause, count: u64, weight: Nanos) {
        self.counted.drops.add(cause, count, weight);
        trace::write(|| TraceLine::lost(cause, weight));
    }

    /// A period ends: the time of short threads that ended after its last tick is charged to what
    /// their own last ticks met.
    pub fn charge_placed(&mut self) {
        for ((LastTick { stack, thread, labels }, ended), time) in self.remainder.take_placed() {
            // That sample has counted its tick.
            self.charge(Ok(stack), thread, labels, [(VmState::Running, Time::new(time, 0))], ended);
        }
    }

    /// The session ends: the time of short threads that no tick has taken, or met, is lost.
    pub fn drop_unplaced(&mut self) {
        let (time, count) = self.remainder.take_unplaced();
        if time > Nanos::ZERO {
            self.lose(DropCause::ThreadEnded, count, time);
        }
    }
}

/// A thread with so many ticks is long enough for the time after its last one not to matter.
pub const MANY_TICKS: u64 = 20;

/// What the last tick met of a short thread that has ended, in this period.
#[derive(Clone, Copy, Debug)]
pub struct LastTick {
    stack: StackId,
    thread: ThreadSeq,
    labels: Labelling,
}

impl LastTick {
    /// Of the thread with these accounts; `None` where no tick has met it.
    pub fn of(accounts: &ThreadAccounts) -> Option<Self> {
        let ThreadAccounts { last_stack: stack, seq: thread, last_labels: labels, .. } = *accounts;
        (stack != StackTable::EMPTY).then_some(Self { stack, thread, labels })
    }
}

impl Sampler {
    /// What a tick of the thread with these accounts weighs by this clock.
    pub(super) fn weigh(&mut self, clock: Clock, accounts: &mut ThreadAccounts, tick: Tick) -> Nanos {
        let is_short = accounts.tick_count <= MANY_TICKS;
        // The time of short threads belongs to short threads; and where there are few ticks nothing
        // is held back, since other threads go on with what is left.
        let remainder = self.times[clock].as_mut().map(|times| &mut times.remainder).filter(|_| is_short);
        let ended = remainder.map_or(Nanos::ZERO, ShortThreadRemainder::take);
        let span = if is_short { Nanos::ZERO } else { tick.span[clock] };
        let own = accounts.happen_on(clock, Event::Tick { span }, tick.wall, tick.cpu).running;
        let time = own + ended + std::mem::take(&mut accounts.inherited[clock]);
        match clock {
            Clock::Cpu if is_short => self.share_with_last_tick(accounts, time, tick.wall),
            // By the wall clock no ticks are left out.
            _ => time,
        }
    }

    /// A tick met the short thread with these accounts, `time` after the last one. Returns what its
    /// stack is charged with: where others have ended, half; the other half is charged to what the
    /// last tick met.
    fn share_with_last_tick(&mut self, accounts: &mut ThreadAccounts, time: Nanos, wall: Nanos) -> Nanos {
        let Some(last) = self.last_tick else { return time };
        let [earlier, later] = halves(time);
        let LastTick { stack, thread, labels } = LastTick::of(accounts).unwrap_or(last);
        // That sample has counted its tick.
        self.charge(Clock::Cpu, Ok(stack), thread, labels, [(VmState::Running, Time::new(earlier, 0))], wall);
        later
    }

    /// The labels of threads that have ended, and which may still be charged.
    pub fn last_labels(&self) -> Vec<Labelling> {
        let ended = self.times.iter().flatten().flat_map(|times| times.remainder.places());
        ended.map(|(last, _)| last).chain(&self.last_tick).map(|last| last.labels).collect()
    }
}
