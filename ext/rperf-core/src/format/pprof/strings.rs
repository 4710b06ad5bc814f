//! The string table of a pprof profile.

use hashbrown::HashMap;

use super::message;
use crate::profile::ValueType;

/// Assigns indices to strings, in the order of their first use. Index 0 is "".
pub(in crate::format) struct Strings<'text> {
    indices: HashMap<&'text str, i64>,
    table: Vec<&'text str>,
    empty_value: Option<i64>,
}

impl<'text> Strings<'text> {
    pub(in crate::format) fn new() -> Self {
        Self { indices: HashMap::from_iter([("", 0)]), table: vec![""], empty_value: None }
    }

    /// Returns the index of this text.
    pub(in crate::format) fn intern(&mut self, text: &'text str) -> i64 {
        *self.indices.entry(text).or_insert_with(|| append(&mut self.table, text))
    }

    /// Returns the index of this text, but never 0, for fields where 0 means that there is no text.
    pub(in crate::format) fn intern_value(&mut self, text: &'text str) -> i64 {
        if text.is_empty() {
            *self.empty_value.get_or_insert_with(|| append(&mut self.table, text))
        } else {
            self.intern(text)
        }
    }

    /// Returns a value type as a message.
    pub(in crate::format) fn intern_type(&mut self, value_type: &'text ValueType) -> message::ValueType {
        let ValueType { kind, unit } = value_type;
        message::ValueType { r#type: self.intern(kind), unit: self.intern(unit) }
    }

    /// Returns all strings.
    pub(in crate::format) fn into_table(self) -> Vec<String> {
        self.table.into_iter().map(str::to_owned).collect()
    }
}

fn append<'text>(table: &mut Vec<&'text str>, text: &'text str) -> i64 {
    table.push(text);
    table.len() as i64 - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hands_out_one_index_for_a_text() {
        let mut strings = Strings::new();
        assert_eq!(["", "a", "b", "a"].map(|text| strings.intern(text)), [0, 1, 2, 1]);
        assert_eq!(["", "b", ""].map(|text| strings.intern_value(text)), [3, 2, 3]);
        assert_eq!(strings.intern(""), 0);
        assert_eq!(strings.into_table(), ["", "a", "b", ""]);
    }
}
