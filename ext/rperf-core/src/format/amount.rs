//! Weights and names as reports for people write them.

use crate::profile::{ValueType, moves_cursor};
use crate::time::Nanos;
use crate::unit::{MINIMUM, scale};

/// Format of weights: each is shown in the unit that fits its size.
pub(super) struct Amount {
    /// The unit in which weights are given.
    unit: String,
}

impl Amount {
    pub(super) fn of(value_type: &ValueType) -> Self {
        // The unit `count` is not shown: the kind names what is counted.
        let unit = if value_type.unit == "count" { "" } else { &value_type.unit };
        Self { unit: one_line(unit) }
    }

    /// Returns the format of times in nanoseconds.
    pub(super) fn time() -> Self {
        Self { unit: ValueType::NANOSECONDS.to_owned() }
    }

    /// Returns the number and its unit. Zero has no unit.
    pub(super) fn split(&self, value: Nanos) -> (String, &str) {
        let number = i64::try_from(value.0).unwrap_or(i64::MAX);
        // A number that would be rounded to 1000 is shown in the next larger unit.
        let (_, unit) = scale(number.saturating_add(number / 2000), &self.unit, MINIMUM);
        match unit {
            _ if value == Nanos::ZERO => ("0".to_owned(), ""),
            "" => (value.0.to_string(), &self.unit),
            unit => (format!("{:.*}", decimals(unit), scale(number, &self.unit, unit).0), unit),
        }
    }

    /// Returns the number with its unit, such as `12.3 ms`.
    pub(super) fn with_unit(&self, value: Nanos) -> String {
        let (number, unit) = self.split(value);
        format!("{number} {unit}").trim_end().to_owned()
    }
}

/// Returns the number of decimals: none for the smallest units, two for seconds and hours, which
/// may have a single digit before the point, and one for the others.
fn decimals(unit: &str) -> usize {
    match unit {
        "ns" | "B" => 0,
        "s" | "hrs" => 2,
        _ => 1,
    }
}

/// Returns a number of samples, such as `1 sample` or `12 samples`.
pub(super) fn samples_text(count: u64) -> String {
    format!("{count} sample{}", if count == 1 { "" } else { "s" })
}

/// Makes a name one line: line breaks and other characters that move the cursor become spaces.
pub(super) fn one_line(name: &str) -> String {
    name.chars().map(|char| if moves_cursor(char) { ' ' } else { char }).collect()
}

/// Returns the part in percent of the total; 0 if the total is 0.
pub(super) fn percent(part: Nanos, total: Nanos) -> f64 {
    if total == Nanos::ZERO { 0.0 } else { part.0 as f64 * 100.0 / total.0 as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_weights_with_their_unit() {
        let amount = |unit: &str| Amount::of(&ValueType::new("kind", unit));
        let times = [0, 7, 1_500, 999_960, 12_345_678, 1_930_600_000, 25_000_000_000];
        let times = times.map(|time| amount("nanoseconds").with_unit(Nanos(time)));
        assert_eq!(times, ["0", "7 ns", "1.5 us", "1.0 ms", "12.3 ms", "1.93 s", "25.00 s"]);
        assert_eq!([7, 1536].map(|bytes| amount("bytes").with_unit(Nanos(bytes))), ["7 B", "1.5 kB"]);
        assert_eq!(amount("count").with_unit(Nanos(7_000)), "7000");
        assert_eq!(amount("a\nb").with_unit(Nanos(7)), "7 a b");
    }

    #[test]
    fn keeps_names_on_one_line() {
        assert_eq!(one_line("a\nb\u{2028}c\td\u{202e}e"), "a b c d e");
    }

    #[test]
    fn knows_shares_of_nothing() {
        assert_eq!((percent(Nanos(1), Nanos(4)), percent(Nanos(0), Nanos(0))), (25.0, 0.0));
    }
}
