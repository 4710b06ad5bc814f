//! The labels of samples, from their attributes and links.

use hashbrown::HashMap;

use super::super::pprof::{Fields, StringTable, Threads, damaged};
use super::attributes::{Attribute, Value};
use super::links;
use super::tables::{Rows, field};
use crate::format::DecodeError;
use crate::format::limits::MAX_ROWS;
use crate::ids::{LabelSetId, ThreadSeq};
use crate::profile::{Builder, Label, LabelValue};

/// Label sets by the indices of their attributes and links, so that each distinct set is resolved
/// once.
pub(super) struct Labels<'bytes> {
    attributes: Rows<'bytes>,
    links: Rows<'bytes>,
    sets: HashMap<Vec<u64>, (ThreadSeq, LabelSetId)>,
    /// The unit of each key: the first one that an attribute has.
    units: Vec<(String, String)>,
    threads: Threads,
    /// Number of labels in all these sets.
    labels: usize,
}

impl<'bytes> Labels<'bytes> {
    pub(super) fn read(dictionary: &'bytes [u8]) -> Result<Self, DecodeError> {
        Ok(Self {
            attributes: Rows::read(dictionary, field::ATTRIBUTE, "attribute")?,
            links: Rows::read(dictionary, field::LINK, "link")?,
            sets: HashMap::new(),
            units: Vec::new(),
            threads: Threads::default(),
            labels: 0,
        })
    }

    /// Returns the attribute with this index.
    pub(super) fn attribute(
        &self,
        index: u64,
        strings: &mut StringTable<'_>,
    ) -> Result<Attribute, DecodeError> {
        Attribute::of_dictionary(self.attributes.get(index)?, strings)
    }

    /// Returns the thread and the label set of a sample. `indices` are those of its attributes and,
    /// at the end, of its link.
    pub(super) fn intern(
        &mut self,
        indices: &[u64],
        strings: &mut StringTable<'_>,
        builder: &mut Builder,
    ) -> Result<(ThreadSeq, LabelSetId), DecodeError> {
        if let Some(known) = self.sets.get(indices) {
            return Ok(*known);
        }
        self.labels += indices.len();
        if self.labels > MAX_ROWS {
            return Err(damaged(format_args!("it has more than {MAX_ROWS} labels")));
        }
        let mut labels = self.resolve(indices, strings)?;
        let thread_seq = self.threads.take(&mut labels);
        let known = (thread_seq, builder.intern_label_set(&labels));
        self.sets.insert(indices.to_vec(), known);
        Ok(known)
    }

    fn resolve(&mut self, indices: &[u64], strings: &mut StringTable<'_>) -> Result<Vec<Label>, DecodeError> {
        let Some((link, attributes)) = indices.split_last() else { return Ok(Vec::new()) };
        let mut labels = self.link(*link)?;
        for index in attributes {
            let attribute = self.attribute(*index, strings)?;
            self.note_unit(&attribute);
            labels.extend(attribute.into_label());
        }
        Ok(labels)
    }

    fn link(&self, index: u64) -> Result<Vec<Label>, DecodeError> {
        const TRACE_ID: u64 = 1;
        const SPAN_ID: u64 = 2;
        let mut ids: [&[u8]; 2] = [&[], &[]];
        for entry in Fields::of(self.links.get(index)?) {
            match entry? {
                (TRACE_ID, id) => ids[0] = id.bytes()?,
                (SPAN_ID, id) => ids[1] = id.bytes()?,
                _ => {}
            }
        }
        links::labels(ids[0], ids[1]).map_err(damaged)
    }

    fn note_unit(&mut self, Attribute { key, value, unit }: &Attribute) {
        let is_number = matches!(value, Value::One(LabelValue::Number(_)));
        if is_number && !unit.is_empty() && !self.units.iter().any(|(known, _)| known == key) {
            self.units.push((key.clone(), unit.clone()));
        }
    }

    /// Adds the threads to the builder, and returns the unit of each key that has one.
    pub(super) fn finish(self, builder: &mut Builder) -> Vec<(String, String)> {
        self.threads.finish(builder);
        self.units
    }
}
