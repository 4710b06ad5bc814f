//! Values in other units.

use super::kinds::find;

/// As a target unit: the one that fits the value.
pub const MINIMUM: &str = "minimum";

/// The same as [`MINIMUM`] for a single value; users may write it.
const AUTO: &str = "auto";

/// Units that are not written behind a value.
const SILENT: [&str; 5] = ["count", "sample", "unit", MINIMUM, AUTO];

/// A value in another unit, and the name of that unit.
///
/// A value whose unit is unknown stays as it is and gets the name that was asked for. Where the
/// target is of another kind than the value, the value's kind decides: times are in seconds then,
/// space is in bytes.
pub fn scale<'to>(value: i64, from: &str, to: &'to str) -> (f64, &'to str) {
    let sign = if value < 0 { -1.0 } else { 1.0 };
    let amount = value.unsigned_abs() as f64;
    let Some((kind, unit)) = find(from) else {
        return (sign * amount, if SILENT.contains(&to) { "" } else { to });
    };
    let amount = amount * unit.factor;
    let to = match to {
        MINIMUM | AUTO => kind.fitting(amount),
        to => kind.unit(to).unwrap_or(kind.fallback()),
    };
    (sign * (amount / to.factor), to.name)
}

/// A value in another unit as text, with at most two decimals.
pub fn label(value: i64, from: &str, to: &str) -> String {
    let (amount, unit) = scale(value, from, to);
    let digits = format!("{amount:.2}");
    match digits.strip_suffix(".00").unwrap_or(&digits) {
        "0" | "-0" => "0".to_owned(),
        digits => format!("{digits}{unit}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_values_in_the_unit_that_fits() {
        let times = [0, 1, 999, 1_000, 311_800_000, 1_620_000_000, 7_200_000_000_000, -1_500_000]
            .map(|value| label(value, "nanoseconds", MINIMUM));
        assert_eq!(times, ["0", "1ns", "999ns", "1us", "311.80ms", "1.62s", "2hrs", "-1.50ms"]);
        assert_eq!(
            [1023, 1024, 9_220_362].map(|value| label(value, "bytes", AUTO)),
            ["1023B", "1kB", "8.79MB"]
        );
        assert_eq!(label(12, "count", MINIMUM), "12");
        assert_eq!(label(-12, "widgets", "widgets"), "-12widgets");
        assert_eq!(label(12, "widgets", MINIMUM), "12");
    }

    #[test]
    fn writes_values_in_the_unit_that_is_asked_for() {
        assert_eq!(label(1_500_000, "nanoseconds", "s"), "0");
        assert_eq!(label(15_000_000, "nanoseconds", "seconds"), "0.01s");
        assert_eq!(label(3, "ms", "ns"), "3000000ns");
        assert_eq!(label(3_000_000_000, "ns", "bytes"), "3s");
        assert_eq!(label(3, "thread_seq", "ms"), "3ms");
        assert_eq!(scale(3, "ms", "nanoseconds"), (3_000_000.0, "ns"));
        assert_eq!(scale(2_048, "bytes", "mystery"), (2_048.0, "B"));
        assert_eq!(scale(5, "", ""), (5.0, ""));
    }
}
