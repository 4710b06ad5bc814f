//! Conversion of plain values, such as those of the `:stat` hash, from JSON to Ruby.

use magnus::value::ReprValue;
use magnus::{Error, IntoValue, Ruby, Value};

/// Returns a Ruby value. Arrays and objects do not occur in `:stat`, and become nil.
pub fn to_ruby(ruby: &Ruby, value: &serde_json::Value) -> Result<Value, Error> {
    Ok(match value {
        serde_json::Value::Bool(truth) => truth.into_value_with(ruby),
        serde_json::Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => whole.into_value_with(ruby),
            (None, float) => float.into_value_with(ruby),
        },
        serde_json::Value::String(text) => text.as_str().into_value_with(ruby),
        _ => ruby.qnil().as_value(),
    })
}
