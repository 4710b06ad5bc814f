//! Durations of units of work: counts in steps, of which each doubling of the duration has eight.

use crate::time::Nanos;

/// Number of steps in an octave, from one power of two to the next. They are of one width, so that
/// a step is at most 1/8 of the durations in it.
const STEPS_PER_OCTAVE: usize = 1 << OCTAVE_BITS;
const OCTAVE_BITS: u32 = 3;
/// Index of the octave that begins at one second. The first one begins at 2^-20 s (1 us); durations
/// below are in step 0.
const SECOND: usize = 20;
/// Number of octaves. Durations of 2^18 s (three days) and more are in the last step.
const OCTAVES: usize = SECOND + 18;
/// Number of steps.
const STEPS: usize = 1 + OCTAVES * STEPS_PER_OCTAVE + 1;

/// Counts of durations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    /// The first step that has a count; 0 where there is none.
    first: usize,
    /// Counts from that step on, up to the last one that is not 0.
    counts: Vec<u64>,
    longest: Nanos,
}

impl Histogram {
    /// Number of steps in an octave.
    pub const STEPS_PER_OCTAVE: usize = STEPS_PER_OCTAVE;

    /// Adds a duration.
    pub fn add(&mut self, duration: Nanos) {
        self.count(step_of(duration), 1);
        self.longest = self.longest.max(duration);
    }

    /// Adds the durations of another histogram.
    pub fn merge(&mut self, other: &Self) {
        for (step, count) in other.steps() {
            self.count(step, count);
        }
        self.longest = self.longest.max(other.longest);
    }

    /// Creates a histogram from the counts of its steps, of which `first` is the first one; `None`
    /// where there are more steps.
    pub fn from_counts(first: usize, counts: &[u64], longest: Nanos) -> Option<Self> {
        let mut histogram = Self { longest, ..Self::default() };
        if first.checked_add(counts.len())? > STEPS {
            return None;
        }
        for (step, count) in (first..).zip(counts) {
            histogram.count(step, *count);
        }
        Some(histogram)
    }

    /// Returns the first step that has a count.
    pub fn first(&self) -> usize {
        self.first
    }

