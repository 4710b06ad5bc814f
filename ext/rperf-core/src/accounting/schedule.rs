//! Random numbers, and the moments of ticks: one tick in each stratum, at a random place of it
//! (stratified sampling).
//!
//! The strata lie on the clock, whatever the program does. So every moment has the same chance to
//! be met, also just after a pause. Two ticks are at most two strata apart, so weights vary far
//! less than with periods that have no memory (a Poisson process).

/// Minimum time to the next tick, in nanoseconds: no thread can wake up in time for a closer one.
const SHORTEST_PAUSE: u64 = 50_000;

/// Moments of ticks, one drawn for each stratum.
#[derive(Clone, Copy, Debug)]
pub struct Schedule {
    jitter: Jitter,
    length: u64,
    /// The first stratum for which no moment has been drawn.
    next: u64,
}

impl Schedule {
    /// Creates strata of `length` ns, at least 1. `seed` need not be random, only different.
    pub fn new(length: u64, seed: u64) -> Self {
        Self { jitter: Jitter::new(seed), length: length.max(1), next: 0 }
    }

    /// Returns the moment of the next tick, in nanoseconds of the clock that says `now`.
    pub fn after(&mut self, now: u64) -> u64 {
        // Strata that have passed without a tick are over.
        self.next = self.next.max(now / self.length);
        let mut moment = self.draw();
        // The moment of the stratum that has begun may be over, too.
        while moment <= now {
            moment = self.draw();
        }
        moment.max(now + SHORTEST_PAUSE)
    }

    fn draw(&mut self) -> u64 {
        let begin = self.next.saturating_mul(self.length);
        self.next += 1;
        begin.saturating_add(self.jitter.below(self.length))
    }
}

/// Random numbers. Without them, a program that loops in step with a fixed period would always be
/// met at the same place. A xorshift generator (Marsaglia, "Xorshift RNGs", 2003).
#[derive(Clone, Copy, Debug)]
pub struct Jitter {
    state: u64,
}

impl Jitter {
    /// Creates a generator. `seed` need not be random, only different from other seeds.
    pub fn new(seed: u64) -> Self {
        Self { state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1 }
    }

    /// Returns a number below `limit`, which must not be 0.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// Returns a number above 0 and at most 1.
    pub fn fraction(&mut self) -> f64 {
        // The 53 bits that the fraction of a double has.
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
    use super::Schedule;

    const LENGTH: u64 = 1_000_000;

    /// Returns the moments up to `end`, where each is asked for in time.
    fn moments(seed: u64, end: u64) -> Vec<u64> {
        let mut schedule = Schedule::new(LENGTH, seed);
        let mut now = 0;
        std::iter::from_fn(|| {
            now = schedule.after(now);
            (now < end).then_some(now)
        })
        .collect()
    }

    #[test]
    fn each_stratum_has_one_moment() {
        let strata: Vec<u64> = moments(7, 1_000 * LENGTH).iter().map(|moment| moment / LENGTH).collect();
        // Now and then a moment that is too close is moved into the next stratum. No moment is
        // lost.
        assert!((990..=1_000).contains(&strata.len()), "{}", strata.len());
        assert!(strata.windows(2).all(|pair| pair[1] - pair[0] <= 2), "{strata:?}");
    }

    #[test]
    fn no_moment_after_a_pause_is_favoured() {
        let mut bins = [0_u64; 20];
        for pause in 0..40_000_u64 {
            let mut schedule = Schedule::new(LENGTH, pause);
            schedule.after(0);
            let resumed = 5 * LENGTH + pause * 7_919 % LENGTH;
            let mut moment = schedule.after(resumed);
            while moment < resumed + 2 * LENGTH {
                bins[((moment - resumed) * 10 / LENGTH) as usize] += 1;
                moment = schedule.after(moment);
            }
        }
        // 4,000 for each tenth of a stratum; the standard deviation is 63. Half of the first tenth
        // is too close to wake up for: its moments come just after.
        assert!(bins[1..].iter().all(|count| count.abs_diff(4_000) < 320 || *count == bins[0]), "{bins:?}");
        assert_eq!(bins.iter().sum::<u64>().abs_diff(80_000) / 1_000, 0, "{bins:?}");
    }

    #[test]
    fn the_next_moment_is_never_too_close_and_never_past() {
        let mut schedule = Schedule::new(100_000, 3);
        let mut now = 0;
        for step in 0..10_000 {
            let moment = schedule.after(now);
            assert!(moment >= now + 50_000, "{moment} after {now}");
            now = moment + step % 7 * 60_000;
        }
    }
}
