//! What one clock has charged: samples of time, and what is still to become some.

use rperf_core::accounting::Carry;
use rperf_core::collect::{Aggregator, DropCause, Labelling, SampleKey, SnapshotSample, StackTable, Time};
use rperf_core::ids::{KindId, ThreadSeq};
use rperf_core::state::{Clock, VmState};
use rperf_core::time::Nanos;
use rperf_core::trace::TraceLine;

use super::{Counted, StackResult};
use crate::threads::trace;

/// How many distinct samples, or raw ones: some 50 bytes each.
pub(super) const SAMPLE_LIMIT: usize = 4 << 20;

/// The samples of one clock.
#[derive(Debug)]
pub struct Times {
    clock: Clock,
    aggregator: Aggregator,
    /// What was counted of them.
    pub counted: Counted,
    /// Time of short threads that have ended.
    pub carry: Carry,
}

impl Times {
    /// None yet. With `merge` equal ones are one.
    pub fn new(clock: Clock, merge: bool) -> Self {
        let aggregator = Aggregator::new(merge, SAMPLE_LIMIT);
        Self { clock, aggregator, counted: Counted::default(), carry: Carry::default() }
    }

    /// What was counted, with what did not fit.
    pub fn counted(&self) -> Counted {
        self.counted.with(self.aggregator.drops())
    }

    /// The samples.
    pub fn aggregator(&mut self) -> &mut Aggregator {
        &mut self.aggregator
    }

    /// A copy of them.
    pub fn samples(&self) -> Vec<SnapshotSample> {
        self.aggregator.samples()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.aggregator.len()
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

    /// The session ends: the time of short threads that no tick has taken is lost.
    pub fn drop_rests(&mut self) {
        let (count, time) = (self.carry.count(), self.carry.take());
        if time > Nanos::ZERO {
            self.lose(DropCause::ThreadEnded, count, time);
        }
    }
}
