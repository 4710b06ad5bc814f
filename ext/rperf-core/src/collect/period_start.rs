//! Start of a period by the real-time clock.

/// Maximum difference between the real-time and the wall clock, in nanoseconds: the real-time clock
/// is slewed by up to 500 parts in a million (adjtimex(2)), 0.3 s in ten minutes, and the two are
/// read one after the other. Beyond that the real-time clock was set, or the machine was suspended.
const SLACK: u64 = 1_000_000_000;

/// Start of a period, in nanoseconds since 1970.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PeriodStart {
    /// The moment.
    pub time_ns: i64,
    /// Time from the end of the period before to the moment; negative where the moment is earlier,
    /// 0 where both are the same.
    pub moved_ns: i64,
}

impl PeriodStart {
    /// Creates the start of the first period.
    pub fn first(time_ns: i64) -> Self {
        Self { time_ns, moved_ns: 0 }
    }

    /// Creates the start of a period that begins where another one ended, at `ended_ns`. `real_ns`:
    /// time of the real-time clock at that moment.
    pub fn next(ended_ns: i64, real_ns: i64) -> Self {
        if real_ns.abs_diff(ended_ns) <= SLACK {
            return Self::first(ended_ns);
        }
        Self { time_ns: real_ns, moved_ns: real_ns.saturating_sub(ended_ns) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periods_follow_each_other_to_the_nanosecond() {
        for real in [5_000_000_000, 4_000_000_000, 6_000_000_000] {
            assert_eq!(PeriodStart::next(5_000_000_000, real), PeriodStart::first(5_000_000_000));
        }
    }

    #[test]
    fn a_clock_that_was_set_is_right() {
        let next = PeriodStart::next(5_000_000_000, 6_000_000_001);
        assert_eq!(next, PeriodStart { time_ns: 6_000_000_001, moved_ns: 1_000_000_001 });
        assert_eq!(PeriodStart::next(5_000_000_000, 0).moved_ns, -5_000_000_000);
        assert_eq!(PeriodStart::next(i64::MIN, i64::MAX).moved_ns, i64::MAX);
    }
}
