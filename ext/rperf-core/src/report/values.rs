//! Values of one label, by sample: rows of `--by`. The key `wait` stands for what threads waited
//! for.

use hashbrown::HashMap;

use super::labels::as_texts;
use crate::ids::{LabelSetId, ThreadSeq};
use crate::profile::{LabelUnits, Profile, Sample, WAIT, Waits};

/// Values of a key. Samples of one thread with one label set have one value, except for waits.
pub(super) enum Values<'p> {
    Waits(Waits<'p>),
    Labels(HashMap<(ThreadSeq, LabelSetId), Option<String>>),
}

impl<'p> Values<'p> {
    /// Finds the values of `key`, with numbers in `unit`. `title` returns the name of a thread or
    /// of its process, if these are the values.
    pub(super) fn of(
        profile: &'p Profile,
        key: &str,
        unit: &str,
        title: fn(&Profile, ThreadSeq, &str) -> Option<String>,
    ) -> Self {
        if key == WAIT
            && let Some(waits) = Waits::unless_given(profile)
        {
            return Self::Waits(waits);
        }
        let units = LabelUnits::of(profile);
        let mut values = HashMap::new();
        for sample in &profile.samples {
            let (thread, set) = (sample.thread_seq, sample.label_set);
            values.entry((thread, set)).or_insert_with(|| {
                let mut texts = as_texts(profile.labels_of(thread, set), units, unit);
                let value = texts.find(|(known, _)| *known == key).map(|(_, text)| text);
                title(profile, thread, key).or(value)
            });
        }
        Self::Labels(values)
    }

    /// Returns the value of a sample, if it has the label.
    pub(super) fn of_sample(&self, sample: &Sample) -> Option<&str> {
        match self {
            Self::Waits(waits) => waits.kind(sample),
            Self::Labels(values) => values.get(&(sample.thread_seq, sample.label_set))?.as_deref(),
        }
    }
}
