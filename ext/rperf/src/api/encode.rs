//! Encoding of a profile to the bytes of a file, without the GVL.

use std::io::{self, Write};
use std::ops::ControlFlow;

use magnus::{Error, Module, Object, RClass, RModule, RString, Ruby, Symbol, Value, function, method};
use rperf_core::format::{self, Encoding, Format};
use rperf_core::profile::Profile;

use super::native_profile::NativeProfile;
use super::{check_memory, error, files, parts};
use crate::os::whole_file;
use crate::session::FOR_PROFILE;
use crate::vm::names;
use crate::vm::slices::Pace;
use crate::vm::without_gvl::without_gvl;

/// Defines the methods of `Rperf::Native::Profile`, and one of `Rperf::Native`.
pub fn define(native: RModule, class: RClass) -> Result<(), Error> {
    class.define_method("bytes", method!(bytes, 3))?;
    class.define_method("text", method!(text, 2))?;
    class.define_method("encode", method!(encode, 3))?;
    class.define_method("write_whole", method!(write_whole, 6))?;
    native.define_singleton_method("to_pprof", function!(to_pprof, 1))
}

/// Returns the encoding of a format's name, perhaps in gzip, if there is memory for it. `idle`:
/// texts for people include the time in which threads waited for work.
fn encoding(ruby: &Ruby, format: Symbol, gzipped: bool, idle: bool) -> Result<Encoding, Error> {
    check_memory(ruby, FOR_PROFILE)?;
    let name = format.name()?;
    let format =
        Format::from_name(&name).ok_or_else(|| error(ruby, format!("there is no format '{name}'")))?;
    let encoding = if gzipped { format.gzipped() } else { format.into() };
    Ok(encoding.with_idle(idle))
}

/// `profile.bytes(format, gzipped, idle)`: returns the bytes of a file in one piece. Text is UTF-8.
/// Raises Rperf::Error.
fn bytes(
    ruby: &Ruby,
    profile: &NativeProfile,
    format: Symbol,
    gzipped: bool,
    idle: bool,
) -> Result<RString, Error> {
    whole(ruby, profile, encoding(ruby, format, gzipped, idle)?)
}

/// `profile.text(idle, columns)`: returns the text format, with rows that fit on a terminal of this
/// width; of any width if it is nil. Raises Rperf::Error.
fn text(ruby: &Ruby, profile: &NativeProfile, idle: bool, columns: Option<usize>) -> Result<RString, Error> {
    whole(ruby, profile, Encoding::from(Format::Text).with_idle(idle).with_columns(columns))
}

/// Returns the bytes of a file in one piece.
fn whole(ruby: &Ruby, profile: &NativeProfile, encoding: Encoding) -> Result<RString, Error> {
    let mut made = Vec::new();
    let encoded = without_gvl(ruby, || {
        format::write(&profile.0, encoding, &mut |part| {
            made.push(part);
            ControlFlow::Continue(())
        })
    })?;
    encoded.map_err(|problem| error(ruby, problem.to_string()))?;
    let bytes = parts::string(ruby, &[], encoding.is_text());
    // Each part is freed when it has been copied.
    made.into_iter().for_each(|part| bytes.cat(part));
    Ok(bytes)
}

/// `profile.encode(format, gzipped, idle) { |part| ... }`: yields the bytes of a file in parts.
/// Raises Rperf::Error before the first part.
fn encode(
    ruby: &Ruby,
    profile: &NativeProfile,
    format: Symbol,
    gzipped: bool,
    idle: bool,
) -> Result<(), Error> {
    let encoding = encoding(ruby, format, gzipped, idle)?;
    let (profile, block) = (&profile.0, ruby.block_proc()?);
    let make = |sink: parts::Sink<'_, Vec<u8>>| format::write(profile, encoding, sink);
    let encoded = parts::each_part(ruby, make, |part| {
        block.call::<_, Value>((parts::string(ruby, &part, encoding.is_text()),)).map(drop)
    })?;
    encoded.map_err(|problem| error(ruby, problem.to_string()))
}

/// `profile.write_whole(beside, path, format, gzipped, idle, at_end)`: makes the file at `beside`
/// and renames it to `path`. Returns nil, or the number of the system's error. Raises Rperf::Error
/// if the profile cannot be encoded.
///
/// The file is written part by part, in one go without the GVL. At the end of a program the GVL is
/// kept: other threads do not run then, and busy threads are not waited for.
#[expect(clippy::too_many_arguments, reason = "Ruby passes them by position")]
fn write_whole(
    ruby: &Ruby,
    profile: &NativeProfile,
    beside: RString,
    path: RString,
    format: Symbol,
    gzipped: bool,
    idle: bool,
    at_end: bool,
) -> Result<Option<i32>, Error> {
    let encoding = encoding(ruby, format, gzipped, idle)?;
    let [beside, path] = [beside, path].map(names::bytes);
    let pace = if at_end { Pace::AtOnce } else { Pace::Sliced };
    let written = pace.aside(ruby, || {
        whole_file::write_whole(beside, path, whole_file::FOR_ALL, |file| {
            write_parts(&profile.0, encoding, file)
        })
    })?;
    files::result(ruby, written)
}

fn write_parts(profile: &Profile, encoding: Encoding, file: &mut impl Write) -> io::Result<()> {
    let mut written = Ok(());
    let encoded = format::write(profile, encoding, &mut |part| {
        written = file.write_all(&part);
        if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    encoded.map_err(io::Error::other)?;
    written
}

/// `Rperf::Native.to_pprof(bytes)`: returns the same profile for Go's pprof. A profile of pprof is
/// returned unchanged. Raises Rperf::Error if the bytes are not a profile.
fn to_pprof(ruby: &Ruby, bytes: RString) -> Result<RString, Error> {
    let bytes = names::bytes(bytes);
    let converted = without_gvl(ruby, || {
        let profile = format::decode(&bytes).map_err(|problem| problem.to_string())?;
        if format::is_pprof(&bytes) {
            return Ok(bytes);
        }
        format::encode(&profile, Format::Pprof).map_err(|problem| problem.to_string())
    })?;
    converted.map(|bytes| ruby.str_from_slice(&bytes)).map_err(|problem: String| error(ruby, problem))
}
