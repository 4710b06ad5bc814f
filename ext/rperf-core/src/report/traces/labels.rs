//! Cache of the texts about labels, which many samples share.

use hashbrown::HashMap;

use crate::ids::{LabelSetId, ThreadSeq};
use crate::profile::{Profile, Sample, SampleLabels};

/// Maximum number of texts kept.
const KEPT: usize = 4_096;

/// Texts about labels, by thread and label set.
pub(super) struct LabelTexts<Write> {
    texts: HashMap<(ThreadSeq, LabelSetId), String>,
    write: Write,
}

impl<Write: Fn(SampleLabels<'_>) -> String> LabelTexts<Write> {
    pub(super) fn new(write: Write) -> Self {
        Self { texts: HashMap::new(), write }
    }

    /// Returns the text about the labels of a sample of the profile.
    pub(super) fn of(&mut self, profile: &Profile, sample: &Sample) -> &str {
        if self.texts.len() == KEPT {
            self.texts.clear();
        }
        let key = (sample.thread_seq, sample.label_set);
        self.texts.entry(key).or_insert_with(|| (self.write)(profile.labels(sample)))
    }
}
