//! Numbers and durations of the units of work of one name, as reports and the page show them.

use serde::Serialize;

use super::Figures;

/// Numbers and durations of units of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Units {
    /// Number of units that have ended.
    pub units: u64,
    /// Number of units that failed.
    pub errors: u64,
    /// Mean duration in nanoseconds; 0 where there is no unit.
    pub mean_ns: u64,
    /// 95th percentile of the durations in nanoseconds; 0 where there is no unit.
    pub p95_ns: u64,
}

impl Units {
    /// Returns the numbers and durations of these figures.
    pub fn of(figures: &Figures) -> Self {
        Self {
            units: figures.units,
            errors: figures.errors,
            mean_ns: figures.mean().0,
            p95_ns: figures.durations.percentile(95).0,
        }
    }

    /// Returns these with the mean numbers of `recordings` (at least 1), whose units they are.
    pub fn per_recording(self, recordings: u64) -> Self {
        let mean = |number: u64| (number + recordings / 2) / recordings;
        Self { units: mean(self.units), errors: mean(self.errors), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_numbers_of_several_recordings_are_means() {
        let units = Units { units: 9, errors: 5, mean_ns: 7, p95_ns: 8 };
        assert_eq!(units.per_recording(2), Units { units: 5, errors: 3, ..units });
    }
}
