//! Checked values of the data hash. An error describes a wrong value in one sentence.

use std::fmt::Display;

use magnus::value::{Qfalse, Qtrue, ReprValue};
use magnus::{Error, Float, Integer, RArray, RHash, RString, Ruby, Symbol, Value};

use crate::vm::names::utf8;

/// Maximum number of letters of a wrong value in an error.
const SHOWN: usize = 60;

/// A value with the words for its place, such as "the data's frequency".
#[derive(Clone, Copy)]
pub struct Field<'a> {
    pub ruby: &'a Ruby,
    pub place: &'a dyn Display,
    pub value: Value,
}

impl Field<'_> {
    /// Returns an ArgumentError. `what`: description of a valid value.
    pub fn must_be(&self, what: &str) -> Error {
        let inspected = self.value.inspect().replace(|letter: char| letter.is_control(), " ");
        let mut shown: String = inspected.chars().take(SHOWN).collect();
        if shown.len() < inspected.len() {
            shown.push_str("...");
        }
        let message = format!("{} must be {what}, not {shown}", self.place);
        Error::new(self.ruby.exception_arg_error(), message)
    }

    /// Returns the result of `read`, or `None` for nil.
    pub fn optional<T>(&self, read: impl FnOnce(&Self) -> Result<T, Error>) -> Result<Option<T>, Error> {
        if self.value.is_nil() { Ok(None) } else { read(self).map(Some) }
    }

    /// Returns a whole number of 63 bits: weights, times and counts.
    pub fn count(&self) -> Result<u64, Error> {
        let count = self.integer().and_then(|number| u64::try_from(number).ok());
        count.ok_or_else(|| self.must_be("a whole number from 0 to 2^63 - 1"))
    }

    /// Returns a whole number of 32 bits: frequencies, threads, lines.
    pub fn small(&self) -> Result<u32, Error> {
        let small = self.integer().and_then(|number| u32::try_from(number).ok());
        small.ok_or_else(|| self.must_be("a whole number from 0 to 2^32 - 1"))
    }

    /// Returns a moment, in nanoseconds since 1970.
    pub fn moment(&self) -> Result<i64, Error> {
        self.integer().ok_or_else(|| self.must_be("a whole number of nanoseconds since 1970"))
    }

    /// Returns an Integer of 64 bits, if it is one. Ruby would convert a Float to one, too.
    pub fn integer(&self) -> Option<i64> {
        Integer::from_value(self.value).and_then(|number| number.to_i64().ok())
    }

    pub fn text(&self) -> Result<String, Error> {
        RString::from_value(self.value).map(utf8).ok_or_else(|| self.must_be("a String"))
    }

    pub fn symbol(&self) -> Result<String, Error> {
        let symbol = Symbol::from_value(self.value).ok_or_else(|| self.must_be("a Symbol"))?;
        Ok(symbol.name()?.into_owned())
    }

    /// Returns a name that may be a Symbol or a String.
    pub fn key(&self) -> Result<String, Error> {
        let is_name = Symbol::from_value(self.value).is_some() || RString::from_value(self.value).is_some();
        if is_name { Ok(utf8(self.value.to_r_string()?)) } else { Err(self.must_be("a Symbol or a String")) }
    }

    pub fn array(&self, what: &str) -> Result<RArray, Error> {
        RArray::from_value(self.value).ok_or_else(|| self.must_be(what))
    }

    pub fn hash(&self, what: &str) -> Result<RHash, Error> {
        RHash::from_value(self.value).ok_or_else(|| self.must_be(what))
    }

    /// Returns the value as plain JSON. nil and Floats that are not finite become null.
    pub fn plain(&self) -> Result<serde_json::Value, Error> {
        if let Some(number) = self.integer() {
            return Ok(number.into());
        }
        if let Some(number) = Float::from_value(self.value) {
            return Ok(number.to_f64().into());
        }
        if RString::from_value(self.value).is_some() || Symbol::from_value(self.value).is_some() {
            return Ok(self.key()?.into());
        }
        match (self.value.is_nil(), self.truth()) {
            (true, _) => Ok(serde_json::Value::Null),
            (false, Some(truth)) => Ok(truth.into()),
            (false, None) => Err(self.must_be("a number, a String, a Symbol, true, false or nil")),
        }
    }

    /// Returns true or false, if the value is one of them.
    pub fn truth(&self) -> Option<bool> {
        let is_true = Qtrue::from_value(self.value).map(|_| true);
        is_true.or_else(|| Qfalse::from_value(self.value).map(|_| false))
    }
}
