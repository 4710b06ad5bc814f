//! Reports about profiles that were read from files: from the bytes to text, with no data hash in between.

use magnus::{Class, Error, Module, Object, RModule, RString, Ruby, function, method};
use rperf_core::format;
use rperf_core::profile::{CombineError, Profile};
use rperf_core::report::{self, TopOptions};

use super::{error, page, profile_from};
use crate::vm::without_gvl::without_gvl;

/// `Rperf::Native::Profile`: a profile that was read. It never changes.
#[magnus::wrap(class = "Rperf::Native::Profile", free_immediately)]
pub(super) struct ReadProfile(pub(super) Profile);

/// Defines the class and the methods.
pub fn define(ruby: &Ruby, native: RModule) -> Result<(), Error> {
    native.define_singleton_method("check_beginning", function!(check_beginning, 1))?;
    let class = native.define_class("Profile", ruby.class_object())?;
    class.undef_default_alloc_func();
    class.define_singleton_method("read", function!(read, 1))?;
    class.define_method("start_time_ns", method!(ReadProfile::start_time_ns, 0))?;
    class.define_method("top", method!(top, 1))?;
    class.define_method("top_diff", method!(top_diff, 2))?;
    class.define_method("normalised", method!(normalised, 1))?;
    class.define_method("growth", method!(growth, 2))?;
    page::define(class)
}

/// `Rperf::Native.check_beginning(bytes)`: raises Rperf::Error when no profile begins so.
fn check_beginning(ruby: &Ruby, beginning: RString) -> Result<(), Error> {
    format::check_beginning(&profile_from::bytes(beginning))
        .map_err(|problem| error(ruby, problem.to_string()))
}

/// `Rperf::Native::Profile.read(bytes)`. Raises Rperf::Error when the bytes are no profile.
fn read(ruby: &Ruby, bytes: RString) -> Result<ReadProfile, Error> {
    let bytes = profile_from::bytes(bytes);
    let profile = without_gvl(ruby, || format::decode(&bytes));
    profile.map(ReadProfile).map_err(|problem| error(ruby, problem.to_string()))
}

/// `profile.top(started)`: its functions by their own weight; `started` is the start for people to read, or nil.
fn top(ruby: &Ruby, profile: &ReadProfile, started: Option<String>) -> Result<String, Error> {
    let options = TopOptions { started, ..TopOptions::default() };
    combined(ruby, || report::top(&profile.0, &options))
}

/// `profile.top_diff(base, started)`: the same for this profile minus `base`.
fn top_diff(
    ruby: &Ruby,
    profile: &ReadProfile,
    base: &ReadProfile,
    started: Option<String>,
) -> Result<String, Error> {
    let options = TopOptions { started, ..TopOptions::default() };
    combined(ruby, || report::top_diff(&base.0, &profile.0, &options))
}

/// `profile.normalised(base)`: this profile scaled to the total of `base`.
fn normalised(ruby: &Ruby, profile: &ReadProfile, base: &ReadProfile) -> Result<ReadProfile, Error> {
    combined(ruby, || profile.0.normalised(&base.0)).map(ReadProfile)
}

/// `profile.growth(base, percent)`: a line for each function that weighs more than `percent` of the base's total
/// more than in `base`, and one for the total.
fn growth(
    ruby: &Ruby,
    profile: &ReadProfile,
    base: &ReadProfile,
    percent: f64,
) -> Result<Vec<String>, Error> {
    combined(ruby, || report::growth(&base.0, &profile.0, percent))
}

/// Runs it without the GVL.
fn combined<T>(ruby: &Ruby, report: impl FnOnce() -> Result<T, CombineError>) -> Result<T, Error> {
    without_gvl(ruby, report).map_err(|problem| error(ruby, problem.to_string()))
}

impl ReadProfile {
    /// `profile.start_time_ns`: nanoseconds since 1970; 0 when unknown.
    fn start_time_ns(&self) -> i64 {
        self.0.meta.start_time_ns
    }
}
