//! What is said of a unit of work when it has ended: labels of its samples.

use super::Figures;
use crate::time::Nanos;

/// How a unit of work was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    latency: Option<&'static str>,
    failed: bool,
}

/// A 95th percentile counts from so many units on: ten are beyond it then.
const KNOWN: u64 = 200;

impl Verdict {
    /// That of one unit. `usual`: the units of its name before; `slow`: it was slow if it took
    /// longer than this, whatever is usual.
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

    /// The labels that say so: keys and values.
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
