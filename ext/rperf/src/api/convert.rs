//! From one format to another, and filters, with no data hash in between.

use std::borrow::Cow;

use magnus::{Error, Module, RClass, RHash, RString, Ruby, Symbol, method};
use rperf_core::query::{Query, Selection};

use super::report::ReadProfile;
use super::{formats, report_options};
use crate::vm::without_gvl::without_gvl;

/// Defines the methods of `Rperf::Native::Profile`.
pub fn define(class: RClass) -> Result<(), Error> {
    class.define_method("encode", method!(encode, 1))?;
    class.define_method("filter", method!(filter, 1))
}

/// `profile.encode(format)`: the bytes of a file.
fn encode(ruby: &Ruby, profile: &ReadProfile, format: Symbol) -> Result<RString, Error> {
    formats::encoded(ruby, &profile.0, formats::named(ruby, format)?)
}

/// `profile.filter(options)`: the profile that these filters leave, and the options that match nothing in it. Raises
/// ArgumentError with a sentence when an option makes no sense.
fn filter(ruby: &Ruby, profile: &ReadProfile, options: RHash) -> Result<(ReadProfile, Vec<String>), Error> {
    let query = Query::parse(&report_options::query(ruby, options)?)
        .map_err(|problem| Error::new(ruby.exception_arg_error(), problem.to_string()))?;
    let Selection { profile, unmatched } = without_gvl(ruby, || query.apply(Cow::Owned(profile.0.clone())));
    Ok((ReadProfile(profile.into_owned()), unmatched.into_iter().map(str::to_owned).collect()))
}
