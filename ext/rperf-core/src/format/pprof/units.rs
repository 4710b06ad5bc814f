//! Units of time in pprof profiles.

/// How many nanoseconds a unit has, if it is one of time. The names are those that pprof knows.
pub(super) fn nanoseconds_in(unit: &str) -> Option<u64> {
    let unit = unit.to_lowercase();
    // "ns" and "us" keep their s.
    let singular = if unit.chars().count() > 2 { unit.strip_suffix('s').unwrap_or(&unit) } else { &unit };
    match singular {
        "ns" | "nanosecond" => Some(1),
        "us" | "μs" | "microsecond" => Some(1_000),
        "ms" | "millisecond" => Some(1_000_000),
        "s" | "sec" | "second" => Some(1_000_000_000),
        "hr" | "hour" => Some(3_600_000_000_000),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_units_of_time() {
        let units =
            ["nanoseconds", "ns", "Microseconds", "ms", "s", "seconds", "hours", "bytes", "count", ""];
        let expected = [
            Some(1),
            Some(1),
            Some(1_000),
            Some(1_000_000),
            Some(1_000_000_000),
            Some(1_000_000_000),
            Some(3_600_000_000_000),
            None,
            None,
            None,
        ];
        assert_eq!(units.map(nanoseconds_in), expected);
    }
}
