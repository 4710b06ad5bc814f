//! Random periods: a program that loops in step with a fixed period would always be seen at the same
//! place.

/// The shortest period of the kernel's software clocks, in nanoseconds (perf_swevent_start_hrtimer).
pub const SHORTEST: u64 = 10_000;

/// Draws periods around a mean from a xorshift generator (Marsaglia, "Xorshift RNGs", 2003).
#[derive(Clone, Copy, Debug)]
pub struct Jitter {
    state: u64,
    mean: u64,
}

impl Jitter {
    /// Periods with this mean in nanoseconds; `seed` need not be random, only different.
    pub fn new(mean: u64, seed: u64) -> Self {
        Self { state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1, mean }
    }

    /// The first period of a thread: as if its ticks had been going on for long already, so that a thread
    /// which lives for a fraction of a period is met with just that probability.
    ///
    /// The density of the time to the next tick is `(1 - F(t)) / mean` (renewal theory), where F is the
    /// distribution of [`period`](Self::period): flat up to half the mean, then falling to 0 at one and a half.
    pub fn first(&mut self) -> u64 {
        let mean = self.mean as f64;
        let half = self.next() & 1 == 0;
        let uniform = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        let first = if half { uniform * mean / 2.0 } else { 1.5 * mean - mean * (1.0 - uniform).sqrt() };
        (first as u64).max(SHORTEST)
    }

    /// Every other period: from half the mean to one and a half.
    pub fn period(&mut self) -> u64 {
        (self.mean / 2 + self.next() % self.mean.max(1)).max(SHORTEST)
    }

    /// A number below `limit`, which must not be 0.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    fn next(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state
    }
}

#[cfg(test)]
mod tests {
    use super::Jitter;

    #[test]
    fn periods_stay_within_half_and_one_and_a_half_of_the_mean() {
        let mut jitter = Jitter::new(1_000_000, 7);
        let periods: Vec<u64> = (0..10_000).map(|_| jitter.period()).collect();
        assert!(periods.iter().all(|period| (500_000..1_500_000).contains(period)));
        let mean = periods.iter().sum::<u64>() / periods.len() as u64;
        assert!((980_000..1_020_000).contains(&mean), "mean {mean}");
    }

    #[test]
    fn a_quarter_of_a_period_is_met_with_a_probability_of_a_quarter() {
        let mut early = 0;
        for seed in 0..10_000 {
            early += u64::from(Jitter::new(1_000_000, seed).first() < 250_000);
        }
        assert!((2_300..2_700).contains(&early), "{early} of 10000 below a quarter");
    }
}
