//! The labels of samples, from their attributes and links.

use super::super::pprof::{Fields, StringTable, Units, damaged};
use super::attributes::{Attribute, Value};
use super::links;
use super::tables::{Rows, field};
use crate::format::DecodeError;
use crate::profile::{Label, LabelValue};

/// The attributes and links of a dictionary.
pub(super) struct Labels<'bytes> {
    attributes: Rows<'bytes>,
    links: Rows<'bytes>,
}

impl<'bytes> Labels<'bytes> {
    pub(super) fn read(dictionary: &'bytes [u8]) -> Result<Self, DecodeError> {
        Ok(Self {
            attributes: Rows::read(dictionary, field::ATTRIBUTE, "attribute")?,
            links: Rows::read(dictionary, field::LINK, "link")?,
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

    /// Returns the labels of a sample. `indices` are those of its attributes and, at the end, of
    /// its link.
    pub(super) fn resolve(
        &self,
        indices: &[u64],
        strings: &mut StringTable<'_>,
        units: &mut Units,
    ) -> Result<Vec<Label>, DecodeError> {
        let Some((link, attributes)) = indices.split_last() else { return Ok(Vec::new()) };
        let mut labels = self.link(*link)?;
        for index in attributes {
            let attribute = self.attribute(*index, strings)?;
            if let Value::One(LabelValue::Number(_)) = attribute.value {
                units.note(&attribute.key, &attribute.unit);
            }
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
}
