//! Time as a number of nanoseconds, and stamps of a clock that counts in a unit of its own.

use std::ops::{Add, AddAssign, Sub};

/// A duration, or a reading of a clock, in nanoseconds.
///
/// Subtraction saturates at zero: clocks of one thread are read on different processors, and a
/// weight is never negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Nanos(pub u64);

impl Nanos {
    /// No time at all.
    pub const ZERO: Self = Self(0);

    /// The same time in milliseconds, for people to read.
    pub fn as_millis_f64(self) -> f64 {
        self.0 as f64 / 1e6
    }
}

impl Add for Nanos {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Nanos {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sub for Nanos {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl std::iter::Sum for Nanos {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::ZERO, Add::add)
    }
}

/// A reading of a clock that is quick to read, in its own unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Stamp(pub u64);

/// How the unit of stamps relates to nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    /// Nanoseconds in a unit, times 2^32.
    ratio: u64,
}

/// Both clocks, read at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The quick one.
    pub stamp: Stamp,
    /// The wall clock.
    pub wall: Nanos,
}

impl Scale {
    /// A unit is a nanosecond.
    pub const NANOS: Self = Self { ratio: 1 << 32 };

    /// From what both clocks showed at two times. `None` when one of them stood still or went
    /// backwards.
    pub fn between(first: Reading, last: Reading) -> Option<Self> {
        let units = last.stamp.0.checked_sub(first.stamp.0)?;
        let nanos = (last.wall - first.wall).0;
        let ratio = (u128::from(nanos) << 32).checked_div(u128::from(units))?;
        Self::from_ratio(u64::try_from(ratio).ok()?)
    }

    /// From [`ratio`](Self::ratio).
    pub fn from_ratio(ratio: u64) -> Option<Self> {
        (ratio > 0).then_some(Self { ratio })
    }

    /// As a plain number, which is not 0, to be kept in an atomic.
    pub fn ratio(self) -> u64 {
        self.ratio
    }

    /// So many units in nanoseconds.
    pub fn nanos(self, units: u64) -> Nanos {
        Nanos(((u128::from(units) * u128::from(self.ratio)) >> 32) as u64)
    }

    /// A time in units.
    pub fn units(self, time: Nanos) -> u64 {
        ((u128::from(time.0) << 32) / u128::from(self.ratio)) as u64
    }

    /// What the wall clock showed at a stamp that was taken before `now`.
    pub fn wall_at(self, stamp: Stamp, now: Reading) -> Nanos {
        now.wall - self.nanos(now.stamp.0.saturating_sub(stamp.0))
    }
}

#[cfg(test)]
mod tests {
    use super::{Nanos, Reading, Scale, Stamp};

    fn reading(stamp: u64, wall: u64) -> Reading {
        Reading { stamp: Stamp(stamp), wall: Nanos(wall) }
    }

    #[test]
    fn a_scale_is_what_both_clocks_went_on_by() {
        let scale =
            Scale::between(reading(1_000, 5), reading(1_000 + 26_000_000, 10_000_005)).expect("a scale");
        assert_eq!(scale.nanos(2_600_000_000).0.abs_diff(1_000_000_000), 1);
        assert_eq!(scale.units(Nanos(1_000_000)).abs_diff(2_600_000), 0);
        assert_eq!(Scale::from_ratio(scale.ratio()), Some(scale));
    }

    #[test]
    fn there_is_none_where_a_clock_stood_still_or_went_back() {
        assert_eq!(Scale::between(reading(5, 5), reading(5, 9)), None);
        assert_eq!(Scale::between(reading(5, 5), reading(9, 5)), None);
        assert_eq!(Scale::between(reading(5, 5), reading(4, 9)), None);
    }

    #[test]
    fn a_stamp_of_before_is_a_time_before_now() {
        let scale = Scale::between(reading(0, 0), reading(200, 100)).expect("a scale");
        assert_eq!(scale.wall_at(Stamp(60), reading(100, 1_000)), Nanos(980));
        assert_eq!(scale.wall_at(Stamp(101), reading(100, 1_000)), Nanos(1_000), "not of the future");
        assert_eq!(Scale::NANOS.wall_at(Stamp(60), reading(100, 100)), Nanos(60));
    }
}
