//! The samples of a profile by thread, for formats that show each thread separately.

use std::collections::BTreeMap;

use crate::ids::ThreadSeq;
use crate::profile::{PID, Profile, Sample, state_of};
use crate::state::VmState;
use crate::time::Nanos;

/// A thread with its samples, in the order of their moments.
pub(super) struct Thread<'p> {
    /// The thread's number in the profile.
    pub(super) seq: ThreadSeq,
    /// The number of the thread's process, where that is known.
    pub(super) pid: Option<i64>,
    /// The thread's title in the profile.
    title: String,
    /// The samples of the thread.
    pub(super) samples: Vec<&'p Sample>,
    /// Start and end of the time of each sample, since the profile's start: by the samples' moments
    /// in a profile with a timeline, otherwise one after the other. No two of them overlap: a tick
    /// has only the time that intervals leave.
    pub(super) spans: Vec<(Nanos, Nanos)>,
    /// Whether the thread is the only one of the profile.
    is_only: bool,
}

impl<'p> Thread<'p> {
    /// Returns all threads by their numbers; one without samples for a profile without samples.
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
            samples.sort_by_cached_key(|sample| place(profile, sample));
            Self { seq, pid, title, spans: spans(profile, &samples), samples, is_only }
        };
        threads.into_iter().map(thread).collect()
    }

    /// Returns the index of the thread with the most weight, the first of equal ones.
    pub(super) fn busiest(threads: &[Self]) -> usize {
        // `max_by_key` returns the last of equal ones.
        (0..threads.len()).rev().max_by_key(|index| threads[*index].weight()).unwrap_or(0)
    }

    /// Returns the weight of all samples of the thread.
    pub(super) fn weight(&self) -> Nanos {
        self.samples.iter().map(|sample| sample.weight).sum()
    }

    /// Returns a title that no other thread of the profile has, such as `worker (thread 2)`.
    pub(super) fn title(&self) -> &str {
        match self.seq.0 {
            0 if self.is_only => "All threads",
            0 => "Unknown thread",
            _ => &self.title,
        }
    }
}

/// Returns the number of the thread's process, if the profile knows it.
fn pid(profile: &Profile, seq: ThreadSeq, samples: &[&Sample]) -> Option<i64> {
    let labels = profile.labels_of(seq, samples.first()?.label_set);
    labels.numbers().find(|(key, _)| *key == PID).map(|(_, pid)| pid)
}

/// Returns a sample's place in the order of the samples: the start of an interval, the moment of a
/// tick. A tick within an interval thus follows it, and does not cut it.
fn place(profile: &Profile, sample: &Sample) -> Nanos {
    match leaf_state(profile, sample) {
        VmState::Running | VmState::CpuWait => sample.moment,
        _ => sample.moment - sample.weight,
    }
}

/// Returns the state that the leaf of a sample stands for.
pub(super) fn leaf_state(profile: &Profile, sample: &Sample) -> VmState {
    profile.stack(sample).first().map_or(VmState::Running, |leaf| state_of(profile.function_at(*leaf)))
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
