//! Durations of units of work: counts in steps of two.

use crate::time::Nanos;

/// Index of the step that ends at one second.
const SECOND: usize = 20;
/// Number of steps. The last step has no end: durations above 2^18 s, three days, are in it, too.
const STEPS: usize = SECOND + 19;

/// Counts of durations, in steps that end at powers of two of a second, from 2^-20 s (1 us) on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram {
    counts: [u64; STEPS],
    longest: Nanos,
}

impl Default for Histogram {
    fn default() -> Self {
        Self { counts: [0; STEPS], longest: Nanos::ZERO }
    }
}

impl Histogram {
    /// Adds a duration.
    pub fn add(&mut self, duration: Nanos) {
        self.counts[step_of(duration)] += 1;
        self.longest = self.longest.max(duration);
    }

    /// Adds the durations of another histogram.
    pub fn merge(&mut self, other: &Self) {
        for (count, more) in self.counts.iter_mut().zip(other.counts) {
            *count = count.saturating_add(more);
        }
        self.longest = self.longest.max(other.longest);
    }

    /// Creates a histogram from the counts of its first steps; `None` where there are more steps.
    pub fn from_counts(counts: &[u64], longest: Nanos) -> Option<Self> {
        let mut histogram = Self { longest, ..Self::default() };
        histogram.counts.get_mut(..counts.len())?.copy_from_slice(counts);
        Some(histogram)
    }

    /// Returns the counts of its steps, up to the last one that is not 0.
    pub fn counts(&self) -> &[u64] {
        let used = self.counts.iter().rposition(|count| *count > 0).map_or(0, |last| last + 1);
        &self.counts[..used]
    }

    /// Returns the number of durations.
    pub fn len(&self) -> u64 {
        self.counts.iter().fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// Returns whether there is no duration.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the longest duration.
    pub fn longest(&self) -> Nanos {
        self.longest
    }

    /// Returns how many durations were shorter than 2^`exponent` seconds, from -20 to 18.
    pub fn shorter_than(&self, exponent: i32) -> u64 {
        let end = usize::try_from(exponent + SECOND as i32).unwrap_or(0).min(STEPS - 1);
        self.counts[..=end].iter().fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// Returns the duration that `percent` percent of all durations do not exceed, as if those of
    /// one step were spread evenly over the step; 0 where there is no duration.
    pub fn percentile(&self, percent: u64) -> Nanos {
        let rank = u128::from(self.len()) * u128::from(percent);
        let mut below = 0;
        for (step, count) in self.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let count = u128::from(*count) * 100;
            if below + count >= rank {
                let from = end_of(step.checked_sub(1)).min(self.longest);
                let width = end_of(Some(step)).min(self.longest) - from;
                return from + Nanos((u128::from(width.0) * (rank - below) / count) as u64);
            }
            below += count;
        }
        self.longest
    }
}

/// Returns the first step that ends after this duration.
fn step_of(duration: Nanos) -> usize {
    let parts = (u128::from(duration.0) << SECOND) / 1_000_000_000;
    parts.checked_ilog2().map_or(0, |log| (log as usize + 1).min(STEPS - 1))
}

/// Returns the end of a step; 0 before the first one.
fn end_of(step: Option<usize>) -> Nanos {
    step.map_or(Nanos::ZERO, |step| match step {
        last if last == STEPS - 1 => Nanos(u64::MAX),
        step => Nanos((1_000_000_000_u128 << step).div_ceil(1 << SECOND) as u64),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn of(durations: &[(u64, usize)]) -> Histogram {
        let mut histogram = Histogram::default();
        for (duration, times) in durations {
            (0..*times).for_each(|_| histogram.add(Nanos(*duration)));
        }
        histogram
    }

    #[test]
    fn a_duration_is_below_the_end_of_its_step_and_not_of_the_one_before() {
        for duration in [0, 1, 953, 954, 999_999_999, 1_000_000_000, 1_000_000_001, 3 * MS, 1 << 60, u64::MAX]
        {
            let step = step_of(Nanos(duration));
            assert!(end_of(step.checked_sub(1)).0 <= duration, "{duration}");
            assert!(duration < end_of(Some(step)).0 || step == STEPS - 1, "{duration}");
        }
        assert_eq!(end_of(Some(SECOND)), Nanos(1_000_000_000));
    }

    #[test]
    fn counts_are_cumulative_by_seconds() {
        let histogram = of(&[(MS, 3), (600 * MS, 2), (1_000 * MS, 1)]);
        assert_eq!([-10, -1, 0, 1].map(|exponent| histogram.shorter_than(exponent)), [0, 3, 5, 6]);
        assert_eq!(histogram.shorter_than(-9), 3, "1 ms is not shorter than 2^-10 s");
    }

    #[test]
    fn a_percentile_is_between_the_fast_and_the_slow() {
        // Of 1000 durations the slow ones are a little less than 5 %, 5 %, and a little more.
        for slow in [45, 50, 55] {
            let p95 = of(&[(10 * MS, 1_000 - slow), (200 * MS, slow)]).percentile(95);
            assert!(p95 > Nanos(10 * MS) && p95 < Nanos(200 * MS), "{slow}: {p95:?}");
        }
    }

    #[test]
    fn percentiles_are_no_longer_than_the_longest() {
        let histogram = of(&[(10 * MS, 100)]);
        assert_eq!(histogram.percentile(100), Nanos(10 * MS));
        assert!(histogram.percentile(50) < Nanos(10 * MS));
        assert_eq!(Histogram::default().percentile(95), Nanos::ZERO);
        assert_eq!(of(&[(u64::MAX, 1)]).percentile(100), Nanos(u64::MAX));
    }

    #[test]
    fn merging_is_counting_together() {
        let mut one = of(&[(MS, 3), (9 * MS, 1)]);
        one.merge(&of(&[(MS, 2), (70 * MS, 4)]));
        assert_eq!(one, of(&[(MS, 5), (9 * MS, 1), (70 * MS, 4)]));
        assert_eq!(one.len(), 10);
    }

    #[test]
    fn is_made_again_of_its_counts() {
        let histogram = of(&[(MS, 3), (70 * MS, 4)]);
        assert_eq!(Histogram::from_counts(histogram.counts(), histogram.longest()), Some(histogram));
        assert_eq!(Histogram::from_counts(&[0; STEPS + 1], Nanos::ZERO), None);
    }
}
