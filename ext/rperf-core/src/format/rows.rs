//! Readers of lists and objects, with limits to the number of entries in a hostile file.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::limits::MAX_ROWS;

/// Reads a JSON list and turns each element into a row, up to [`MAX_ROWS`].
pub(super) fn list<'de, D, Element, Row>(
    deserializer: D,
    name: &'static str,
    row: impl FnMut(Element) -> Row,
) -> Result<Vec<Row>, D::Error>
where
    D: Deserializer<'de>,
    Element: Deserialize<'de>,
{
    list_up_to(MAX_ROWS, deserializer, name, row)
}

/// Reads a JSON list and turns each element into a row, up to `limit` rows.
pub(super) fn list_up_to<'de, D, Element, Row>(
    limit: usize,
    deserializer: D,
    name: &'static str,
    row: impl FnMut(Element) -> Row,
) -> Result<Vec<Row>, D::Error>
where
    D: Deserializer<'de>,
    Element: Deserialize<'de>,
{
    deserializer.deserialize_seq(ListVisitor { limit, name, row, element: PhantomData })
}

/// A list of values that need no change, such as the column of a table.
pub(super) struct Column<T>(pub(super) Vec<T>);

impl<T> Default for Column<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Column<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        list(deserializer, "rows", |value| value).map(Self)
    }
}

struct ListVisitor<Element, ToRow> {
    limit: usize,
    name: &'static str,
    row: ToRow,
    element: PhantomData<Element>,
}

impl<'de, Element, Row, ToRow> Visitor<'de> for ListVisitor<Element, ToRow>
where
    Element: Deserialize<'de>,
    ToRow: FnMut(Element) -> Row,
{
    type Value = Vec<Row>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "a list of {}", self.name)
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut elements: A) -> Result<Self::Value, A::Error> {
        let mut rows = Vec::new();
        while let Some(element) = elements.next_element()? {
            check_limit::<A::Error>(rows.len(), self.limit, self.name)?;
            rows.push((self.row)(element));
        }
        Ok(rows)
    }
}

/// Reads a JSON object, keeps the order of its entries and turns each into a row, up to
/// [`MAX_ROWS`].
pub(super) fn object<'de, D, Element, Row>(
    deserializer: D,
    name: &'static str,
    row: impl FnMut(String, Element) -> Row,
) -> Result<Vec<Row>, D::Error>
where
    D: Deserializer<'de>,
    Element: Deserialize<'de>,
{
    deserializer.deserialize_map(ObjectVisitor { name, row, element: PhantomData })
}

struct ObjectVisitor<Element, ToRow> {
    name: &'static str,
    row: ToRow,
    element: PhantomData<Element>,
}

impl<'de, Element, Row, ToRow> Visitor<'de> for ObjectVisitor<Element, ToRow>
where
    Element: Deserialize<'de>,
    ToRow: FnMut(String, Element) -> Row,
{
    type Value = Vec<Row>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "an object of {}", self.name)
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut entries: A) -> Result<Self::Value, A::Error> {
        let mut rows = Vec::new();
        while let Some((key, element)) = entries.next_entry()? {
            check_room::<A::Error>(rows.len(), self.name)?;
            rows.push((self.row)(key, element));
        }
        Ok(rows)
    }
}

/// Returns an error if a table with this number of rows has no room for another one.
pub(super) fn check_room<E: Error>(rows: usize, name: &str) -> Result<(), E> {
    check_limit(rows, MAX_ROWS, name)
}

fn check_limit<E: Error>(rows: usize, limit: usize, name: &str) -> Result<(), E> {
    if rows < limit { Ok(()) } else { Err(E::custom(format_args!("there are more than {limit} {name}"))) }
}
