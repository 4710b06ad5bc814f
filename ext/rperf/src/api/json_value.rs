//! Plain values (the `:stat` hash) between Ruby and JSON.

use magnus::value::ReprValue;
use magnus::{Error, Float, Integer, IntoValue, RString, Ruby, Symbol, Value};

/// A Ruby value. Arrays and objects do not occur in `:stat`, and become nil.
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

/// A JSON value: numbers, texts, true and false; null for all else.
pub fn from_ruby(value: Value) -> serde_json::Value {
    if let Some(whole) = Integer::from_value(value) {
        return whole.to_i64().map_or(serde_json::Value::Null, Into::into);
    }
    if let Some(float) = Float::from_value(value) {
        return float.to_f64().into();
    }
    if let Some(text) = RString::from_value(value) {
        return crate::vm::names::utf8(text).into();
    }
    if let Some(name) = Symbol::from_value(value) {
        return name.name().map_or(serde_json::Value::Null, |name| name.into_owned().into());
    }
    let ruby = Ruby::get_with(value);
    if value.equal(ruby.qtrue()).unwrap_or(false) {
        return true.into();
    }
    if value.equal(ruby.qfalse()).unwrap_or(false) { false.into() } else { serde_json::Value::Null }
}
