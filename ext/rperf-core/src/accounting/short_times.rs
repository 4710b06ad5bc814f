//! Short times of many stacks, of which only a few are captured. Programs give up the GVL hundreds
//! of thousands of times a second, and capturing the stack each time would take longer than these
//! times.
//!
//! Times of at least [`longest`](ShortTimes::longest) are charged to their own stacks. The other
//! times are added up. When their sum reaches a limit, the amount of the limit is charged to the
//! stack whose time made the sum reach it; the rest stays. The limit is drawn anew each time. So
//! each stack is charged with its share, since it is selected in proportion to its time (systematic
//! sampling with random intervals; Cochran, "Sampling Techniques", chapter 8).

use super::Jitter;
use crate::time::Nanos;

/// The mean limit is at most 1/`PART` of the time that has been charged. Where little has been
/// charged, more of the time is selected.
const PART: u64 = 16;

/// Sum of times, and their number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Sum of the times.
    pub time: Nanos,
    /// Number of the times.
    pub count: u32,
}

impl Tally {
    /// Adds the times of `other`, unless their sum is 0.
    pub fn add(&mut self, other: Self) {
        if other.time > Nanos::ZERO {
            self.time += other.time;
            self.count = self.count.saturating_add(other.count);
        }
    }
}

/// Times of one thread in one state.
#[derive(Clone, Debug)]
pub struct ShortTimes {
    jitter: Jitter,
    /// Largest mean limit.
    most: Nanos,
    pending: Tally,
    limit: Nanos,
    charged: Nanos,
}

impl ShortTimes {
    /// Creates an empty sum. `seed` need not be random, only different from other seeds. `most`:
    /// the largest mean limit; where it is 0, each time is charged to its own stack.
    pub fn new(seed: u64, most: Nanos) -> Self {
        let [limit, charged] = [Nanos::ZERO; 2];
        Self { jitter: Jitter::new(seed), most, pending: Tally::default(), limit, charged }
    }

    /// Adds times within the [budget](Self::budget). The stacks of these times are gone.
    pub fn add(&mut self, times: Tally) {
        self.pending.add(times);
    }

    /// Adds a time whose stack is the thread's current one. Returns the charge of that stack.
    pub fn charge(&mut self, time: Nanos) -> Tally {
        if time == Nanos::ZERO {
            return Tally::default();
        }
        let is_long = time >= self.longest();
        let charged = if is_long { Tally { time, count: 1 } } else { self.add_short(time) };
        self.charged += charged.time;
        charged
    }

    /// Returns how much time can be added until a stack must be charged.
    pub fn budget(&self) -> Nanos {
        self.limit - self.pending.time
    }

    /// Takes the time that was not charged: it belongs to the stack that was charged last.
    pub fn rest(&mut self) -> Tally {
        let Tally { time, count } = std::mem::take(&mut self.pending);
        // The last time has been counted already if a part of it was charged.
        if time == Nanos::ZERO { Tally::default() } else { Tally { time, count: count.max(1) } }
    }

    /// Returns the least time that is always charged to its own stack.
    fn longest(&self) -> Nanos {
        Nanos(self.mean() + self.mean() / 2)
    }

    fn mean(&self) -> u64 {
        self.most.0.min(self.charged.0 / PART)
    }

    fn add_short(&mut self, time: Nanos) -> Tally {
        self.pending.add(Tally { time, count: 1 });
        let mut due = Nanos::ZERO;
        while self.limit <= self.pending.time && self.pending.time > Nanos::ZERO {
            let selected = if self.limit == Nanos::ZERO { self.pending.time } else { self.limit };
            due += selected;
            self.pending.time = self.pending.time - selected;
            self.limit = Nanos(self.mean() / 2 + self.jitter.below(self.mean().max(1)));
        }
        if due == Nanos::ZERO {
            return Tally::default();
        }
        Tally { time: due, count: std::mem::take(&mut self.pending.count) }
    }
}

#[cfg(test)]
mod tests {
    use super::{ShortTimes, Tally};
    use crate::time::Nanos;

    const MEAN: Nanos = Nanos(200_000);

    /// Returns the charge of each stack, where the stacks have these times in turn in each of
    /// `rounds` rounds; and the rest.
    fn charge<const N: usize>(times: [u64; N], rounds: usize) -> ([u64; N], u64) {
        let mut short = ShortTimes::new(1, MEAN);
        let mut charged = [0; N];
        for _ in 0..rounds {
            for (index, time) in times.into_iter().enumerate() {
                if Nanos(time) < short.budget() {
                    short.add(Tally { time: Nanos(time), count: 1 });
                } else {
                    charged[index] += short.charge(Nanos(time)).time.0;
                }
            }
        }
        (charged, short.rest().time.0)
    }

    #[test]
    fn no_time_is_lost() {
        let times = [1, 40, 3_000, 20_000, 500_000];
        let (charged, rest) = charge(times, 1_000);
        assert_eq!(charged.iter().sum::<u64>() + rest, times.iter().sum::<u64>() * 1_000);
        assert!(rest < MEAN.0 * 3 / 2);
    }

    #[test]
    fn the_first_are_charged_to_their_own_stacks() {
        assert_eq!(charge([2_000, 3_000, 2_500], 3), ([6_000, 9_000, 7_500], 0));
    }

    #[test]
    fn so_are_all_that_are_not_merged() {
        let mut short = ShortTimes::new(1, Nanos::ZERO);
        (0..1_000).for_each(|_| assert_eq!(short.charge(Nanos(70)), Tally { time: Nanos(70), count: 1 }));
        assert_eq!((short.rest(), short.budget()), (Tally::default(), Nanos::ZERO));
    }

    #[test]
    fn so_are_long_ones_always() {
        let (charged, _) = charge([4_000, 300_000, 7_000], 10_000);
        assert_eq!(charged[1], 300_000 * 10_000);
    }

    #[test]
    fn fewer_are_selected_where_more_is_charged_together() {
        let selected = |most| {
            let mut short = ShortTimes::new(1, Nanos(most));
            (0..10_000).filter(|_| short.charge(Nanos(100_000)).time > Nanos::ZERO).count()
        };
        // One second in all: in charges of 0.2 ms, and of 2 ms.
        let [often, seldom] = [200_000, 2_000_000].map(selected);
        assert!((4_500..6_000).contains(&often) && (450..700).contains(&seldom), "{often}, {seldom}");
    }

    #[test]
    fn each_stack_is_charged_with_its_share() {
        for times in [[2_000; 4], [1_000, 2_000, 4_000, 20_000], [90_000, 5_000, 5_000, 180_000]] {
            let rounds = 4_000_000_000 / times.iter().sum::<u64>();
            let (charged, _) = charge(times, rounds as usize);
            for (charged, time) in charged.into_iter().zip(times) {
                let expected = (time * rounds) as f64;
                // Three deviations: of `expected / MEAN` limits one in a few is selected.
                let tolerance = 3.0 * (expected * MEAN.0 as f64).sqrt();
                assert!(
                    (charged as f64 - expected).abs() < tolerance,
                    "{charged} of {expected} in {times:?}"
                );
            }
        }
    }

    #[test]
    fn each_is_counted_once() {
        let mut short = ShortTimes::new(1, MEAN);
        let charged: u32 = (0..10_000).map(|_| short.charge(Nanos(2_000)).count).sum();
        let rest = short.rest().count;
        assert!(charged + rest == 10_000 || charged + rest == 10_001 && rest == 1);
    }
}
