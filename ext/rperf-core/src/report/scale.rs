//! Values with units, in the notation of `go tool pprof`: `1.50s`, `300ms`, `512.09kB`, `46.15%`.

/// A unit, and how many of the smallest unit of its kind it is.
struct Unit {
    name: &'static str,
    aliases: &'static [&'static str],
    factor: f64,
}

/// Units of one kind, ascending.
struct Kind {
    units: &'static [Unit],
    /// The unit of values that are less than one of the smallest.
    default: usize,
}

const fn unit(name: &'static str, aliases: &'static [&'static str], factor: f64) -> Unit {
    Unit { name, aliases, factor }
}

const KINDS: [Kind; 2] = [
    Kind {
        units: &[
            unit("B", &["b", "byte"], 1.0),
            unit("kB", &["kb", "kbyte", "kilobyte"], (1u64 << 10) as f64),
            unit("MB", &["mb", "mbyte", "megabyte"], (1u64 << 20) as f64),
            unit("GB", &["gb", "gbyte", "gigabyte"], (1u64 << 30) as f64),
            unit("TB", &["tb", "tbyte", "terabyte"], (1u64 << 40) as f64),
            unit("PB", &["pb", "pbyte", "petabyte"], (1u64 << 50) as f64),
        ],
        default: 0,
    },
    Kind {
        units: &[
            unit("ns", &["ns", "nanosecond"], 1.0),
            unit("us", &["us", "μs", "microsecond"], 1e3),
            unit("ms", &["ms", "millisecond"], 1e6),
            unit("s", &["s", "sec", "second"], 1e9),
            unit("hrs", &["hr", "hour"], 3.6e12),
        ],
        default: 3,
    },
];

/// Units that are not written behind a value.
const SILENT: [&str; 3] = ["count", "sample", "unit"];

impl Kind {
    fn unit(&self, name: &str) -> Option<&'static Unit> {
        let name = name.to_lowercase();
        // "ns", "us" and "ms" keep their s.
        let singular = if name.len() > 2 { name.strip_suffix('s').unwrap_or(&name) } else { &name };
        self.units.iter().find(|unit| unit.aliases.contains(&singular))
    }

    /// The largest unit of which the value is at least one.
    fn fitting(&self, value: f64) -> &'static Unit {
        self.units.iter().rfind(|unit| value / unit.factor >= 1.0).unwrap_or(&self.units[self.default])
    }
}

/// Writes values that are measured in one unit.
pub(super) struct Scale<'unit> {
    /// The unit in which values are given.
    from: &'unit str,
    /// Its kind and itself, when pprof knows it.
    known: Option<(&'static Kind, &'static Unit)>,
    /// The unit in which values are written; the fitting one of each value where there is none.
    to: Option<&'static Unit>,
}

impl<'unit> Scale<'unit> {
    /// Each value in the unit that fits it.
    pub(super) fn fitting(from: &'unit str) -> Self {
        let known = KINDS.iter().find_map(|kind| kind.unit(from).map(|unit| (kind, unit)));
        Self { from, known, to: None }
    }

    /// All values in one unit, the one that fits the smallest. Where the largest value would then be
    /// long, the smallest may go down to a hundredth.
    pub(super) fn common(from: &'unit str, smallest: u64, largest: u64) -> Self {
        let mut scale = Self::fitting(from);
        scale.to = scale.known.map(|(kind, unit)| {
            let fitting = |value: u64| kind.fitting(value as f64 * unit.factor);
            let (low, high) = (fitting(smallest), fitting(largest));
            let far_apart = low.name != high.name && smallest.saturating_mul(100) < largest;
            if far_apart { fitting(smallest * 100) } else { low }
        });
        scale
    }

    /// The value with its unit.
    pub(super) fn format(&self, value: i64) -> String {
        let (amount, unit) = match self.known {
            Some((kind, unit)) => {
                let amount = value.unsigned_abs() as f64 * unit.factor;
                let to = self.to.unwrap_or_else(|| kind.fitting(amount));
                (amount / to.factor, to.name)
            }
            None => (value.unsigned_abs() as f64, self.silent_or_own()),
        };
        let digits = format!("{amount:.2}");
        let digits = digits.strip_suffix(".00").unwrap_or(&digits);
        if digits == "0" {
            return digits.to_owned();
        }
        let sign = if value < 0 { "-" } else { "" };
        format!("{sign}{digits}{unit}")
    }

