//! Labels of samples as pprof sees them: they include data of threads and processes, and each
//! number has a unit.

use std::collections::BTreeSet;

use hashbrown::HashSet;

use super::{Label, LabelValue, Process, Profile, Sample, Thread};
use crate::ids::{LabelSetId, ThreadSeq};
use crate::unit::is_known;

/// Numeric label with the number of a sample's thread.
pub const THREAD_SEQ: &str = "thread_seq";
/// The thread's name, a text.
pub const THREAD: &str = "thread";
/// The system's number of the native thread (`Thread#native_thread_id`).
pub const NATIVE_THREAD_ID: &str = "native_thread_id";
/// The number of the thread's process.
pub const PID: &str = "pid";
/// The number of the parent of that process.
pub const PPID: &str = "ppid";
/// The command of the process, a text.
pub const PROCESS: &str = "process";

/// Labels of a sample. A label of the program hides rperf's own label with the same key.
#[derive(Clone, Copy)]
pub struct SampleLabels<'p> {
    thread_seq: ThreadSeq,
    thread: Option<&'p Thread>,
    thread_name: Option<&'p str>,
    process: Option<&'p Process>,
    labels: &'p [Label],
}

impl<'p> SampleLabels<'p> {
    /// Returns key and text of each label that is a text, those of the thread first.
    pub fn texts(self) -> impl Iterator<Item = (&'p str, &'p str)> {
        let command = self.process.map(|process| process.command.as_str()).filter(|text| !text.is_empty());
        let own = [(THREAD, self.thread_name), (PROCESS, command)].into_iter();
        let own = own.filter_map(|(key, text)| Some((key, text?)));
        let texts = self.labels.iter().filter_map(|label| Some((label.key.as_str(), label.value.text()?)));
        own.filter(move |(key, _)| !self.is_given(key)).chain(texts)
    }

    /// Returns key and number of each label that is a number, those of the thread first.
    pub fn numbers(self) -> impl Iterator<Item = (&'p str, i64)> {
        let native_id = self.thread.map_or(0, |thread| thread.native_id);
        let [pid, ppid] = self.process.map_or([0; 2], |process| [process.pid, process.ppid]);
        let own = [(THREAD_SEQ, self.thread_seq.0), (NATIVE_THREAD_ID, native_id), (PID, pid), (PPID, ppid)];
        let own = own.into_iter().filter(move |(key, number)| *number != 0 && !self.is_given(key));
        let own = own.map(|(key, number)| (key, i64::from(number)));
        own.chain(self.labels.iter().filter_map(|label| match label.value {
            LabelValue::Number(number) => Some((label.key.as_str(), number)),
            LabelValue::Text(_) => None,
        }))
    }

    /// Returns whether the program gave a label with this key. The exception is [`THREAD_SEQ`],
    /// which comes from the sample itself.
    fn is_given(self, key: &str) -> bool {
        key != THREAD_SEQ && self.labels.iter().any(|label| label.key == key)
    }
}

/// Keys of labels that rperf itself adds.
const OWN_KEYS: [&str; 6] = [THREAD_SEQ, THREAD, NATIVE_THREAD_ID, PID, PPID, PROCESS];

impl Profile {
    /// Returns for each function whether its frame is made of a label: its path is then the key.
    pub(crate) fn functions_of_labels(&self) -> Vec<bool> {
        let mut keys: HashSet<&str> = OWN_KEYS.into();
        keys.extend(self.label_sets.iter().flatten().map(|label| label.key.as_str()));
        self.functions.iter().map(|it| it.start_line == 0 && keys.contains(it.path.as_str())).collect()
    }

    /// Returns the labels of a sample.
    pub fn labels(&self, sample: &Sample) -> SampleLabels<'_> {
        self.labels_of(sample.thread_seq, sample.label_set)
    }

    /// Returns the labels of all samples of a thread with this label set.
    pub fn labels_of(&self, thread_seq: ThreadSeq, label_set: LabelSetId) -> SampleLabels<'_> {
        SampleLabels {
            thread_seq,
            thread: self.thread(thread_seq),
            thread_name: self.thread_name(thread_seq),
            process: self.process_of(thread_seq),
            labels: &self.label_sets[label_set.index()],
        }
    }
}

/// Units of the numbers in labels.
#[derive(Clone, Copy)]
pub struct LabelUnits<'p> {
    given: &'p [(String, String)],
}

impl<'p> LabelUnits<'p> {
    /// Returns the units that a profile gives to its labels.
    pub fn of(profile: &'p Profile) -> Self {
        Self { given: &profile.meta.label_units }
    }

    /// Returns the keys that have a unit, with these: given ones, then those of numbers whose unit
    /// follows from the key.
    pub fn all(profile: &'p Profile) -> Vec<(&'p str, &'p str)> {
        let units = Self::of(profile);
        let given = units.given.iter().map(|(key, unit)| (key.as_str(), unit.as_str()));
        let labels = profile.label_sets.iter().flatten();
        let numbers = labels.filter(|label| matches!(label.value, LabelValue::Number(_)));
        let keys: BTreeSet<&str> = numbers.map(|label| label.key.as_str()).collect();
        let others = keys.into_iter().filter(|key| units.given(key).is_none());
        given.chain(others.filter_map(|key| Some((key, units.known(key)?)))).collect()
    }

    /// Returns the unit of a key's numbers: that of the profile, or else the one that follows from
    /// the key. `None`: they are plain numbers.
    pub fn known(self, key: &'p str) -> Option<&'p str> {
        self.given(key).or_else(|| Some(self.inferred(key)).filter(|unit| is_known(unit)))
    }

    /// Returns the unit that the profile gives to a key.
    pub fn given(self, key: &str) -> Option<&'p str> {
        self.given.iter().find(|(known, _)| known == key).map(|(_, unit)| unit.as_str())
    }

    /// Returns the unit of a key: that of the profile, or else the one that pprof infers.
    pub fn inferred(self, key: &'p str) -> &'p str {
        self.given(key).unwrap_or(match key {
            "alignment" | "request" => "bytes",
            key => key,
        })
    }
}
