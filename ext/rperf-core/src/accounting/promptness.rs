//! Whether somebody who wakes up for ticks still gets a processor in time.

/// A wake-up that is later than this, in nanoseconds, came when the scheduler had nothing better to run. An idle
/// processor of a virtual machine takes up to 100 us to wake up.
pub const TOO_LATE: u64 = 250_000;
/// So many wake-ups are judged together.
const WINDOW: u32 = 32;
/// If so many of them were too late, processors are scarce.
const TOO_MANY: u32 = 8;

/// Counts late wake-ups.
///
/// Where threads wait for processors, a thread that ticks from outside runs when another one stops: at places that the
/// scheduler prefers, which no longer are a fair sample.
#[derive(Clone, Copy, Debug, Default)]
pub struct Promptness {
    seen: u32,
    late: u32,
}

impl Promptness {
    /// Notes a wake-up that was so many nanoseconds late. True when processors are scarce.
    pub fn note(&mut self, late: u64) -> bool {
        self.seen += 1;
        self.late += u32::from(late > TOO_LATE);
        let scarce = self.late >= TOO_MANY;
        if scarce || self.seen >= WINDOW {
            *self = Self::default();
        }
        scarce
    }
}

#[cfg(test)]
mod tests {
    use super::{Promptness, TOO_LATE};

    fn notes(lates: impl IntoIterator<Item = u64>) -> Vec<bool> {
        let mut promptness = Promptness::default();
        lates.into_iter().map(|late| promptness.note(late)).collect()
    }

    #[test]
    fn a_late_wake_up_now_and_then_means_nothing() {
        let lates = (0..1_000).map(|number| if number % 8 == 0 { TOO_LATE + 1 } else { TOO_LATE });
        assert!(!notes(lates).contains(&true));
    }

    #[test]
    fn a_quarter_of_a_window_shows_that_processors_are_scarce() {
        let found = notes((0..64).map(|number| if number % 4 == 0 { TOO_LATE + 1 } else { 0 }));
        assert_eq!(found.iter().position(|scarce| *scarce), Some(28));
        assert_eq!(notes([TOO_LATE + 1; 8]), [false, false, false, false, false, false, false, true]);
    }
}
