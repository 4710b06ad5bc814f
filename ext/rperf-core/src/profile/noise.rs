//! How far the weight of a function in a recording may be from what it is in the mean.

use super::Tally;

/// What is known of the weight of a function on one side of a comparison, which is the mean of some
/// recordings.
#[derive(Clone, Copy, Debug)]
pub(super) struct Noise {
    /// How many there are.
    pub(super) recordings: f64,
    /// The variance of a recording from ticks.
    ticks: f64,
    /// That from an unevenness of 1.
    pub(super) uneven: f64,
    /// That from uncertain parts.
    uncertain: f64,
    /// The sum of the squares of how far the recordings are from their shares.
    spread: f64,
}

impl Noise {
    /// Of a part of a total, over so many recordings.
    pub(super) fn of(part: Tally, total: Tally, recordings: f64) -> Self {
        let weight = part.weight as f64;
        Self {
            recordings,
            ticks: recordings * of_share(part, total),
            uneven: weight * weight * (1.0 - of_total(weight, total)),
            uncertain: part.uncertain * part.uncertain,
            spread: part.spread,
        }
    }

    fn of_recording(&self, unevenness: f64) -> f64 {
        self.ticks + unevenness * unevenness * self.uneven + self.uncertain
    }

    /// The variance of the mean.
    pub(super) fn of_mean(&self, unevenness: f64) -> f64 {
        self.of_recording(unevenness) / self.recordings
    }

    /// By how much more the recordings differ than ticks explain.
    pub(super) fn spread_beyond_ticks(&self) -> f64 {
        self.spread - (self.recordings - 1.0) * self.ticks
    }

    /// By how much more they differ than is expected.
    pub(super) fn unexpected_spread(&self, unevenness: f64) -> f64 {
        self.spread - (self.recordings - 1.0) * self.of_recording(unevenness)
    }
}

/// The variance of a part whose share of the total is what chance decides: `n p (1-p)` for equal
/// ticks, and one tick, since less than one is not seen.
fn of_share(part: Tally, total: Tally) -> f64 {
    let share = of_total(part.weight as f64, total);
    let rest = (total.variance - part.variance).max(0.0);
    let tick = of_total(total.variance, total);
    (1.0 - share).powi(2) * part.variance + share.powi(2) * rest + tick.powi(2)
}

fn of_total(amount: f64, total: Tally) -> f64 {
    if total.weight == 0 { 0.0 } else { amount / total.weight as f64 }
}
