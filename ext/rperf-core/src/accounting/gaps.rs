//! Choice of the objects that are sampled: each has the same chance, whatever was sampled before.
//!
//! Every Nth would be no sample: a loop that makes N objects would always be met at the same one.

use super::Jitter;

/// Generator of the distances from one sampled object to the next, in objects: a geometric
/// distribution.
#[derive(Clone, Copy, Debug)]
pub struct Gaps {
    jitter: Jitter,
    /// Logarithm of the chance that an object is not sampled.
    log_not: f64,
}

impl Gaps {
    /// Creates gaps at which one in `interval` objects, at least 1, is sampled on average. `seed`
    /// need not be random, only different from other seeds.
    pub fn new(interval: u64, seed: u64) -> Self {
        Self { jitter: Jitter::new(seed), log_not: log_not(interval) }
    }

    /// Changes the interval: from the next gap on, one in `interval` objects is sampled on average.
    pub fn set_interval(&mut self, interval: u64) {
        self.log_not = log_not(interval);
    }

    /// Draws which object is sampled next; 1 is the very next one.
    pub fn draw(&mut self) -> u64 {
        // With an interval of 1 the logarithm is minus infinity, and the quotient is 0.
        (self.jitter.fraction().ln() / self.log_not) as u64 + 1
    }

    /// Returns how many bytes a piece of `size` bytes, at least 1, stands for, where bytes are
    /// drawn instead of objects and the piece has a drawn byte: its size divided by the chance of
    /// that. The result is rounded up or down by chance, so that sums stay right on average.
    pub fn weigh(&mut self, size: u64) -> u64 {
        let chance = -(size as f64 * self.log_not).exp_m1();
        (size as f64 / chance + 1.0 - self.jitter.fraction()) as u64
    }
}

fn log_not(interval: u64) -> f64 {
    (-1.0 / interval.max(1) as f64).ln_1p()
}
