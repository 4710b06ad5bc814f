//! Random periods: a program that loops in step with a fixed period would always be seen at the same
//! place.

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

    /// The first period of a thread: anywhere from 0 to the mean, so that a thread which lives for a
    /// fraction of a period is met with just that probability.
    pub fn first(&mut self) -> u64 {
        // 10 us is the shortest period of the kernel's software clocks (perf_swevent_start_hrtimer).
        (self.next() % self.mean.max(1)).max(10_000)
    }

    /// Every other period: from half the mean to one and a half.
    pub fn period(&mut self) -> u64 {
        (self.mean / 2 + self.next() % self.mean.max(1)).max(10_000)
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
    fn first_periods_are_spread_over_the_whole_mean() {
        let mut early = 0;
        for seed in 0..10_000 {
            early += u64::from(Jitter::new(1_000_000, seed).first() < 250_000);
        }
        assert!((2_300..2_700).contains(&early), "{early} of 10000 below a quarter");
    }
}
