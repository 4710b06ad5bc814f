//! From one format to another, with no data hash in between.

use magnus::{Error, Module, RClass, RString, Ruby, Symbol, method};

use super::formats;
use super::report::ReadProfile;

/// Defines the method of `Rperf::Native::Profile`.
pub fn define(class: RClass) -> Result<(), Error> {
    class.define_method("encode", method!(encode, 1))
}

/// `profile.encode(format)`: the bytes of a file.
fn encode(ruby: &Ruby, profile: &ReadProfile, format: Symbol) -> Result<RString, Error> {
    formats::encoded(ruby, &profile.0, formats::named(ruby, format)?)
}
