//! Pseudo-random numbers, the same in every run.

/// A small generator (xorshift64*).
pub struct Random(u64);

impl Random {
    /// A generator whose numbers depend on the seed only.
    pub fn new(seed: u64) -> Self {
        // Zero would stay zero.
        Self((seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below the limit, which is not 0.
    pub fn below(&mut self, limit: u64) -> u64 {
        (self.next() >> 20) % limit
    }

    /// True once in so many times.
    pub fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// A duration in nanoseconds: often none or a few, sometimes milliseconds.
    pub fn duration(&mut self) -> u64 {
        let largest = [1, 3, 1_000, 30_000, 150_000, 5_000_000][self.below(6) as usize];
        self.below(largest)
    }
}
