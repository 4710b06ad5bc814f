//! Whether processors are scarce, as somebody sees who wakes up for ticks.

/// A wake-up that is later than this, in nanoseconds, came when the scheduler had nothing better to run. An idle
/// processor of a virtual machine takes up to 100 us to wake up.
pub const TOO_LATE: u64 = 250_000;
/// So many wake-ups are judged together.
const WINDOW: u32 = 32;
/// If at so many of them somebody waited for a processor, these are scarce.
const TOO_MANY: u32 = 8;

/// Counts wake-ups at which somebody had waited for a processor: whoever woke up, since it was [late](TOO_LATE), or the
/// thread that it looks at.
///
/// Where threads wait for processors, a thread that ticks from outside sees them where the scheduler stops them: at
/// places that it prefers, which no longer are a fair sample.
#[derive(Clone, Copy, Debug, Default)]
pub struct Promptness {
    seen: u32,
    late: u32,
}

impl Promptness {
    /// Notes a wake-up. True when processors are scarce.
    pub fn note(&mut self, waited: bool) -> bool {
        self.seen += 1;
        self.late += u32::from(waited);
        let scarce = self.late >= TOO_MANY;
        if scarce || self.seen >= WINDOW {
            *self = Self::default();
        }
        scarce
    }
}

#[cfg(test)]
mod tests {
    use super::Promptness;

    fn notes(waits: impl IntoIterator<Item = bool>) -> Vec<bool> {
        let mut promptness = Promptness::default();
        waits.into_iter().map(|waited| promptness.note(waited)).collect()
    }

    #[test]
    fn a_late_wake_up_now_and_then_means_nothing() {
        assert!(!notes((0..1_000).map(|number| number % 8 == 0)).contains(&true));
    }

    #[test]
    fn a_quarter_of_a_window_shows_that_processors_are_scarce() {
        let found = notes((0..64).map(|number| number % 4 == 0));
        assert_eq!(found.iter().position(|scarce| *scarce), Some(28));
        assert_eq!(notes([true; 8]), [false, false, false, false, false, false, false, true]);
    }
}
