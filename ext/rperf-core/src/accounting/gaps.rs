//! Which objects are sampled: each with the same chance, whatever was sampled before.
//!
//! Each Nth would be no sample: a loop that makes N objects would always be met at the same one.

use super::Jitter;

/// Draws how many objects there are from one that is sampled to the next one: a geometric
/// distribution.
#[derive(Clone, Copy, Debug)]
pub struct Gaps {
    jitter: Jitter,
    /// The logarithm of the chance that an object is not sampled.
    log_not: f64,
}

impl Gaps {
    /// With one of `interval` objects sampled on average, at least 1. `seed` need not be random,
    /// only different.
    pub fn new(interval: u64, seed: u64) -> Self {
        Self { jitter: Jitter::new(seed), log_not: log_not(interval) }
    }

    /// From the next gap on one of `interval` objects is sampled on average.
    pub fn set_interval(&mut self, interval: u64) {
        self.log_not = log_not(interval);
    }

    /// The next one to sample: 1 is the next object of all.
    pub fn draw(&mut self) -> u64 {
        // With an interval of 1 the logarithm is minus infinity, and the quotient is 0.
        (self.jitter.fraction().ln() / self.log_not) as u64 + 1
    }

    /// Where bytes are drawn instead of objects: how many bytes a piece of `size` bytes, at least
    /// 1, stands for that has one of those drawn. Its size by the chance of that; rounded up or
    /// down by chance, so that sums stay right on average.
    pub fn weigh(&mut self, size: u64) -> u64 {
        let chance = -(size as f64 * self.log_not).exp_m1();
        (size as f64 / chance + 1.0 - self.jitter.fraction()) as u64
    }
}

fn log_not(interval: u64) -> f64 {
    (-1.0 / interval.max(1) as f64).ln_1p()
}
