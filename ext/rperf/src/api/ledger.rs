//! The ledger of units of work as Arrays of Hashes, one for each kind and name.

use magnus::value::ReprValue;
use magnus::{Error, Object, RArray, RModule, Ruby, Symbol, Value, function};
use rperf_core::format::LedgerRow;
use rperf_core::work::Ledger;
use serde_json::Value as Json;

use super::field::Field;
use super::json_value;
use crate::session::ledgers;

/// Description of a valid row, for errors.
const ROW: &str = "a Hash as the data's ledger has them";

/// Defines the methods.
pub fn define(native: RModule) -> Result<(), Error> {
    native.define_singleton_method("ledger", function!(all, 0))
}

/// `Rperf::Native.ledger`: returns the rows of all sessions of this process so far.
fn all(ruby: &Ruby) -> Result<RArray, Error> {
    rows(ruby, &ledgers::all())
}

/// Returns `[{kind:, label:, name:, units:, errors:, wall_ns:, ...}, ...]`: kind, label as Symbols.
pub fn rows(ruby: &Ruby, ledger: &Ledger) -> Result<RArray, Error> {
    let list = ruby.ary_new();
    for row in LedgerRow::all(ledger) {
        let Ok(Json::Object(fields)) = serde_json::to_value(row) else { continue };
        let hash = ruby.hash_new();
        for (key, value) in &fields {
            hash.aset(ruby.to_symbol(key), field(ruby, key, value)?)?;
        }
        hash.freeze();
        list.push(hash)?;
    }
    Ok(list)
}

fn field(ruby: &Ruby, key: &str, value: &Json) -> Result<Value, Error> {
    match (key, value) {
        ("kind" | "label", Json::String(text)) => Ok(ruby.to_symbol(text).as_value()),
        (_, Json::Array(counts)) => {
            let list = ruby.ary_new_capa(counts.len());
            counts.iter().try_for_each(|count| list.push(json_value::to_ruby(ruby, count)?))?;
            Ok(list.as_value())
        }
        (_, plain) => json_value::to_ruby(ruby, plain),
    }
}

/// Returns a ledger with only the row that a Hash describes.
pub fn row(field: &Field<'_>) -> Result<Ledger, Error> {
    let mut fields = serde_json::Map::new();
    field.hash(ROW)?.foreach(|key: Symbol, value: Value| {
        let field = Field { value, ..*field };
        let value = match RArray::from_value(value) {
            Some(counts) => {
                counts.into_iter().map(|value| Field { value, ..field }.plain()).collect::<Result<_, _>>()?
            }
            None => field.plain()?,
        };
        fields.insert(key.name()?.into_owned(), value);
        Ok(magnus::r_hash::ForEach::Continue)
    })?;
    let mut ledger = Ledger::default();
    let row = serde_json::from_value::<LedgerRow<'_>>(Json::Object(fields)).ok();
    row.and_then(|row| row.add_to(&mut ledger)).ok_or_else(|| field.must_be(ROW))?;
    Ok(ledger)
}
