//! Comments and labels that are added to a recording when it is complete.

use hashbrown::HashMap;

use super::{Label, LabelValue, Profile};
use crate::ids::LabelSetId;

impl Profile {
    /// Adds a comment after the existing ones, and a text label to all samples. The label replaces
    /// one with the same key.
    pub fn mark(&mut self, comment: String, key: &str, text: &str) {
        self.meta.comments.push(comment);
        let mark = text_label(key, text);
        self.set_label_sets(self.label_sets.iter().map(|labels| with(labels, &mark)).collect());
    }

    /// Returns a copy in which samples of one thread that have the label `has` get a text label,
    /// which replaces one with the same key. `native_id` is the system's number of the thread.
    pub fn marked_where(&self, native_id: i64, has: &Label, key: &str, text: &str) -> Self {
        let mut marked = self.clone();
        let mark = text_label(key, text);
        let mut known: HashMap<LabelSetId, LabelSetId> = HashMap::new();
        for sample in &mut marked.samples {
            let thread = self.threads.iter().find(|thread| thread.seq == sample.thread_seq);
            let labels = &self.label_sets[sample.label_set.index()];
            if thread.is_none_or(|thread| i64::from(thread.native_id) != native_id) || !labels.contains(has) {
                continue;
            }
            sample.label_set = *known.entry(sample.label_set).or_insert_with(|| {
                marked.label_sets.push(with(labels, &mark));
                LabelSetId::from(marked.label_sets.len() - 1)
            });
        }
        marked
    }
}

fn text_label(key: &str, text: &str) -> Label {
    Label { key: key.to_owned(), value: LabelValue::Text(text.to_owned()) }
}

/// Returns these labels with `mark` added, which replaces a label with the same key.
fn with(labels: &[Label], mark: &Label) -> Vec<Label> {
    let others = labels.iter().filter(|label| label.key != mark.key).cloned();
    let mut all: Vec<Label> = others.chain([mark.clone()]).collect();
    all.sort();
    all
}
