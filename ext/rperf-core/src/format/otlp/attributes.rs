//! Attributes, for reading.

use super::super::pprof::{Fields, StringTable};
use crate::format::DecodeError;
use crate::profile::{Label, LabelValue};

/// The value of an attribute.
pub(super) enum Value {
    /// A text or a number. Other single values are read as texts.
    One(LabelValue),
    /// The texts of a list.
    Texts(Vec<String>),
    /// No value, or one for which labels have no room.
    Other,
}

/// An attribute of the dictionary, or of a resource or scope.
pub(super) struct Attribute {
    pub(super) key: String,
    pub(super) value: Value,
    pub(super) unit: String,
}

impl Attribute {
    /// Reads a `KeyValueAndUnit`.
    pub(super) fn of_dictionary(row: &[u8], strings: &mut StringTable<'_>) -> Result<Self, DecodeError> {
        const KEY: u64 = 1;
        const VALUE: u64 = 2;
        const UNIT: u64 = 3;
        let mut attribute = Self { key: String::new(), value: Value::Other, unit: String::new() };
        for entry in Fields::of(row) {
            let (number, value) = entry?;
            match number {
                KEY => attribute.key = strings.get(value.number()?)?.into_owned(),
                VALUE => attribute.value = any_value(value.bytes()?, strings)?,
                UNIT => attribute.unit = strings.get(value.number()?)?.into_owned(),
                _ => {}
            }
        }
        Ok(attribute)
    }

    /// Reads a `KeyValue`, whose key is in the dictionary or in the message itself.
    pub(super) fn of_resource(row: &[u8], strings: &mut StringTable<'_>) -> Result<Self, DecodeError> {
        const KEY: u64 = 1;
        const VALUE: u64 = 2;
        const KEY_INDEX: u64 = 3;
        let mut attribute = Self { key: String::new(), value: Value::Other, unit: String::new() };
        for entry in Fields::of(row) {
            let (number, value) = entry?;
            match number {
                KEY => attribute.key = strings.copy(value.bytes()?)?,
                VALUE => attribute.value = any_value(value.bytes()?, strings)?,
                KEY_INDEX => attribute.key = strings.get(value.number()?)?.into_owned(),
                _ => {}
            }
        }
        Ok(attribute)
    }

    /// Returns the label for the attribute, if that has one single value.
    pub(super) fn into_label(self) -> Option<Label> {
        match self.value {
            Value::One(value) => Some(Label { key: self.key, value }),
            Value::Texts(_) | Value::Other => None,
        }
    }
}

/// Reads an `AnyValue`.
fn any_value(message: &[u8], strings: &mut StringTable<'_>) -> Result<Value, DecodeError> {
    const STRING: u64 = 1;
    const BOOL: u64 = 2;
    const INT: u64 = 3;
    const DOUBLE: u64 = 4;
    const ARRAY: u64 = 5;
    const STRING_INDEX: u64 = 8;
    let mut read = Value::Other;
    for entry in Fields::of(message) {
        let (number, value) = entry?;
        read = match number {
            ARRAY => Value::Texts(texts(value.bytes()?, strings)?),
            STRING => Value::One(LabelValue::Text(strings.copy(value.bytes()?)?)),
            STRING_INDEX => Value::One(LabelValue::Text(strings.get(value.number()?)?.into_owned())),
            BOOL => Value::One(LabelValue::Text((value.number()? != 0).to_string())),
            INT => Value::One(LabelValue::Number(value.number()? as i64)),
            DOUBLE => Value::One(LabelValue::Text(f64::from_bits(value.fixed64()?).to_string())),
            _ => Value::Other,
        };
    }
    Ok(read)
}

/// Returns the texts of an `ArrayValue`. Other values in it are left out.
fn texts(message: &[u8], strings: &mut StringTable<'_>) -> Result<Vec<String>, DecodeError> {
    const VALUES: u64 = 1;
    const STRING: u64 = 1;
    const STRING_INDEX: u64 = 8;
    let mut texts = Vec::new();
    for entry in Fields::of(message) {
        let (number, value) = entry?;
        if number != VALUES {
            continue;
        }
        for entry in Fields::of(value.bytes()?) {
            match entry? {
                (STRING, text) => texts.push(strings.copy(text.bytes()?)?),
                (STRING_INDEX, index) => texts.push(strings.get(index.number()?)?.into_owned()),
                _ => {}
            }
        }
    }
    Ok(texts)
}
