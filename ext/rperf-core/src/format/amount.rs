//! Weights and names as reports for people write them.

use crate::profile::ValueType;
use crate::time::Nanos;

/// How weights are shown: times in milliseconds, bytes in kB, others as they are.
pub(super) struct Amount {
    /// The name of the unit, on one line.
    pub(super) name: String,
    divisor: f64,
    digits: usize,
}

impl Amount {
    pub(super) fn of(value_type: &ValueType) -> Self {
        let (name, divisor, digits) = match value_type.unit.as_str() {
            ValueType::NANOSECONDS => ("ms", 1e6, 1),
            "bytes" => ("kB", 1024.0, 1),
            other => (other, 1.0, 0),
        };
        Self { name: one_line(name), divisor, digits }
    }

    /// The number alone.
    pub(super) fn format(&self, value: Nanos) -> String {
        format!("{:.*}", self.digits, value.0 as f64 / self.divisor)
    }

    /// The number with its unit, such as `12.3 ms`.
    pub(super) fn with_unit(&self, value: Nanos) -> String {
        format!("{} {}", self.format(value), self.name)
    }
}

/// Names may hold line breaks and other control characters; what is shown is one line.
pub(super) fn one_line(name: &str) -> String {
    name.chars().map(|char| if breaks_line(char) { ' ' } else { char }).collect()
}

/// Whether a character may end a line or move the cursor, for some reader.
pub(super) fn breaks_line(char: char) -> bool {
    char.is_control() || matches!(char, '\u{2028}' | '\u{2029}')
}

/// The name as shown: a function without one is unknown.
pub(super) fn shown(label: &str) -> &str {
    if label.is_empty() { UNKNOWN } else { label }
}

/// What stands for a function without a name.
pub(super) const UNKNOWN: &str = "<unknown>";

/// A part in percent of the total; 0 of nothing.
pub(super) fn percent(part: Nanos, total: Nanos) -> f64 {
    if total == Nanos::ZERO { 0.0 } else { part.0 as f64 * 100.0 / total.0 as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_weights_with_their_unit() {
        let amount = |unit: &str| Amount::of(&ValueType::new("kind", unit));
        assert_eq!(amount("nanoseconds").with_unit(Nanos(12_345_678)), "12.3 ms");
        assert_eq!(amount("bytes").with_unit(Nanos(1536)), "1.5 kB");
        assert_eq!(amount("count").with_unit(Nanos(7)), "7 count");
        assert_eq!(amount("a\nb").with_unit(Nanos(7)), "7 a b");
    }

    #[test]
    fn keeps_names_on_one_line() {
        assert_eq!(one_line("a\nb\u{2028}c\td"), "a b c d");
        assert_eq!((shown(""), shown("x")), ("<unknown>", "x"));
    }

    #[test]
    fn knows_shares_of_nothing() {
        assert_eq!((percent(Nanos(1), Nanos(4)), percent(Nanos(0), Nanos(0))), (25.0, 0.0));
    }
}
