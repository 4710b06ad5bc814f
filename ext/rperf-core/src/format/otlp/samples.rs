//! The samples of all `Profile`s. Samples that differ only in their value type become one.

use hashbrown::HashMap;

use super::super::pprof::{Fields, Wire, damaged};
use crate::format::DecodeError;
use crate::format::limits::MAX_ROWS;
use crate::ids::{LabelSetId, ThreadSeq};
use crate::profile::StackRange;

/// The stack, thread and label set of a sample.
pub(super) type Key = (StackRange, ThreadSeq, LabelSetId);

/// The values of each stack, thread and label set, in the order of their first use.
pub(super) struct Samples {
    types: usize,
    places: HashMap<Key, usize>,
    keys: Vec<Key>,
    /// The values of all keys: `types` values for each key.
    values: Vec<i64>,
}

impl Samples {
    /// Creates an empty list with `types` values for each key; `types` is at least 1.
    pub(super) fn new(types: usize) -> Self {
        Self { types, places: HashMap::new(), keys: Vec::new(), values: Vec::new() }
    }

    pub(super) fn add(&mut self, key: Key, value_type: usize, value: i64) -> Result<(), DecodeError> {
        let place = match self.places.get(&key) {
            Some(place) => *place,
            None => self.append(key)?,
        };
        let sum = &mut self.values[place * self.types + value_type];
        *sum = sum.checked_add(value).ok_or_else(|| damaged("its values sum to more than 2^63 - 1"))?;
        Ok(())
    }

    fn append(&mut self, key: Key) -> Result<usize, DecodeError> {
        let place = self.keys.len();
        if self.values.len() + self.types > MAX_ROWS {
            return Err(damaged(format_args!("there are more than {MAX_ROWS} values")));
        }
        self.places.insert(key, place);
        self.keys.push(key);
        self.values.resize(self.values.len() + self.types, 0);
        Ok(place)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (Key, &[i64])> {
        self.keys.iter().copied().zip(self.values.chunks_exact(self.types))
    }
}

/// The fields of a sample. They are reused for the next sample.
#[derive(Default)]
pub(super) struct SampleFields {
    pub(super) stack: u64,
    /// The indices of the attributes and, at the end, of the link.
    pub(super) labelling: Vec<u64>,
    pub(super) value: i64,
}

impl SampleFields {
    /// Reads a `Sample`. Its values are summed. Where it has only moments, each moment counts 1.
    pub(super) fn read(&mut self, message: &[u8]) -> Result<(), DecodeError> {
        const STACK: u64 = 1;
        const ATTRIBUTES: u64 = 2;
        const LINK: u64 = 3;
        const VALUES: u64 = 4;
        const MOMENTS: u64 = 5;
        let (mut link, mut sum, mut moments) = (0, None, 0);
        self.stack = 0;
        self.labelling.clear();
        for entry in Fields::of(message) {
            match entry? {
                (STACK, stack) => self.stack = stack.number()?,
                (ATTRIBUTES, indices) => {
                    for index in indices.numbers()? {
                        self.labelling.push(index?);
                    }
                }
                (LINK, index) => link = index.number()?,
                (VALUES, values) => {
                    for value in values.numbers()? {
                        sum = Some(add(sum.unwrap_or(0), value? as i64)?);
                    }
                }
                (MOMENTS, list) => moments += moments_in(list)?,
                _ => {}
            }
        }
        self.labelling.push(link);
        self.value = sum.unwrap_or(moments);
        Ok(())
    }
}

fn add(sum: i64, value: i64) -> Result<i64, DecodeError> {
    sum.checked_add(value).ok_or_else(|| damaged("its values sum to more than 2^63 - 1"))
}

/// Returns the number of moments in a field, packed or not.
fn moments_in(field: Wire<'_>) -> Result<i64, DecodeError> {
    if field.fixed64().is_ok() {
        return Ok(1);
    }
    let bytes = field.bytes()?;
    let length = size_of::<u64>();
    if bytes.len() % length != 0 {
        return Err(damaged("a list of moments ends in the middle of one"));
    }
    Ok((bytes.len() / length) as i64)
}
