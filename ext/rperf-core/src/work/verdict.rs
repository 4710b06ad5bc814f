//! The verdict on a unit of work that has ended: labels of its samples.

use super::Figures;
use crate::time::Nanos;

/// Verdict on a unit of work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    latency: Option<&'static str>,
    failed: bool,
}

/// Minimum number of units for a 95th percentile to count. Ten units are beyond it then.
const KNOWN: u64 = 200;

impl Verdict {
    /// Returns the verdict on one unit. `usual`: the sums of earlier units with its name. `slow`: a
    /// unit that took longer than this was slow, whatever is usual.
    pub fn of(unit: &Figures, usual: Option<&Figures>, slow: Option<Nanos>) -> Self {
        let is_beyond = |limit: Nanos| unit.wall > limit;
        let usual = usual.filter(|usual| usual.units >= KNOWN);
        let latency = if slow.is_some_and(is_beyond) {
            Some("slow")
        } else {
            usual.is_some_and(|usual| is_beyond(usual.durations.percentile(95))).then_some("p95+")
        };
        Self { latency, failed: unit.errors > 0 }
    }

    /// Returns the labels of the verdict: keys and values.
    pub fn labels(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let latency = self.latency.map(|latency| ("latency", latency));
        latency.into_iter().chain(self.failed.then_some(("outcome", "error")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(wall: u64, errors: u64) -> Figures {
        Figures { units: 1, errors, wall: Nanos(wall), ..Figures::default() }
    }

    fn usual(units: usize) -> Figures {
        let mut sum = Figures::default();
        (0..units)
            .for_each(|number| sum.add(&unit(if number % 20 == 0 { 90_000_000 } else { 5_000_000 }, 0)));
        sum
    }

    fn labels(
        wall: u64,
        errors: u64,
        usual: Option<&Figures>,
        slow: Option<u64>,
    ) -> Vec<(&'static str, &'static str)> {
        Verdict::of(&unit(wall, errors), usual, slow.map(Nanos)).labels().collect()
    }

    #[test]
    fn what_is_beyond_the_95th_percentile_is_known_from_200_units_on() {
        let p95 = [("latency", "p95+")];
        assert_eq!(labels(90_000_000, 0, Some(&usual(200)), None), p95);
        assert_eq!(labels(5_000_000, 0, Some(&usual(200)), None), []);
        assert_eq!(labels(90_000_000, 0, Some(&usual(199)), None), []);
        assert_eq!(labels(90_000_000, 0, None, None), []);
    }

    #[test]
    fn slow_is_slower_than_that() {
        assert_eq!(labels(90_000_001, 0, Some(&usual(200)), Some(90_000_000)), [("latency", "slow")]);
        assert_eq!(labels(90_000_000, 0, None, Some(90_000_000)), []);
    }

    #[test]
    fn failures_are_said_beside_it() {
        assert_eq!(labels(5, 1, None, None), [("outcome", "error")]);
        assert_eq!(labels(5, 1, None, Some(4)), [("latency", "slow"), ("outcome", "error")]);
    }
}
