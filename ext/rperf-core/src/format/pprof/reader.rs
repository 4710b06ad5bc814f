//! Access to the strings and fields of pprof messages.

use std::borrow::Cow;

use super::NAME;
use super::wire::{Fields, Value, WireError};
use crate::format::DecodeError;
use crate::format::limits::{Budget, MAX_ROWS};

impl From<WireError> for DecodeError {
    fn from(error: WireError) -> Self {
        DecodeError::damaged(NAME, error)
    }
}

/// The field numbers of the profile message that are read.
pub(super) mod field {
    pub(in super::super) const SAMPLE_TYPE: u64 = 1;
    pub(in super::super) const SAMPLE: u64 = 2;
    pub(in super::super) const MAPPING: u64 = 3;
    pub(in super::super) const LOCATION: u64 = 4;
    pub(in super::super) const FUNCTION: u64 = 5;
    pub(in super::super) const STRING: u64 = 6;
    pub(in super::super) const TIME_NANOS: u64 = 9;
    pub(in super::super) const DURATION_NANOS: u64 = 10;
    pub(in super::super) const PERIOD_TYPE: u64 = 11;
    pub(in super::super) const PERIOD: u64 = 12;
    pub(in super::super) const COMMENT: u64 = 13;
    pub(in super::super) const DEFAULT_SAMPLE_TYPE: u64 = 14;
}

/// Calls `row` with the index and the bytes of each occurrence of a field, up to [`MAX_ROWS`].
pub(in crate::format) fn each_row<'bytes>(
    message: &'bytes [u8],
    field: u64,
    name: &str,
    mut row: impl FnMut(usize, &'bytes [u8]) -> Result<(), DecodeError>,
) -> Result<(), DecodeError> {
    let mut rows = 0;
    for entry in Fields::of(message) {
        let (number, value) = entry?;
        if number == field {
            if rows == MAX_ROWS {
                return Err(damaged(format_args!("there are more than {MAX_ROWS} {name}s")));
            }
            row(rows, value.bytes()?)?;
            rows += 1;
        }
    }
    Ok(())
}

/// Returns the numbers in the first `N` fields of a message. A missing field is 0. The last value
/// counts where a field occurs twice.
pub(in crate::format) fn numbers<const N: usize>(message: &[u8]) -> Result<[u64; N], WireError> {
    let mut numbers = [0; N];
    for entry in Fields::of(message) {
        let (number, value) = entry?;
        let slot = usize::try_from(number).ok().and_then(|number| numbers.get_mut(number - 1));
        if let (Some(slot), Value::Number(value)) = (slot, value) {
            *slot = value;
        }
    }
    Ok(numbers)
}

/// Returns the error for a profile that breaks the rules of pprof.
pub(in crate::format) fn damaged(what: impl std::fmt::Display) -> DecodeError {
    DecodeError::damaged(NAME, what)
}

/// The string table.
pub(in crate::format) struct StringTable<'bytes> {
    strings: Vec<&'bytes [u8]>,
    budget: Budget,
}

impl<'bytes> StringTable<'bytes> {
    /// Reads the strings in a field of the message.
    pub(in crate::format) fn read(message: &'bytes [u8], field: u64) -> Result<Self, DecodeError> {
        let mut strings = Vec::new();
        each_row(message, field, "string", |_, bytes| {
            strings.push(bytes);
            Ok(())
        })?;
        Ok(Self { strings, budget: Budget::new() })
    }

    /// Returns the string with this index; 0 is always the empty one. Bytes that are not UTF-8 are
    /// replaced.
    ///
    /// All returned bytes are limited in number, since many places may refer to one long string.
    pub(in crate::format) fn get(&mut self, index: u64) -> Result<Cow<'bytes, str>, DecodeError> {
        if index == 0 {
            return Ok(Cow::Borrowed(""));
        }
        let string = usize::try_from(index).ok().and_then(|index| self.strings.get(index)).copied();
        let string = string
            .ok_or_else(|| damaged(format_args!("it refers to string {index}, which does not exist")))?;
        self.spend(string)?;
        Ok(String::from_utf8_lossy(string))
    }

    /// Returns a copy of a string that is not in the table. It counts towards the same limit.
    pub(in crate::format) fn copy(&mut self, string: &[u8]) -> Result<String, DecodeError> {
        self.spend(string)?;
        Ok(String::from_utf8_lossy(string).into_owned())
    }

    fn spend(&mut self, string: &[u8]) -> Result<(), DecodeError> {
        if self.budget.spend(string.len()) { Ok(()) } else { Err(damaged("its names are too long")) }
    }
}
