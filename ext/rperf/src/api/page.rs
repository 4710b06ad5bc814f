//! Data of a profile for the page that shows it in the browser.

use magnus::value::ReprValue;
use magnus::{Error, Module, RArray, RClass, RString, Ruby, TryConvert, Value, method};
use rperf_core::page::{self, Local, PageOptions, Source};

use super::error;
use super::native_profile::NativeProfile;
use crate::vm::names::utf8;
use crate::vm::without_gvl::without_gvl;

/// Defines the methods of `Rperf::Native::Profile`.
pub fn define(class: RClass) -> Result<(), Error> {
    class.define_method("hot_lines", method!(hot_lines, 1))?;
    class.define_method("page", method!(page, 5))
}

/// `profile.hot_lines(base)`: returns `[[path, [[label, start_line, [line, ...]], ...]], ...]` of
/// this profile and `base` (or nil), the most heavily used files, functions and lines first.
fn hot_lines(ruby: &Ruby, profile: &NativeProfile, base: Option<&NativeProfile>) -> Result<RArray, Error> {
    let profiles: Vec<_> = std::iter::once(&**profile.0).chain(base.map(|base| &**base.0)).collect();
    let files = without_gvl(ruby, || page::hot_lines(&profiles))?;
    Ok(ruby.ary_from_iter(files.into_iter().map(|file| {
        let functions = file.functions.into_iter();
        (
            file.path,
            ruby.ary_from_iter(
                functions.map(|function| (function.label, function.start_line, function.lines)),
            ),
        )
    })))
}

/// `profile.page(base, title, [normalise, idle], sources, local)`: returns the page's data as JSON
/// that is safe in a `<script>`. `base` may be nil; sources are
/// `[[path, state, [[line, text], ...]], ...]`; local is nil or `[[[address, name], ...], editor,
/// repository, paths]`. Raises Rperf::Error if the profiles cannot be compared.
fn page(
    ruby: &Ruby,
    profile: &NativeProfile,
    base: Option<&NativeProfile>,
    title: RString,
    (normalise, idle): (bool, bool),
    sources: RArray,
    local: Option<RArray>,
) -> Result<String, Error> {
    let sources = sources.into_iter().map(source).collect::<Result<_, _>>()?;
    let local = local.map(self::local).transpose()?;
    let options = PageOptions { title: utf8(title), normalise, idle, sources, local };
    without_gvl(ruby, || page::page(&profile.0, base.map(|base| &**base.0), &options))?
        .map_err(|problem| error(ruby, problem.to_string()))
}

fn local(fields: RArray) -> Result<Local, Error> {
    let (downloads, editor, repository, paths) =
        <(Vec<(String, String)>, Option<String>, Option<String>, bool)>::try_convert(fields.as_value())?;
    Ok(Local { downloads, editor, repository, paths })
}

fn source(value: Value) -> Result<Source, Error> {
    let (path, state, lines) = <(RString, RString, RArray)>::try_convert(value)?;
    Ok(Source {
        path: utf8(path),
        state: utf8(state),
        lines: lines.into_iter().map(line).collect::<Result<_, _>>()?,
    })
}

fn line(value: Value) -> Result<(u32, String), Error> {
    let (number, text) = <(u32, RString)>::try_convert(value)?;
    Ok((number, utf8(text)))
}
