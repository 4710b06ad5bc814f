//! Files that appear whole or not at all.

use std::io::{self, Write};

use magnus::{Error, Object, RModule, RString, Ruby, function};

use super::{error, profile_from};
use crate::os::whole_file;

/// Defines what the beginning of a session needs.
pub fn define_beginning(native: RModule) -> Result<(), Error> {
    native.define_singleton_method("write_whole", function!(write_whole, 3))
}

/// Defines the question about a path.
pub fn define(native: RModule) -> Result<(), Error> {
    native.define_singleton_method("file_kind", function!(kind, 1))
}

/// `Rperf::Native.write_whole(beside, path, bytes)`: nil, or the number of the system's error.
///
/// Keeps the GVL: at the end of a process, giving it up costs a time slice of every busy thread
/// each time.
fn write_whole(ruby: &Ruby, beside: RString, path: RString, bytes: RString) -> Result<Option<i32>, Error> {
    let bytes = profile_from::bytes(bytes);
    let [beside, path] = [beside, path].map(profile_from::bytes);
    result(ruby, whole_file::write_whole(beside, path, |file| file.write_all(&bytes)))
}

/// `Rperf::Native.file_kind(path)`: "file", "directory" or "special" (a device, a pipe, a socket),
/// links followed, or nil; and whether it is a symbolic link. Keeps the GVL, as Ruby's own methods
/// do not.
fn kind(path: RString) -> (Option<&'static str>, bool) {
    let (kind, is_link) = whole_file::kind(profile_from::bytes(path));
    let name = kind.map(|kind| match kind {
        kind if kind.is_file() => "file",
        kind if kind.is_dir() => "directory",
        _ => "special",
    });
    (name, is_link)
}

/// What Ruby gets: nil, or the number of the system's error. Raises Rperf::Error where it was not
/// the system that failed.
pub fn result(ruby: &Ruby, written: io::Result<()>) -> Result<Option<i32>, Error> {
    let Err(problem) = written else { return Ok(None) };
    problem.raw_os_error().map(Some).ok_or_else(|| error(ruby, problem.to_string()))
}
