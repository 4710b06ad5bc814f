//! Weights of functions in each of several recordings: how even the share of a function is.

use super::{Profile, Recording, Sample};

/// Kind of a function's weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Own,
    Cumulative,
}

/// Weights of functions in each recording.
pub(super) struct Shares {
    recordings: Vec<Recording>,
    /// Weights by function, kind and recording; empty if there is only one recording.
    weights: Vec<u64>,
    /// Index of the recording that has the current sample.
    chosen: usize,
}

impl Shares {
    /// Creates a table for `functions` functions, without any weight.
    pub(super) fn of(profile: &Profile, functions: usize) -> Self {
        let recordings = profile.meta.recordings.clone();
        let weights = vec![0; functions * 2 * recordings.len()];
        Self { recordings, weights, chosen: 0 }
    }

    /// Selects the recording that has this sample, for the weights that are added next.
    pub(super) fn choose(&mut self, sample: &Sample) {
        let is_before = |recording: &Recording| recording.last_thread < sample.thread_seq;
        let last = self.recordings.len().saturating_sub(1);
        self.chosen = self.recordings.partition_point(is_before).min(last);
    }

    pub(super) fn add(&mut self, function: usize, kind: Kind, weight: u64) {
        if !self.recordings.is_empty() {
            let at = self.start(function, kind) + self.chosen;
            self.weights[at] += weight;
        }
    }

    /// Returns the sum of squared distances of the recordings from the mean share of their totals.
    pub(super) fn spread(&self, function: usize, kind: Kind) -> f64 {
        let count = self.recordings.len();
        let start = self.start(function, kind);
        let weights = &self.weights[start..start + count];
        let all: u64 = self.recordings.iter().map(|recording| recording.total.0).sum();
        // The weights of a mean are divided by the number of recordings; `recording.total` is not.
        let weight = |part: &u64| *part as f64 * count as f64;
        let share = weights.iter().map(weight).sum::<f64>() / (all as f64).max(1.0);
        let distance =
            |(part, recording): (&u64, &Recording)| weight(part) - share * recording.total.0 as f64;
        weights.iter().zip(&self.recordings).map(distance).map(|it| it * it).sum()
    }

    fn start(&self, function: usize, kind: Kind) -> usize {
        (function * 2 + kind as usize) * self.recordings.len()
    }
}
