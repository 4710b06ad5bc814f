//! Noise: how far the weight of a function in a recording may be from its mean.

use super::{Precision, Tally};

/// Variances of a function's weight on one side of a comparison, which is the mean of some
/// recordings.
#[derive(Clone, Copy, Debug)]
pub(super) struct Noise {
    /// Number of recordings.
    pub(super) recordings: f64,
    /// Variance of a recording that ticks cause.
    ticks: f64,
    /// Variance of a recording that an unevenness of 1 causes.
    pub(super) uneven: f64,
    /// Variance of a recording that uncertain parts cause.
    uncertain: f64,
    /// Sum of the squared distances of the recordings from their shares.
    spread: f64,
}

impl Noise {
    /// Creates the noise of a part of a total. `both`: the part on both sides.
    pub(super) fn of(part: Tally, total: Tally, both: Tally, precision: Precision) -> Self {
        let (weight, recordings) = (part.weight as f64, precision.recordings as f64);
        let variance = if precision.are_draws { part.variance } else { of_share(part, total) };
        // Less than one tick is not seen. Draws differ in size: one of the part is like its others.
        let unseen = if precision.are_draws { both } else { total };
        let tick = of_total(unseen.variance, unseen);
        Self {
            recordings,
            ticks: recordings * (variance * precision.ticks_a_place + tick.powi(2)),
            uneven: weight * weight * (1.0 - of_total(weight, total)),
            uncertain: part.uncertain * part.uncertain,
            spread: part.spread,
        }
    }

    fn of_recording(&self, unevenness: f64) -> f64 {
        self.ticks + unevenness * unevenness * self.uneven + self.uncertain
    }

    /// Returns the variance of the mean.
    pub(super) fn of_mean(&self, unevenness: f64) -> f64 {
        self.of_recording(unevenness) / self.recordings
    }

    /// Returns the spread of the recordings beyond what ticks explain.
    pub(super) fn spread_beyond_ticks(&self) -> f64 {
        self.spread - (self.recordings - 1.0) * self.ticks
    }

    /// Returns the spread of the recordings beyond what is expected.
    pub(super) fn unexpected_spread(&self, unevenness: f64) -> f64 {
        self.spread - (self.recordings - 1.0) * self.of_recording(unevenness)
    }
}

/// Returns the variance of a part whose share of a measured total chance decides: `n p (1-p)` for
/// equal ticks.
fn of_share(part: Tally, total: Tally) -> f64 {
    let share = of_total(part.weight as f64, total);
    let rest = (total.variance - part.variance).max(0.0);
    (1.0 - share).powi(2) * part.variance + share.powi(2) * rest
}

fn of_total(amount: f64, total: Tally) -> f64 {
    if total.weight == 0 { 0.0 } else { amount / total.weight as f64 }
}
