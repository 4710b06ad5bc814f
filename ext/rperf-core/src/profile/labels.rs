//! The labels of samples as pprof sees them: the thread is one of the numbers, and each number has
//! a unit.

use super::{Label, LabelValue, Profile, Sample};
use crate::ids::{LabelSetId, ThreadSeq};

/// The numeric label that says which thread a sample belongs to.
pub const THREAD_SEQ: &str = "thread_seq";

/// The labels of a sample.
#[derive(Clone, Copy)]
pub struct SampleLabels<'p> {
    thread_seq: ThreadSeq,
    labels: &'p [Label],
}

impl<'p> SampleLabels<'p> {
    /// The key and the text of each label that is a text.
    pub fn texts(self) -> impl Iterator<Item = (&'p str, &'p str)> {
        self.labels.iter().filter_map(|label| match &label.value {
            LabelValue::Text(text) => Some((label.key.as_str(), text.as_str())),
            LabelValue::Number(_) => None,
        })
    }

    /// The key and the number of each label that is a number, the thread first.
    pub fn numbers(self) -> impl Iterator<Item = (&'p str, i64)> {
        let thread = (self.thread_seq.0 != 0).then_some((THREAD_SEQ, i64::from(self.thread_seq.0)));
        thread.into_iter().chain(self.labels.iter().filter_map(|label| match label.value {
            LabelValue::Number(number) => Some((label.key.as_str(), number)),
            LabelValue::Text(_) => None,
        }))
    }
}

impl Profile {
    /// The labels of a sample.
    pub fn labels(&self, sample: &Sample) -> SampleLabels<'_> {
        self.labels_of(sample.thread_seq, sample.label_set)
    }

    /// The labels of all samples of a thread with this label set.
    pub fn labels_of(&self, thread_seq: ThreadSeq, label_set: LabelSetId) -> SampleLabels<'_> {
        SampleLabels { thread_seq, labels: &self.label_sets[label_set.index()] }
    }
}

/// The units of the numbers in labels.
#[derive(Clone, Copy)]
pub struct LabelUnits<'p> {
    given: &'p [(String, String)],
}

impl<'p> LabelUnits<'p> {
    /// The units that a profile gives to its labels.
    pub fn of(profile: &'p Profile) -> Self {
        Self { given: &profile.meta.label_units }
    }

    /// The unit that the profile gives to a key.
    pub fn given(self, key: &str) -> Option<&'p str> {
        self.given.iter().find(|(known, _)| known == key).map(|(_, unit)| unit.as_str())
    }

    /// The unit of a key: what the profile says, or else what pprof takes the key for.
    pub fn inferred(self, key: &'p str) -> &'p str {
        self.given(key).unwrap_or(match key {
            "alignment" | "request" => "bytes",
            key => key,
        })
    }
}
