//! Samples of other values than time: objects, bytes, and what a program counts itself.

use super::sample_key::Amount;
use crate::time::Nanos;

/// How many values a sample may have: a heap profile has so many.
pub const MOST_VALUES: usize = 4;

/// What samples of a session that measures no time add up to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Values {
    /// In the order of the profile's value types; the rest is 0.
    pub values: [u64; MOST_VALUES],
    /// How many samples it is.
    pub count: u64,
}

impl Values {
    /// One sample with these values, at most [`MOST_VALUES`].
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
