//! Samples of other values than time: objects, bytes, and values that a program counts itself.

use super::sample_key::Amount;
use crate::time::Nanos;

/// Maximum number of values of a sample, and the number in a heap profile.
pub const MOST_VALUES: usize = 4;

/// Sums of samples that are not times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Values {
    /// Values in the order of the profile's value types; the rest is 0.
    pub values: [u64; MOST_VALUES],
    /// Number of samples.
    pub count: u64,
}

impl Values {
    /// Creates one sample with these values, at most [`MOST_VALUES`].
    pub fn one(values: &[u64]) -> Self {
        let mut one = Self { count: 1, ..Self::default() };
        one.values.iter_mut().zip(values).for_each(|(to, from)| *to = *from);
        one
    }
}

impl Amount for Values {
    fn add(&mut self, other: Self) {
        for (to, from) in self.values.iter_mut().zip(other.values) {
            *to = to.saturating_add(from);
        }
        self.count += other.count;
    }

    fn lost(self) -> (u64, Nanos) {
        (self.count, Nanos::ZERO)
    }
}
