//! Formatting of values in a report.

use super::paint::printable;
use crate::unit::{MINIMUM, label, scale};

/// Formatter of values that are measured in one unit.
#[derive(Clone, Debug)]
pub(super) struct Notation {
    /// Unit of the given values, without control characters.
    from: String,
    /// Unit of the written values, or `minimum`: each value in the unit that fits it.
    to: String,
}

impl Notation {
    pub(super) fn new(from: &str, to: &str) -> Self {
        Self { from: printable(from).into_owned(), to: to.to_owned() }
    }

    /// Returns a notation with one unit: that of the user, or else the one that fits `smallest`. If
    /// `largest` is far larger, a larger unit is chosen; `smallest` is still at least 0.01 of it.
    pub(super) fn common(&self, smallest: u64, largest: u64) -> Self {
        if self.to != MINIMUM {
            return self.clone();
        }
        let fitting = |value: u64| scale(i64::try_from(value).unwrap_or(i64::MAX), &self.from, MINIMUM).1;
        let (low, high) = (fitting(smallest), fitting(largest));
        let far_apart = low != high && smallest.saturating_mul(100) < largest;
        let unit = if far_apart { fitting(smallest * 100) } else { low };
        Self::new(&self.from, if unit.is_empty() { &self.from } else { unit })
    }

    /// Formats a value with its unit.
    pub(super) fn format(&self, value: i64) -> String {
        label(value, &self.from, &self.to)
    }

    /// Formats a change: a value with its unit and its sign.
    pub(super) fn change(&self, value: i64) -> String {
        let sign = if value > 0 { "+" } else { "" };
        format!("{sign}{}", self.format(value))
    }

    /// Formats a value with its unit and one decimal.
    pub(super) fn one_decimal(&self, value: i64) -> String {
        let (amount, unit) = scale(value, &self.from, &self.to);
        format!("{amount:.1}{unit}")
    }

    /// Returns the value in nanoseconds, if it is a time.
    pub(super) fn nanoseconds(&self, value: i64) -> Option<i64> {
        let (amount, unit) = scale(value, &self.from, "nanoseconds");
        (unit == "ns").then_some(amount as i64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chooses_a_unit_for_all() {
        let format = |unit: &str, smallest: u64, largest: u64| {
            let notation = Notation::new(unit, MINIMUM).common(smallest, largest);
            [smallest, largest].map(|value| notation.format(value as i64))
        };
        assert_eq!(format("nanoseconds", 5_000_000, 90_000_000), ["5ms", "90ms"]);
        assert_eq!(format("nanoseconds", 20_000_000, 1_500_000_000), ["20ms", "1500ms"]);
        assert_eq!(format("nanoseconds", 10_000_000, 1_500_000_000), ["0.01s", "1.50s"]);
        assert_eq!(format("nanoseconds", 1_000, 1_500_000_000), ["1us", "1500000us"]);
        assert_eq!(format("nanoseconds", 0, 0), ["0", "0"]);
        assert_eq!(format("count", 1, 1_000_000), ["1", "1000000"]);
        assert_eq!(format("widgets", 1, 7), ["1widgets", "7widgets"]);
    }

    #[test]
    fn keeps_the_unit_of_the_user() {
        let notation = Notation::new("nanoseconds", "ms").common(1, 2);
        assert_eq!(notation.format(1_500_000), "1.50ms");
        assert_eq!(notation.one_decimal(1_500_000), "1.5ms");
    }

    #[test]
    fn knows_times_in_nanoseconds() {
        assert_eq!(Notation::new("ms", MINIMUM).nanoseconds(3), Some(3_000_000));
        assert_eq!(Notation::new("bytes", MINIMUM).nanoseconds(3), None);
    }
}
