//! What is said about a recording when it is complete.

use super::{Label, LabelValue, Profile};

impl Profile {
    /// The same with this comment, after those that it has, and with a text label on all of its
    /// samples. One of that key that a sample has goes.
    pub fn marked(&self, comment: String, key: &str, text: &str) -> Self {
        let mut marked = self.clone();
        marked.meta.comments.push(comment);
        let mark = Label { key: key.to_owned(), value: LabelValue::Text(text.to_owned()) };
        let others = |labels: &Vec<Label>| labels.iter().filter(|label| label.key != key).cloned().collect();
        let mut sets: Vec<Vec<Label>> = self.label_sets.iter().map(others).collect();
        sets.iter_mut().for_each(|labels| labels.push(mark.clone()));
        marked.set_label_sets(sets);
        marked
    }
}
