//! From one format to another, and several profiles to one, with no data hash in between.

use magnus::typed_data::Obj;
use magnus::{Error, Module, Object, RArray, RClass, RString, Ruby, Symbol, TryConvert, function, method};
use rperf_core::profile::{self, Source};

use super::report::ReadProfile;
use super::{error, formats};
use crate::vm::without_gvl::without_gvl;

/// Defines the methods of `Rperf::Native::Profile`.
pub fn define(class: RClass) -> Result<(), Error> {
    class.define_method("encode", method!(encode, 1))?;
    class.define_singleton_method("merge", function!(merge, 1))
}

/// `profile.encode(format)`: the bytes of a file.
fn encode(ruby: &Ruby, profile: &ReadProfile, format: Symbol) -> Result<RString, Error> {
    formats::encoded(ruby, &profile.0, formats::named(ruby, format)?)
}

/// `Profile.merge(profiles)`: one profile for several; threads stay apart. Raises Rperf::Error when they measure
/// different things.
fn merge(ruby: &Ruby, profiles: RArray) -> Result<ReadProfile, Error> {
    let profiles: Vec<Obj<ReadProfile>> =
        profiles.into_iter().map(TryConvert::try_convert).collect::<Result<_, _>>()?;
    let sources: Vec<Source<'_>> = profiles.iter().map(|profile| Source::from(&profile.0)).collect();
    let merged = without_gvl(ruby, || profile::merge(&sources));
    merged.map(ReadProfile).map_err(|problem| error(ruby, problem.to_string()))
}
