//! Shares of a total.

/// The share of a total in percent, at least five characters wide before the percent sign, without
/// a sign of its own.
pub fn share(value: i64, total: i64) -> String {
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
        .map(|(value, total)| share(value, total));
        assert_eq!(
            shares,
            [
                "    0%", "  100%", "33.33%", "33.33%", "  0.5%", "    1%", "    1%", "0.012%", "0.00012%",
                "1e-05%", "150.00%", "    0%"
            ]
        );
    }
}
