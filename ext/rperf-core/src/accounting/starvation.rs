//! Cpu mode: whether threads wait for processors so often that their clocks are to be read shortly
//! before each tick. Where ticks are far from each other that wakes the sampling thread twice as
//! often.

/// Of the last 32 ticks, so many could not tell what a thread had of a processor.
const UNKNOWN_TICKS: u32 = 4;

/// The last 32 ticks.
#[derive(Clone, Copy, Debug)]
pub struct Starvation {
    /// A bit for each, the last one's lowest: it could not tell whether a thread had lost its
    /// processor just now, to the sampling thread, or before.
    unknown: u32,
}

/// A program begins as one whose threads wait: it may be shorter than what could tell.
impl Default for Starvation {
    fn default() -> Self {
        Self { unknown: u32::MAX }
    }
}

impl Starvation {
    /// A tick has come, and could not tell that (`is_unknown`), or could.
    pub fn tick(&mut self, is_unknown: bool) {
        self.unknown = self.unknown << 1 | u32::from(is_unknown);
    }

    /// Whether the next tick may well not be able to tell it either.
    pub fn is_likely(self) -> bool {
        self.unknown.count_ones() >= UNKNOWN_TICKS
    }
}

#[cfg(test)]
mod tests {
    use super::Starvation;

    /// For how many of 32,000 ticks it is likely, of which every so many is unknown.
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
