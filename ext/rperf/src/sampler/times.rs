//! Samples of time by one clock, and time that is still to become samples: the weights of ticks,
//! and the time between the ticks of one short thread (which ends after few ticks) and the next.

use rperf_core::accounting::{Event, ShortThreadRemainder, halves};
use rperf_core::collect::{Aggregator, DropCause, Labelling, SampleKey, StackTable, Time};
use rperf_core::ids::KindId;
use rperf_core::state::{Clock, VmState};
use rperf_core::time::Nanos;
use rperf_core::trace::TraceLine;

use super::{Sampler, Tick};
use crate::threads::accounts::{Place, ThreadAccounts};
use crate::threads::trace;

/// The samples of one clock, and the time of short threads that waits for a tick.
#[derive(Debug)]
pub struct Times {
    clock: Clock,
    pub aggregator: Aggregator,
    /// Time of short threads that have ended, with the place of the last tick of each at its end.
    pub remainder: ShortThreadRemainder<Place>,
}

impl Times {
    /// Creates an empty table for at most `limit` samples. With `merge` equal samples are one.
    pub fn new(clock: Clock, merge: bool, limit: usize) -> Self {
        Self { clock, aggregator: Aggregator::new(merge, limit), remainder: ShortThreadRemainder::default() }
    }

    /// Charges the parts of a time to a stack. Parts without weight and without caused waiting are
    /// left out. The count of a part is a number of ticks in state running, else of events. Each
    /// part ends where the next one begins, and the last one ends at the place's moment.
    pub fn charge<const PARTS: usize>(&mut self, place: Place, charges: [(VmState, Time); PARTS]) {
        let (Place { stack, thread, labels, moment }, clock) = (place, self.clock);
        let mut later: Nanos = charges.iter().map(|(_, time)| time.weight).sum();
        for (state, time) in charges.into_iter().filter(|(_, time)| time.weight + time.caused > Nanos::ZERO) {
            let Time { weight, count, .. } = time;
            later = later - weight;
            // A thread that begins has no frames yet: its waiting has the empty stack.
            let beginning = stack == Err(DropCause::NoFrames) && state != VmState::Running;
            match if beginning { Ok(StackTable::EMPTY) } else { stack } {
                // Time that no tick has counted is a lost sample, too.
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

    /// Counts `count` lost samples with `weight` in all.
    pub fn lose(&mut self, cause: DropCause, count: u64, weight: Nanos) {
        self.aggregator.counted.drops.add(cause, count, weight);
        trace::write(|| TraceLine::lost(cause, weight));
    }

    /// Charges the time of short threads that ended after the period's last tick of such a thread,
    /// when the period ends. Each thread's time goes to the stack of its own last tick.
    pub fn charge_placed(&mut self) {
        for (place, time) in self.remainder.take_placed() {
            // The count is 0: the sample of that tick has counted it.
            self.charge(place, [(VmState::Running, Time::new(time, 0))]);
        }
    }

    /// Counts as lost the time of short threads that no tick has met or taken: the session ends.
    pub fn drop_unplaced(&mut self) {
        let (time, count) = self.remainder.take_unplaced();
        if time > Nanos::ZERO {
            self.lose(DropCause::ThreadEnded, count, time);
        }
    }
}

/// Number of ticks from which on the time after a thread's last tick does not matter.
pub const MANY_TICKS: u64 = 20;

impl Sampler {
    /// Returns the weight, by this clock, of a tick of the thread with these accounts.
    pub(super) fn weigh(&mut self, clock: Clock, accounts: &mut ThreadAccounts, tick: Tick) -> Nanos {
        // A tick with more than this comes late: the system has stopped the program, which stood at
        // one place. By the CPU clock no time passes then.
        let prompt = match clock {
            Clock::Cpu => Nanos(u64::MAX),
            Clock::Wall => Nanos(2 * self.config.period()),
        };
        let is_short = accounts.tick_count <= MANY_TICKS;
        // The time of ended short threads goes to ticks of short threads. Where there are few ticks
        // nothing is held back (a span of 0), since other threads take over what is left.
        let remainder = self.times[clock].as_mut().map(|times| &mut times.remainder).filter(|_| is_short);
        let ended = remainder.map_or(Nanos::ZERO, |remainder| remainder.take(prompt));
        let span = if is_short { Nanos::ZERO } else { tick.span[clock] };
        let time = accounts.happen_on(clock, Event::Tick { span }, tick.wall, tick.cpu).running + ended;
        if is_short && tick.span[clock] <= prompt {
            self.share_with_last_tick(clock, accounts, time, tick.wall)
        } else {
            time
        }
    }

    /// Shares `time`, which lies between a tick of the short thread with these accounts and the
    /// last tick. Returns the part that this tick's stack is charged with: half where other short
    /// threads have ended, else all. The other half is charged to the stack of the last tick.
    fn share_with_last_tick(
        &mut self,
        clock: Clock,
        accounts: &mut ThreadAccounts,
        time: Nanos,
        wall: Nanos,
    ) -> Nanos {
        let Some(last) = self.last_tick else { return time };
        let [earlier, later] = halves(time);
        let last = if accounts.last.has_frames() { accounts.last } else { last };
        // The count is 0: the sample of that tick has counted it.
        let charge = [(VmState::Running, Time::new(earlier, 0))];
        self.charge(clock, Place { moment: wall, ..last }, charge);
        later
    }

    /// Returns the labels of ended threads that may still be charged.
    pub fn last_labels(&self) -> Vec<Labelling> {
        let ended = self.times.iter().flatten().flat_map(|times| times.remainder.places());
        ended.chain(&self.last_tick).map(|place| place.labels).collect()
    }
}
