//! What each of several recordings weighs in a function: how even its share is.

use super::{Profile, Recording, Sample};

/// What of a function is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Own,
    Cumulative,
}

/// The weights of functions in each recording.
pub(super) struct Shares {
    recordings: Vec<Recording>,
    /// By function, kind and recording; empty where there is one recording only.
    weights: Vec<u64>,
    /// The number of the recording of which the sample is.
    chosen: usize,
}

impl Shares {
    /// Of so many functions, without any weight.
    pub(super) fn of(profile: &Profile, functions: usize) -> Self {
        let recordings = profile.meta.recordings.clone();
        let weights = vec![0; functions * 2 * recordings.len()];
        Self { recordings, weights, chosen: 0 }
    }

    /// The next weights are of this sample.
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

    /// The sum of the squares of how far each recording is from its share of what it weighs in all.
    pub(super) fn spread(&self, function: usize, kind: Kind) -> f64 {
        let count = self.recordings.len();
        let start = self.start(function, kind);
        let weights = &self.weights[start..start + count];
        let all: u64 = self.recordings.iter().map(|recording| recording.total.0).sum();
        // Weights of a mean are divided by the number of recordings, those of recordings are not.
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
