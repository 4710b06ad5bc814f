//! Reports about profiles as text, made without a data hash.

use hashbrown::HashMap;
use magnus::{
    Class, Error, Module, Object, RArray, RHash, RModule, RString, Ruby, TryConvert, Value, function, method,
};
use rperf_core::format;
use rperf_core::query::Selection;
use rperf_core::report::{self, Growth, Report, SourceText, Subject, Surroundings};

use super::native_profile::{NativeProfile, know_class};
use super::{error, parts, report_options};
use crate::vm::names;
use crate::vm::without_gvl::without_gvl;

/// `Rperf::Native::Report`: the validated options of a report.
#[magnus::wrap(class = "Rperf::Native::Report", free_immediately)]
struct ReadyReport(Report);

/// Defines the classes and the methods.
pub fn define(ruby: &Ruby, native: RModule) -> Result<(), Error> {
    native.define_singleton_method("check_beginning", function!(check_beginning, 1))?;
    native.define_singleton_method("shortened", function!(shortened, 2))?;
    native.define_singleton_method("name_and_path", function!(name_and_path, 3))?;
    let class = native.define_class("Report", ruby.class_object())?;
    class.undef_default_alloc_func();
    know_class::<ReadyReport>(ruby);
    class.define_singleton_method("new", function!(new, 1))?;
    class.define_method("paths", method!(ReadyReport::paths, 1))?;
    class.define_method("candidates", method!(ReadyReport::candidates, 1))?;
    class.define_method("write", method!(write, 4))?;
    class.define_method("select", method!(select, 1))?;
    class.define_method("growth", method!(growth, 3))
}

/// `Rperf::Native.check_beginning(bytes)`: raises Rperf::Error if no profile begins with them.
fn check_beginning(ruby: &Ruby, beginning: RString) -> Result<(), Error> {
    format::check_beginning(&names::bytes(beginning)).map_err(|problem| error(ruby, problem.to_string()))
}

/// `Rperf::Native.shortened(name, width)`: returns a name with at most `width` characters, cut as
/// in reports.
fn shortened(name: RString, width: usize) -> String {
    report::shortened(&names::utf8(name), width).into_owned()
}

/// `Rperf::Native.name_and_path(name, path, width)`: returns "name (path)" with at most `width`
/// characters, cut as in the text format.
fn name_and_path(name: RString, path: RString, width: usize) -> String {
    format::name_and_path(&names::utf8(name), &names::utf8(path), width)
}

/// `report.select(profile)`: returns the profile after the report's filters, and the filters that
/// match nothing.
fn select(
    ruby: &Ruby,
    report: &ReadyReport,
    profile: &NativeProfile,
) -> Result<(NativeProfile, Vec<String>), Error> {
    let selection = without_gvl(ruby, || {
        let Selection { profile, unmatched } = report.0.select(&profile.0);
        (profile.into_owned(), unmatched)
    })?;
    Ok((NativeProfile::new(selection.0), owned(selection.1)))
}

/// `report.growth(profile, base, percent)`: returns lines about the total and about each function
/// that weighs more than in `base`, by more than `percent` of the base's total and beyond chance; a
/// line about growth by chance, or nil; the filters that match nothing; and whether the filters
/// leave nothing of `profile` alone. Raises Rperf::Error, also if there is nothing to compare.
fn growth(
    ruby: &Ruby,
    report: &ReadyReport,
    profile: &NativeProfile,
    base: &NativeProfile,
    percent: f64,
) -> Result<Grown, Error> {
    let subject = Subject::difference(&base.0, &profile.0);
    let growth = without_gvl(ruby, || report.0.growth(&subject, percent))?;
    let Growth { lines, by_chance, unmatched, is_gone } =
        growth.map_err(|problem| error(ruby, problem.to_string()))?;
    Ok((lines, by_chance, owned(unmatched), is_gone))
}

/// Return value of `report.growth`.
type Grown = (Vec<String>, Option<String>, Vec<String>, bool);

/// `Rperf::Native::Report.new(options)`: validates options. Raises ArgumentError with a sentence if
/// an option is invalid.
fn new(ruby: &Ruby, options: RHash) -> Result<ReadyReport, Error> {
    let options = report_options::from_hash(ruby, options)?;
    Report::parse(&options)
        .map(ReadyReport)
        .map_err(|problem| Error::new(ruby.exception_arg_error(), problem.to_string()))
}

impl ReadyReport {
    /// `report.paths(profile)`: returns the source files whose text the report shows.
    fn paths(&self, profile: &NativeProfile) -> Vec<String> {
        owned(self.0.paths(&Subject::profile(&profile.0)))
    }

    /// `report.candidates(profile)`: returns all existing names if the name that is asked for does
    /// not exist, or else nil.
    fn candidates(&self, profile: &NativeProfile) -> Option<Vec<String>> {
        self.0.candidates(&Subject::profile(&profile.0)).map(owned)
    }
}

fn owned(names: Vec<&str>) -> Vec<String> {
    names.into_iter().map(str::to_owned).collect()
}

/// `report.write(profile, base, started, sources) { |part, unmatched| ... }`: yields the text in
/// parts, each with the filters that match nothing. Nothing is yielded if it fails.
///
/// `base` is subtracted if it is not nil. `started` is the start as text for people, or nil.
/// `sources` has, for each path, the text and whether the file was changed since the recording, or
/// a String with the reason why it cannot be shown. Raises Rperf::Error.
fn write(
    ruby: &Ruby,
    report: &ReadyReport,
    profile: &NativeProfile,
    base: Option<&NativeProfile>,
    started: Option<String>,
    sources: RHash,
) -> Result<(), Error> {
    let sources = source_texts(sources)?;
    let subject = match base {
        Some(base) => Subject::difference(&base.0, &profile.0),
        None => Subject::profile(&profile.0),
    };
    let surroundings = Surroundings { started, sources };
    let (report, block) = (&report.0, ruby.block_proc()?);
    let make = |sink: parts::Sink<'_, (Vec<u8>, Vec<&'static str>)>| {
        report.write(&subject, surroundings, &mut |part, unmatched| sink((part, unmatched.to_vec())))
    };
    let written = parts::each_part(ruby, make, |(part, unmatched)| {
        block.call::<_, Value>((parts::string(ruby, &part, true), owned(unmatched))).map(drop)
    })?;
    written.map(drop).map_err(|problem| error(ruby, problem.to_string()))
}

fn source_texts(sources: RHash) -> Result<HashMap<String, SourceText>, Error> {
    let mut texts = HashMap::new();
    sources.foreach(|path: String, source: Value| {
        let source = match RArray::from_value(source) {
            Some(pair) => SourceText::Text {
                text: String::from_utf8_lossy(&names::bytes(pair.entry(0)?)).into_owned(),
                changed: pair.entry(1)?,
            },
            None => SourceText::Missing(TryConvert::try_convert(source)?),
        };
        texts.insert(path, source);
        Ok(magnus::r_hash::ForEach::Continue)
    })?;
    Ok(texts)
}
