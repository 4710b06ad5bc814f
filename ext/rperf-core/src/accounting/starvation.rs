//! Cpu mode: whether threads wait for processors often enough that their clocks are read shortly
//! before each tick. Where ticks are far apart, that wakes the sampling thread twice as often.

/// Minimum number of unknown ticks among the last 32 for the next one to be likely unknown.
const UNKNOWN_TICKS: u32 = 4;

/// The last 32 ticks. A tick is unknown if it could not tell whether a thread had lost its
/// processor just now, to the sampling thread, or before.
#[derive(Clone, Copy, Debug)]
pub struct Starvation {
    /// Whether each tick was unknown: one bit each, the lowest for the last tick.
    unknown: u32,
}

/// A program begins as a starved one: it may end before enough ticks could tell.
impl Default for Starvation {
    fn default() -> Self {
        Self { unknown: u32::MAX }
    }
}

impl Starvation {
    /// Adds a tick, and whether it was [unknown](Self).
    pub fn tick(&mut self, is_unknown: bool) {
        self.unknown = self.unknown << 1 | u32::from(is_unknown);
    }

    /// Returns whether the next tick is likely to be unknown, too.
    pub fn is_likely(self) -> bool {
        self.unknown.count_ones() >= UNKNOWN_TICKS
    }
}

#[cfg(test)]
mod tests {
    use super::Starvation;

    /// Returns at how many of 32,000 ticks starvation is likely, with one unknown in `interval`.
    fn likely(interval: u32) -> u32 {
        let mut starvation = Starvation::default();
        let is_likely = |tick: u32| {
            starvation.tick(tick.is_multiple_of(interval));
            u32::from(starvation.is_likely())
        };
        (1..=32_000).map(is_likely).sum()
    }

    #[test]
    fn it_is_likely_where_an_eighth_of_the_ticks_cannot_tell() {
        assert_eq!([1, 2, 8].map(likely), [32_000; 3]);
        assert!([11, 20, 1_000].map(likely).iter().all(|ticks| *ticks < 32), "{:?}", likely(11));
    }

    #[test]
    fn a_program_begins_with_it() {
        let mut starvation = Starvation::default();
        let likely = (1..=32).take_while(|_| {
            starvation.tick(false);
            starvation.is_likely()
        });
        assert_eq!(likely.count(), 28);
    }
}
