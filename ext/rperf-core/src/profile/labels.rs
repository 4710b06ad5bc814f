//! The labels of samples as pprof sees them: what is known of their threads and processes is among
//! them, and each number has a unit.

use super::{Label, LabelValue, Process, Profile, Sample, Thread};
use crate::ids::{LabelSetId, ThreadSeq};

/// The numeric label that says which thread a sample belongs to.
pub const THREAD_SEQ: &str = "thread_seq";
/// The thread's name, a text.
pub const THREAD: &str = "thread";
/// The system's number of the native thread (`Thread#native_thread_id`).
pub const NATIVE_THREAD_ID: &str = "native_thread_id";
/// The number of the thread's process.
pub const PID: &str = "pid";
/// The number of that process' parent.
pub const PPID: &str = "ppid";
/// The command of the process, a text.
pub const PROCESS: &str = "process";

/// The labels of a sample. One that the program gave hides what would have its key otherwise.
#[derive(Clone, Copy)]
pub struct SampleLabels<'p> {
    thread_seq: ThreadSeq,
    thread: Option<&'p Thread>,
    thread_name: Option<&'p str>,
    process: Option<&'p Process>,
    labels: &'p [Label],
}

impl<'p> SampleLabels<'p> {
    /// The key and the text of each label that is a text, those of the thread first.
    pub fn texts(self) -> impl Iterator<Item = (&'p str, &'p str)> {
        let command = self.process.map(|process| process.command.as_str()).filter(|text| !text.is_empty());
        let own = [(THREAD, self.thread_name), (PROCESS, command)].into_iter();
        let own = own.filter_map(|(key, text)| Some((key, text?)));
        own.filter(move |(key, _)| !self.is_given(key)).chain(self.labels.iter().filter_map(|label| {
            match &label.value {
                LabelValue::Text(text) => Some((label.key.as_str(), text.as_str())),
                LabelValue::Number(_) => None,
            }
        }))
    }

    /// The key and the number of each label that is a number, those of the thread first.
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

    /// Whether the program gave a label with this key. (The number of a thread is what its samples
    /// say, whatever labels they have.)
    fn is_given(self, key: &str) -> bool {
        key != THREAD_SEQ && self.labels.iter().any(|label| label.key == key)
    }
}

impl Profile {
    /// The labels of a sample.
    pub fn labels(&self, sample: &Sample) -> SampleLabels<'_> {
        self.labels_of(sample.thread_seq, sample.label_set)
    }

    /// The labels of all samples of a thread with this label set.
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
