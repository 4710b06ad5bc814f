//! The rows of the dictionary's tables, as bytes.

use super::super::pprof::{Fields, damaged, each_row};
use crate::format::DecodeError;

/// The field numbers of the dictionary.
pub(super) mod field {
    pub(in super::super) const MAPPING: u64 = 1;
    pub(in super::super) const LOCATION: u64 = 2;
    pub(in super::super) const FUNCTION: u64 = 3;
    pub(in super::super) const LINK: u64 = 4;
    pub(in super::super) const STRING: u64 = 5;
    pub(in super::super) const ATTRIBUTE: u64 = 6;
    pub(in super::super) const STACK: u64 = 7;
}

/// The rows of one table.
pub(super) struct Rows<'bytes> {
    name: &'static str,
    rows: Vec<&'bytes [u8]>,
}

impl<'bytes> Rows<'bytes> {
    /// Reads the table in this field of the dictionary. Error messages call its rows `name`.
    pub(super) fn read(
        dictionary: &'bytes [u8],
        field: u64,
        name: &'static str,
    ) -> Result<Self, DecodeError> {
        let mut rows = Vec::new();
        each_row(dictionary, field, name, |_, row| {
            rows.push(row);
            Ok(())
        })?;
        Ok(Self { name, rows })
    }

    /// Returns the row with this index. Row 0 is the zero value, even where the producer has left
    /// it out.
    pub(super) fn get(&self, index: u64) -> Result<&'bytes [u8], DecodeError> {
        let row = usize::try_from(index).ok().and_then(|index| self.rows.get(index)).copied();
        let row = row.or_else(|| (index == 0).then_some(&[]));
        row.ok_or_else(|| damaged(format_args!("it refers to {} {index}, which does not exist", self.name)))
    }
}

/// Returns the only dictionary of a request, or an empty one where there is none.
pub(super) fn dictionary(message: &[u8]) -> Result<&[u8], DecodeError> {
    const DICTIONARY: u64 = 2;
    let mut found = None;
    for entry in Fields::of(message) {
        let (number, value) = entry?;
        if number == DICTIONARY && found.replace(value.bytes()?).is_some() {
            return Err(damaged("it has more than one dictionary"));
        }
    }
    Ok(found.unwrap_or_default())
}
