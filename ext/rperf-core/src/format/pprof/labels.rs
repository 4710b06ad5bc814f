//! The labels of samples.

use hashbrown::HashMap;

use super::reader::{StringTable, damaged};
use super::threads::Threads;
use crate::format::DecodeError;
use crate::format::limits::MAX_ROWS;
use crate::ids::{LabelSetId, ThreadSeq};
use crate::profile::{Builder, Label, LabelValue};

/// Key, string, number and unit of a label.
type RawLabel = [u64; 4];

/// Label sets by their raw labels, so that each distinct set is resolved once.
#[derive(Default)]
pub(super) struct Labels {
    sets: HashMap<Vec<RawLabel>, (ThreadSeq, LabelSetId)>,
    /// The unit of each key: the first one that a label has.
    units: Vec<(String, String)>,
    threads: Threads,
    /// Number of labels in all these sets.
    labels: usize,
}

impl Labels {
    /// Returns the thread and the label set for these labels.
    pub(super) fn intern(
        &mut self,
        raw: &[RawLabel],
        strings: &mut StringTable<'_>,
        builder: &mut Builder,
    ) -> Result<(ThreadSeq, LabelSetId), DecodeError> {
        if let Some(known) = self.sets.get(raw) {
            return Ok(*known);
        }
        self.labels += raw.len();
        if self.labels > MAX_ROWS {
            return Err(damaged(format_args!("it has more than {MAX_ROWS} labels")));
        }
        let mut labels = raw.iter().map(|label| resolve(label, strings)).collect::<Result<Vec<_>, _>>()?;
        let thread_seq = self.threads.take(&mut labels);
        self.note_units(raw, strings)?;
        let known = (thread_seq, builder.intern_label_set(&labels));
        self.sets.insert(raw.to_vec(), known);
        Ok(known)
    }
}

impl Labels {
    fn note_units(&mut self, raw: &[RawLabel], strings: &mut StringTable<'_>) -> Result<(), DecodeError> {
        for [key, _, _, unit] in raw.iter().filter(|[_, text, _, unit]| *text == 0 && *unit != 0) {
            let (key, unit) = (strings.get(*key)?, strings.get(*unit)?);
            if !unit.is_empty() && !self.units.iter().any(|(known, _)| *known == key) {
                self.units.push((key.into_owned(), unit.into_owned()));
            }
        }
        Ok(())
    }

    /// Adds the threads to the builder, and returns the unit of each key that has one.
    pub(super) fn finish(self, builder: &mut Builder) -> Vec<(String, String)> {
        self.threads.finish(builder);
        self.units
    }
}

fn resolve(label: &RawLabel, strings: &mut StringTable<'_>) -> Result<Label, DecodeError> {
    let [key, text, number, _unit] = *label;
    let value = match text {
        0 => LabelValue::Number(number as i64),
        text => LabelValue::Text(strings.get(text)?.into_owned()),
    };
    Ok(Label { key: strings.get(key)?.into_owned(), value })
}
