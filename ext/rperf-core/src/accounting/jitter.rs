//! Random numbers: a program that loops in step with a fixed period would always be seen at the
//! same place.

/// A xorshift generator (Marsaglia, "Xorshift RNGs", 2003).
#[derive(Clone, Copy, Debug)]
pub struct Jitter {
    state: u64,
}

impl Jitter {
    /// `seed` need not be random, only different.
    pub fn new(seed: u64) -> Self {
        Self { state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1 }
    }

    /// A number below `limit`, which must not be 0.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// A number above 0 and at most 1.
    pub fn fraction(&mut self) -> f64 {
        // As many bits as a double has.
        ((self.next() >> 11) + 1) as f64 / (1u64 << 53) as f64
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
    fn every_number_is_as_likely_as_the_next() {
        let mut jitter = Jitter::new(7);
        let mut bins = [0_u64; 10];
        (0..100_000).for_each(|_| bins[jitter.below(10) as usize] += 1);
        // 95 more or less (standard deviation).
        assert!(bins.iter().all(|count| count.abs_diff(10_000) < 500), "{bins:?}");
    }

    #[test]
    fn the_same_seed_gives_the_same_numbers_and_others_do_not() {
        let numbers = |seed| {
            let mut jitter = Jitter::new(seed);
            [0; 8].map(|_: u64| jitter.below(1_000_000))
        };
        assert_eq!(numbers(42), numbers(42));
        assert_ne!(numbers(42), numbers(44));
    }
}