    /// Returns the counts of its steps, from the first one up to the last one that is not 0.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// Returns the number of durations.
    pub fn len(&self) -> u64 {
        self.counts.iter().fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// Returns the longest duration.
    pub fn longest(&self) -> Nanos {
        self.longest
    }

    /// Returns the number of bytes that its counts take.
    pub fn memory_size(&self) -> usize {
        self.counts.capacity() * size_of::<u64>()
    }

    /// Returns how many durations were shorter than 2^`exponent` seconds, from -20 to 18.
    pub fn shorter_than(&self, exponent: i32) -> u64 {
        let octave = usize::try_from(exponent + SECOND as i32).unwrap_or(0).min(OCTAVES);
        let shorter = self.steps().take_while(|(step, _)| *step <= octave * STEPS_PER_OCTAVE);
        shorter.fold(0, |sum, (_, count)| sum.saturating_add(count))
    }

    /// Returns the duration that `percent` percent of all durations do not exceed, as if those of
    /// one step were spread evenly over the step; 0 where there is no duration. A single duration
    /// is its own percentile.
    pub fn percentile(&self, percent: u64) -> Nanos {
        let units = self.len();
        if units == 1 {
            return self.longest;
        }
        let rank = u128::from(units) * u128::from(percent);
        let mut below = 0;
        for (step, count) in self.steps() {
            let count = u128::from(count) * 100;
            if below + count >= rank {
                let from = end_of(step.checked_sub(1)).min(self.longest);
                let width = end_of(Some(step)).min(self.longest) - from;
                return from + Nanos((u128::from(width.0) * (rank - below) / count) as u64);
            }
            below += count;
        }
        self.longest
    }

    /// Returns the steps that have a count, with their counts.
    fn steps(&self) -> impl Iterator<Item = (usize, u64)> {
        (self.first..).zip(self.counts.iter().copied()).filter(|(_, count)| *count > 0)
    }

    fn count(&mut self, step: usize, more: u64) {
        if more == 0 {
            return;
        }
        if self.counts.is_empty() {
            self.first = step;
        }
        if step < self.first {
            self.counts.splice(0..0, std::iter::repeat_n(0, self.first - step));
            self.first = step;
        }
        let place = step - self.first;
        if place >= self.counts.len() {
            self.counts.resize(place + 1, 0);
        }
        self.counts[place] = self.counts[place].saturating_add(more);
    }
}

/// Returns the first step that ends after this duration.
fn step_of(duration: Nanos) -> usize {
    let parts = (u128::from(duration.0) << (SECOND as u32 + OCTAVE_BITS)) / 1_000_000_000;
    let Some(octave) = parts.checked_ilog2().and_then(|log| log.checked_sub(OCTAVE_BITS)) else { return 0 };
    let within = (parts >> octave) as usize - STEPS_PER_OCTAVE;
    (1 + octave as usize * STEPS_PER_OCTAVE + within).min(STEPS - 1)
}

/// Returns the end of a step; 0 before the first one.
fn end_of(step: Option<usize>) -> Nanos {
    step.map_or(Nanos::ZERO, |step| match step {
        last if last == STEPS - 1 => Nanos(u64::MAX),
        step => {
            let parts = (step % STEPS_PER_OCTAVE + STEPS_PER_OCTAVE) as u128;
            let scaled = (1_000_000_000 * parts) << (step / STEPS_PER_OCTAVE);
            Nanos(scaled.div_ceil(1 << (SECOND as u32 + OCTAVE_BITS)) as u64)
        }
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
        assert_eq!(end_of(Some(SECOND * STEPS_PER_OCTAVE)), Nanos(1_000_000_000));
        assert_eq!(step_of(Nanos(1_000_000_000 << 18)), STEPS - 1);
    }

    #[test]
    fn steps_are_an_eighth_of_their_durations_at_most() {
        for step in 1..STEPS - 1 {
            let [from, to] = [step - 1, step].map(|step| end_of(Some(step)).0);
            assert!(from < to && (to - from) * 8 <= from + 8, "{step}: {from} {to}");
        }
    }

    #[test]
    fn counts_are_cumulative_by_seconds() {
        let histogram = of(&[(MS, 3), (600 * MS, 2), (1_000 * MS, 1)]);
        assert_eq!([-10, -1, 0, 1].map(|exponent| histogram.shorter_than(exponent)), [0, 3, 5, 6]);
        assert_eq!(histogram.shorter_than(-9), 3, "1 ms is not shorter than 2^-10 s");
        assert_eq!(of(&[(1, 2), (2_000 * MS, 1)]).shorter_than(-20), 2);
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
    fn percentiles_are_right_to_an_eighth() {
        for (durations, percent, right) in [
            (vec![(82 * MS / 10, 39), (20 * MS, 1)], 50, 82 * MS / 10),
            (vec![(82 * MS / 10, 39), (20 * MS, 1)], 95, 82 * MS / 10),
            (vec![(5 * MS, 90), (60 * MS, 10)], 95, 60 * MS),
            (vec![(30 * MS, 30)], 50, 30 * MS),
            (vec![(33 * MS, 29), (500 * MS, 1)], 95, 33 * MS),
        ] {
            let found = of(&durations).percentile(percent).0;
            assert!(found.abs_diff(right) * 8 <= right, "{durations:?}: {found}");
        }
    }

    #[test]
    fn percentiles_are_no_longer_than_the_longest() {
        let histogram = of(&[(10 * MS, 100)]);
        assert_eq!(histogram.percentile(100), Nanos(10 * MS));
        assert!(histogram.percentile(50) < Nanos(10 * MS));
        assert_eq!(Histogram::default().percentile(95), Nanos::ZERO);
        assert_eq!(of(&[(u64::MAX, 2)]).percentile(100), Nanos(u64::MAX));
    }

    #[test]
    fn a_single_duration_is_all_percentiles() {
        for duration in [0, 500, 100_200_000, u64::MAX] {
            let histogram = of(&[(duration, 1)]);
            assert_eq!([50, 95, 99].map(|percent| histogram.percentile(percent)), [Nanos(duration); 3]);
        }
    }

    #[test]
    fn merging_is_counting_together() {
        let mut one = of(&[(MS, 3), (9 * MS, 1)]);
        one.merge(&of(&[(MS, 2), (70 * MS, 4)]));
        assert_eq!(one, of(&[(MS, 5), (9 * MS, 1), (70 * MS, 4)]));
        assert_eq!(one.len(), 10);
        let mut long = of(&[(70 * MS, 4)]);
        long.merge(&of(&[(MS, 5), (9 * MS, 1)]));
        assert_eq!(long, one);
    }

    #[test]
    fn is_made_again_of_its_counts() {
        let histogram = of(&[(MS, 3), (70 * MS, 4)]);
        let [first, longest] = [histogram.first() as u64, histogram.longest().0];
        assert_eq!(
            Histogram::from_counts(first as usize, histogram.counts(), Nanos(longest)),
            Some(histogram)
        );
        assert_eq!(Histogram::from_counts(0, &[0; STEPS + 1], Nanos::ZERO), None);
        assert_eq!(Histogram::from_counts(STEPS, &[1], Nanos::ZERO), None);
        assert_eq!(Histogram::from_counts(usize::MAX, &[1], Nanos::ZERO), None);
    }
}
