//! What is written of labels, made once for many samples.

use hashbrown::HashMap;

use crate::ids::{LabelSetId, ThreadSeq};
use crate::profile::{Profile, Sample, SampleLabels};

/// How many texts are kept.
const KEPT: usize = 4_096;

/// The texts about the labels of samples.
pub(super) struct LabelTexts<Write> {
    texts: HashMap<(ThreadSeq, LabelSetId), String>,
    write: Write,
}

impl<Write: Fn(SampleLabels<'_>) -> String> LabelTexts<Write> {
    pub(super) fn new(write: Write) -> Self {
        Self { texts: HashMap::new(), write }
    }

    /// The text about the labels of a sample of the profile.
    pub(super) fn of(&mut self, profile: &Profile, sample: &Sample) -> &str {
        if self.texts.len() == KEPT {
            self.texts.clear();
        }
        let key = (sample.thread_seq, sample.label_set);
        self.texts.entry(key).or_insert_with(|| (self.write)(profile.labels(sample)))
    }
}
