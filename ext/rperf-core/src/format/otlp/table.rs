//! A table of the dictionary while it is built.

use std::hash::Hash;

use hashbrown::HashMap;

/// Rows, each once. The first is the zero value, as the protocol requires.
pub(super) struct Table<Row> {
    indices: HashMap<Row, i32>,
    rows: Vec<Row>,
}

impl<Row: Clone + Default + Eq + Hash> Table<Row> {
    pub(super) fn new() -> Self {
        Self { indices: HashMap::from_iter([(Row::default(), 0)]), rows: vec![Row::default()] }
    }

    /// Returns the index of this row, which is 0 for the zero value.
    pub(super) fn intern(&mut self, row: Row) -> i32 {
        if let Some(index) = self.indices.get(&row) {
            return *index;
        }
        // The index fits: the limits of the profile's own tables are below 2^31.
        let index = self.rows.len() as i32;
        self.rows.push(row.clone());
        self.indices.insert(row, index);
        index
    }

    pub(super) fn into_rows(self) -> Vec<Row> {
        self.rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn has_the_zero_value_and_each_row_once() {
        let mut table = Table::new();
        assert_eq!([5, 0, 7, 5].map(|row| table.intern(row)), [1, 0, 2, 1]);
        assert_eq!(table.into_rows(), [0, 5, 7]);
    }
}