    fn silent_or_own(&self) -> &'unit str {
        if SILENT.contains(&self.from) { "" } else { self.from }
    }

    /// The value in nanoseconds, if it is a time.
    pub(super) fn nanoseconds(&self, value: i64) -> Option<i64> {
        let (kind, unit) = self.known?;
        let nanoseconds = kind.unit("ns")?;
        Some((value as f64 * unit.factor / nanoseconds.factor) as i64)
    }
}

/// The share of a total, at least five characters wide before the percent sign.
pub(super) fn percentage(value: i64, total: i64) -> String {
    let ratio = if total == 0 { 0.0 } else { (value as f64 / total as f64).abs() * 100.0 };
    if (99.95..=100.05).contains(&ratio) {
        "  100%".to_owned()
    } else if ratio >= 1.0 {
        format!("{ratio:>5.2}%")
    } else {
        format!("{:>5}%", two_digits(ratio))
    }
}

/// A ratio below 1 with two significant digits, without trailing zeros; very small ones with an
/// exponent.
fn two_digits(ratio: f64) -> String {
    if ratio == 0.0 {
        return "0".to_owned();
    }
    let scientific = format!("{ratio:.1e}");
    let (mantissa, exponent) = scientific.split_once('e').expect("the format has an exponent");
    let exponent: i32 = exponent.parse().expect("the exponent is a number");
    let mantissa = mantissa.strip_suffix(".0").unwrap_or(mantissa);
    if exponent < -4 {
        return format!("{mantissa}e-{:02}", -exponent);
    }
    // One digit, or two, behind the zeros.
    let decimals = (mantissa.len().min(2) as i32 - 1 - exponent).max(0);
    format!("{ratio:.*}", decimals as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_values_in_the_unit_that_fits() {
        let time = Scale::fitting("nanoseconds");
        let texts = [0, 1, 999, 1_000, 311_800_000, 1_620_000_000, 7_200_000_000_000, -1_500_000]
            .map(|value| time.format(value));
        assert_eq!(texts, ["0", "1ns", "999ns", "1us", "311.80ms", "1.62s", "2hrs", "-1.50ms"]);
        let space = Scale::fitting("bytes");
        assert_eq!([1023, 1024, 9_220_362].map(|value| space.format(value)), ["1023B", "1kB", "8.79MB"]);
        assert_eq!(Scale::fitting("count").format(12), "12");
        assert_eq!(Scale::fitting("widgets").format(-12), "-12widgets");
    }

    #[test]
    fn chooses_a_unit_for_all() {
        let format = |smallest, largest| {
            let scale = Scale::common("nanoseconds", smallest, largest);
            [smallest, largest].map(|value| scale.format(value as i64))
        };
        assert_eq!(format(5_000_000, 90_000_000), ["5ms", "90ms"]);
        assert_eq!(format(20_000_000, 1_500_000_000), ["20ms", "1500ms"]);
        assert_eq!(format(10_000_000, 1_500_000_000), ["0.01s", "1.50s"]);
        assert_eq!(format(1_000, 1_500_000_000), ["1us", "1500000us"]);
        assert_eq!(format(0, 0), ["0", "0"]);
        assert_eq!(Scale::common("count", 1, 1_000_000).format(1_000_000), "1000000");
    }

    #[test]
    fn writes_shares() {
        let shares = [
            (0, 10),
            (10, 10),
            (1, 3),
            (-1, 3),
            (5, 1000),
            (996, 100_000),
            (9_961, 1_000_000),
            (12, 100_000),
            (12, 10_000_000),
            (1, 10_000_000),
            (3, 2),
            (1, 0),
        ]
        .map(|(value, total)| percentage(value, total));
        assert_eq!(
            shares,
            [
                "    0%", "  100%", "33.33%", "33.33%", "  0.5%", "    1%", "    1%", "0.012%", "0.00012%",
                "1e-05%", "150.00%", "    0%"
            ]
        );
    }

    #[test]
    fn knows_times_in_nanoseconds() {
        assert_eq!(Scale::fitting("ms").nanoseconds(3), Some(3_000_000));
        assert_eq!(Scale::fitting("bytes").nanoseconds(3), None);
    }
}
