//! The samples of a profile by thread, for formats that show each thread by itself.

use std::collections::BTreeMap;

use crate::ids::ThreadSeq;
use crate::profile::{PID, Profile, Sample};
use crate::time::Nanos;

/// A thread with its samples, in their order.
pub(super) struct Thread<'p> {
    /// Its number in the profile.
    pub(super) seq: ThreadSeq,
    /// The number of its process, where that is known.
    pub(super) pid: Option<i64>,
    /// What it is called in the profile.
    title: String,
    /// What it did.
    pub(super) samples: Vec<&'p Sample>,
    /// When what each sample stands for began and ended, since the profile's start: as the samples'
    /// moments have it; otherwise each follows the one before. None overlaps the one before.
    pub(super) spans: Vec<(Nanos, Nanos)>,
    /// Whether the profile has no other.
    is_only: bool,
}

impl<'p> Thread<'p> {
    /// All threads by their numbers; one without samples where the profile has none.
    pub(super) fn all(profile: &'p Profile) -> Vec<Self> {
        let mut threads: BTreeMap<ThreadSeq, Vec<&Sample>> = BTreeMap::new();
        for sample in &profile.samples {
            threads.entry(sample.thread_seq).or_default().push(sample);
        }
        if threads.is_empty() {
            threads.insert(ThreadSeq(1), Vec::new());
        }
        let is_only = threads.len() == 1;
        let thread = |(seq, mut samples): (ThreadSeq, Vec<&'p Sample>)| {
            let (pid, title) = (pid(profile, seq, &samples), profile.thread_title(seq));
            samples.sort_by_key(|sample| sample.moment);
            Self { seq, pid, title, spans: spans(profile, &samples), samples, is_only }
        };
        threads.into_iter().map(thread).collect()
    }

    /// The place of the thread with most weight, the first of equal ones.
    pub(super) fn busiest(threads: &[Self]) -> usize {
        // `max_by_key` takes the last of equal ones.
        (0..threads.len()).rev().max_by_key(|index| threads[*index].weight()).unwrap_or(0)
    }

    /// The weight of all its samples.
    pub(super) fn weight(&self) -> Nanos {
        self.samples.iter().map(|sample| sample.weight).sum()
    }

    /// What tells it from all others, such as `worker (thread 2)`.
    pub(super) fn title(&self) -> &str {
        match self.seq.0 {
            0 if self.is_only => "All threads",
            0 => "Unknown thread",
            _ => &self.title,
        }
    }
}

/// A thread lives in one process: the profile knows it, or its first sample has it as a label, as
/// rperf 0.1 wrote it.
fn pid(profile: &Profile, seq: ThreadSeq, samples: &[&Sample]) -> Option<i64> {
    let labels = profile.labels_of(seq, samples.first()?.label_set);
    let number = labels.numbers().find(|(key, _)| *key == PID).map(|(_, pid)| pid);
    number.or_else(|| labels.texts().find(|(key, _)| *key == PID)?.1.parse().ok())
}

fn spans(profile: &Profile, samples: &[&Sample]) -> Vec<(Nanos, Nanos)> {
    let mut last = Nanos::ZERO;
    let span = |sample: &&Sample| {
        let end = if profile.meta.timeline { last.max(sample.moment) } else { last + sample.weight };
        let start = last.max(end - sample.weight);
        last = end;
        (start, end)
    };
    samples.iter().map(span).collect()
}
