//! The labels of samples.

use std::hash::Hash;

use hashbrown::HashMap;

use super::reader::{StringTable, damaged};
use super::threads::Threads;
use crate::format::DecodeError;
use crate::format::limits::MAX_ROWS;
use crate::ids::{LabelSetId, ThreadSeq};
use crate::profile::{Builder, Label, LabelValue};

/// Label sets by what the file has for them, so that each distinct set is resolved once.
pub(in crate::format) struct LabelSets<Raw> {
    sets: HashMap<Vec<Raw>, (ThreadSeq, LabelSetId)>,
    units: Units,
    threads: Threads,
    /// Number of labels in all these sets.
    labels: usize,
}

/// The unit of each key of labels: the first one that a label has.
#[derive(Default)]
pub(in crate::format) struct Units(Vec<(String, String)>);

impl Units {
    /// Notes the unit of a label that is a number; "" for none.
    pub(in crate::format) fn note(&mut self, key: &str, unit: &str) {
        if !unit.is_empty() && !self.0.iter().any(|(known, _)| known == key) {
            self.0.push((key.to_owned(), unit.to_owned()));
        }
    }
}

impl<Raw> Default for LabelSets<Raw> {
    fn default() -> Self {
        Self { sets: HashMap::new(), units: Units::default(), threads: Threads::default(), labels: 0 }
    }
}

impl<Raw: Clone + Eq + Hash> LabelSets<Raw> {
    /// Returns the thread and the label set. `resolve` returns the labels, and notes their units.
    pub(in crate::format) fn intern(
        &mut self,
        raw: &[Raw],
        builder: &mut Builder,
        resolve: impl FnOnce(&mut Units) -> Result<Vec<Label>, DecodeError>,
    ) -> Result<(ThreadSeq, LabelSetId), DecodeError> {
        if let Some(known) = self.sets.get(raw) {
            return Ok(*known);
        }
        self.labels += raw.len();
        if self.labels > MAX_ROWS {
            return Err(damaged(format_args!("it has more than {MAX_ROWS} labels")));
        }
        let mut labels = resolve(&mut self.units)?;
        let thread_seq = self.threads.take(&mut labels);
        let known = (thread_seq, builder.intern_label_set(&labels));
        self.sets.insert(raw.to_vec(), known);
        Ok(known)
    }

    /// Adds the threads to the builder, and returns the unit of each key that has one.
    pub(in crate::format) fn finish(self, builder: &mut Builder) -> Vec<(String, String)> {
        self.threads.finish(builder);
        self.units.0
    }
}

/// Returns a label, which is given by its key, string, number and unit.
pub(super) fn resolve(
    [key, text, number, unit]: [u64; 4],
    strings: &mut StringTable<'_>,
    units: &mut Units,
) -> Result<Label, DecodeError> {
    let key = strings.get(key)?.into_owned();
    if text != 0 {
        return Ok(Label { key, value: LabelValue::Text(strings.get(text)?.into_owned()) });
    }
    if unit != 0 {
        units.note(&key, &strings.get(unit)?);
    }
    Ok(Label { key, value: LabelValue::Number(number as i64) })
}
