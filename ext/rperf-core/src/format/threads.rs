//! The samples of a profile by thread, for formats that show each thread by itself.

use std::collections::BTreeMap;

use crate::ids::ThreadSeq;
use crate::profile::{LabelValue, Profile, Sample};
use crate::time::Nanos;

/// The label by which rperf tells the processes of one run apart.
const PID: &str = "pid";

/// A thread with its samples, in their order.
pub(super) struct Thread<'p> {
    /// Its number in the profile.
    pub(super) seq: ThreadSeq,
    /// The number of its process, where the samples say so.
    pub(super) pid: Option<i64>,
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
            let pid = pid(profile, &samples);
            samples.sort_by_key(|sample| sample.moment);
            Self { seq, pid, spans: spans(profile, &samples), samples, is_only }
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

    /// Such as `Thread 2 (pid 123)`.
    pub(super) fn name(&self) -> String {
        let name = match self.seq.0 {
            0 if self.is_only => "All threads".to_owned(),
            0 => "Unknown thread".to_owned(),
            number => default_name(number),
        };
        self.pid.map_or(name.clone(), |pid| format!("{name} (pid {pid})"))
    }
}

/// What a thread is called by its number.
pub(super) fn default_name(number: u32) -> String {
    format!("Thread {number}")
}

/// A thread lives in one process: its first sample says in which.
fn pid(profile: &Profile, samples: &[&Sample]) -> Option<i64> {
    let labels = &profile.label_sets[samples.first()?.label_set.index()];
    match &labels.iter().find(|label| label.key == PID)?.value {
        LabelValue::Number(pid) => Some(*pid),
        LabelValue::Text(text) => text.parse().ok(),
    }
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
