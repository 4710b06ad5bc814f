//! The units that pprof knows, and what they are of.

/// A unit, and how many of the smallest unit of its kind it is.
pub(super) struct Unit {
    pub(super) name: &'static str,
    aliases: &'static [&'static str],
    pub(super) factor: f64,
}

/// Units of one kind, ascending.
pub(super) struct Kind {
    units: &'static [Unit],
    /// The unit of values that are less than one of the smallest, and of values whose own unit is
    /// of another kind.
    fallback: usize,
}

const fn unit(name: &'static str, aliases: &'static [&'static str], factor: f64) -> Unit {
    Unit { name, aliases, factor }
}

static SPACE: Kind = Kind {
    units: &[
        unit("B", &["b", "byte"], 1.0),
        unit("kB", &["kb", "kbyte", "kilobyte"], (1u64 << 10) as f64),
        unit("MB", &["mb", "mbyte", "megabyte"], (1u64 << 20) as f64),
        unit("GB", &["gb", "gbyte", "gigabyte"], (1u64 << 30) as f64),
        unit("TB", &["tb", "tbyte", "terabyte"], (1u64 << 40) as f64),
        unit("PB", &["pb", "pbyte", "petabyte"], (1u64 << 50) as f64),
    ],
    fallback: 0,
};

static TIME: Kind = Kind {
    units: &[
        unit("ns", &["ns", "nanosecond"], 1.0),
        unit("us", &["us", "μs", "microsecond"], 1e3),
        unit("ms", &["ms", "millisecond"], 1e6),
        unit("s", &["s", "sec", "second"], 1e9),
        unit("hrs", &["hr", "hour"], 3.6e12),
    ],
    fallback: 3,
};

/// Shares of a processor, in profiles of whole data centres.
static PROCESSORS: Kind = Kind {
    units: &[
        unit("n*GCU", &["nanogcu"], 1e-9),
        unit("u*GCU", &["microgcu"], 1e-6),
        unit("m*GCU", &["milligcu"], 1e-3),
        unit("GCU", &["gcu"], 1.0),
        unit("k*GCU", &["kilogcu"], 1e3),
        unit("M*GCU", &["megagcu"], 1e6),
        unit("G*GCU", &["gigagcu"], 1e9),
        unit("T*GCU", &["teragcu"], 1e12),
        unit("P*GCU", &["petagcu"], 1e15),
    ],
    fallback: 3,
};

static KINDS: [&Kind; 3] = [&SPACE, &TIME, &PROCESSORS];

/// The kind of a unit and the unit, if it is known.
pub(super) fn find(name: &str) -> Option<(&'static Kind, &'static Unit)> {
    KINDS.into_iter().find_map(|kind| kind.unit(name).map(|unit| (kind, unit)))
}

/// Whether values of this unit can be written in other units.
pub fn is_known(name: &str) -> bool {
    find(name).is_some()
}

/// How many nanoseconds a unit has, if it is one of time.
pub fn nanoseconds_in(name: &str) -> Option<u64> {
    TIME.unit(name).map(|unit| unit.factor as u64)
}

impl Kind {
    /// The unit of this name or alias, in the singular or the plural.
    pub(super) fn unit(&self, name: &str) -> Option<&'static Unit> {
        let name = name.to_lowercase();
        // "ns", "us" and "ms" keep their s.
        let singular = if name.len() > 2 { name.strip_suffix('s').unwrap_or(&name) } else { &name };
        self.units.iter().find(|unit| unit.aliases.contains(&singular))
    }

    /// The largest unit of which the value is at least one.
    pub(super) fn fitting(&self, value: f64) -> &'static Unit {
        self.units.iter().rfind(|unit| value / unit.factor >= 1.0).unwrap_or(self.fallback())
    }

    pub(super) fn fallback(&self) -> &'static Unit {
        &self.units[self.fallback]
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
