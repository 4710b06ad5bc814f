//! Choice of the suspensions that are measured in cpu mode: their CPU time is read when they begin
//! and when they end.
//!
//! Programs give up the GVL hundreds of thousands of times a second, and measuring each suspension
//! would take longer than many of them. So chance chooses one in `interval` suspensions, which
//! stands for `interval` of them. The gaps have a geometric distribution, so that the sum is right
//! on average whatever the program does, also when the interval changes (Horvitz and Thompson,
//! 1952). Where there are few suspensions, all are measured.

use super::Gaps;
use crate::time::Nanos;

/// Minimum length of a long suspension, in nanoseconds, which is charged for itself alone. If it
/// was not measured from its beginning, it is charged with the least that the thread must have
/// computed in it: since the last reading, the thread cannot have used more before it than the time
/// that passed.
pub const LONG_CPU: Nanos = Nanos(1_000_000);
/// Longest interval. Measuring one in `LONGEST` suspensions costs some 25 ns for each suspension.
/// When a program goes over from short suspensions to others, few of these stand for too many.
const LONGEST: u32 = 64;

/// Choice of the measured suspensions of one thread.
#[derive(Clone, Debug)]
pub struct Inspections {
    gaps: Gaps,
    /// Least mean time between two measured suspensions, approximately.
    apart: Nanos,
    /// One in `interval` suspensions is measured.
    interval: u32,
    /// End of the last measured suspension, moved later by the time of captures since.
    last: Nanos,
}

impl Inspections {
    /// Creates a choice that begins with the first suspension. `seed` need not be random, only
    /// different. `apart`: about the least mean time between measured ones, at some 2 us each.
    pub fn new(seed: u64, apart: Nanos) -> Self {
        Self { gaps: Gaps::new(1, seed), apart, interval: 1, last: Nanos::ZERO }
    }

    /// Returns how many suspensions the next measured one stands for.
    pub fn interval(&self) -> u32 {
        self.interval
    }

    /// Returns how many suspensions pass until the next measured one. The last one, which was long
    /// or measured, ended at `wall`. After a long one, too, chance chooses anew (it has no memory),
    /// so that long ones that follow many short ones are soon measured.
    pub fn next_gap(&mut self, wall: Nanos) -> u32 {
        let apart = (wall - std::mem::replace(&mut self.last, wall)).0;
        if apart < self.apart.0 / 2 {
            self.interval = (2 * self.interval).min(LONGEST);
        } else if apart > 2 * self.apart.0 {
            self.interval = (self.interval / 2).max(1);
        }
        self.gaps.set_interval(self.interval.into());
        (self.gaps.draw() - 1) as u32
    }

    /// Leaves out time since the last measured suspension in which the thread captured its own
    /// stack: it is not the program's time. A deep stack takes longer than measured suspensions are
    /// apart, so each suspension would be measured otherwise.
    pub fn leave_out(&mut self, time: Nanos) {
        self.last += time;
    }
}

#[cfg(test)]
mod tests {
    use super::{Inspections, LONG_CPU, LONGEST};
    use crate::time::Nanos;

    const APART: Nanos = Nanos(200_000);

    /// Returns the estimated sums of suspensions that take these times in turn, `between` apart,
    /// and the number of measured suspensions.
    fn estimate<const N: usize>(
        times: [u64; N],
        between: u64,
        rounds: usize,
        seed: u64,
    ) -> ([u64; N], usize) {
        let mut inspections = Inspections::new(seed, APART);
        let (mut sums, mut measured, mut left, mut now) = ([0; N], 0, 0, 0);
        for _ in 0..rounds {
            for (sum, time) in sums.iter_mut().zip(times) {
                now += time + between;
                if left == 0 {
                    *sum += time * u64::from(inspections.interval());
                    measured += 1;
                }
                let chooses = left == 0 || time >= LONG_CPU.0;
                left = if chooses { inspections.next_gap(Nanos(now)) } else { left - 1 };
            }
        }
        (sums, measured)
    }

    #[test]
    fn all_are_measured_where_there_are_few() {
        let (sums, measured) = estimate([300_000, 700_000], 1_000_000, 500, 1);
        assert_eq!((sums, measured), ([150_000_000, 350_000_000], 1_000));
    }

    #[test]
    fn fewer_are_measured_where_they_shall_be_further_apart() {
        let measured = |apart| {
            let mut inspections = Inspections::new(1, Nanos(apart));
            let (mut now, mut measured) = (0, 0);
            // 50 us each, for a second.
            while now < 1_000_000_000 {
                measured += 1;
                now += 50_000 * (1 + u64::from(inspections.next_gap(Nanos(now))));
            }
            measured
        };
        let [often, seldom] = [200_000, 2_000_000].map(measured);
        assert!((2_500..10_000).contains(&often) && (250..1_000).contains(&seldom), "{often}, {seldom}");
    }

    #[test]
    fn sums_are_right_in_the_mean_also_where_the_interval_changes() {
        // Bursts of short suspensions, then one that is so long that the interval shrinks.
        let mut times = [20_000; 20];
        times[19] = 2_000_000;
        const SEEDS: u64 = 400;
        const ROUNDS: usize = 400;
        let (mut short, mut long) = (0, 0);
        for seed in 0..SEEDS {
            let (sums, _) = estimate(times, 5_000, ROUNDS, seed);
            short += sums[..19].iter().sum::<u64>();
            long += sums[19];
        }
        let all = SEEDS * ROUNDS as u64;
        for (sum, expected) in [(short, 19 * 20_000 * all), (long, 2_000_000 * all)] {
            assert!((sum as f64 / expected as f64 - 1.0).abs() < 0.04, "{sum} of {expected}");
        }
    }

    #[test]
    fn long_ones_after_many_short_ones_are_soon_measured() {
        let mut inspections = Inspections::new(1, APART);
        (1..100_u64).for_each(|at| _ = inspections.next_gap(Nanos(at)));
        assert_eq!(inspections.interval(), LONGEST, "it has a limit");
        let [mut left, mut measured, mut now] = [u64::from(LONGEST), 0, 100];
        for _ in 0..40 {
            now += 5_000_000;
            measured += u64::from(left == 0);
            left = inspections.next_gap(Nanos(now)).into();
        }
        assert!(measured >= 30, "{measured}");
    }
}
