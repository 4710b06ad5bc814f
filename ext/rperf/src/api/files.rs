//! Files that appear whole or not at all.

use std::io::{self, Write};

use magnus::{Error, Object, RArray, RModule, RString, Ruby, function};

use super::error;
use crate::os::whole_file;
use crate::vm::names;
use crate::vm::without_gvl::without_gvl;

/// Defines the method that the beginning of a session needs.
pub fn define_beginning(native: RModule) -> Result<(), Error> {
    native.define_singleton_method("write_whole", function!(write_whole, 3))
}

/// Defines the methods for private files, for names in directories, and for the kind of a path.
pub fn define(native: RModule) -> Result<(), Error> {
    native.define_singleton_method("write_private", function!(write_private, 3))?;
    native.define_singleton_method("names_in", function!(names_in, 1))?;
    native.define_singleton_method("file_kind", function!(kind, 1))
}

/// `Rperf::Native.write_whole(beside, path, bytes)`: returns nil or the number of a system error.
///
/// Keeps the GVL: at the end of a process, each release of the GVL costs a time slice of every busy
/// thread.
fn write_whole(ruby: &Ruby, beside: RString, path: RString, bytes: RString) -> Result<Option<i32>, Error> {
    result(ruby, writing(beside, path, bytes, whole_file::FOR_ALL)())
}

/// `Rperf::Native.write_private(beside, path, bytes)`: writes a file that only this user can read,
/// in one go without the GVL. Returns nil or the number of a system error.
fn write_private(ruby: &Ruby, beside: RString, path: RString, bytes: RString) -> Result<Option<i32>, Error> {
    result(ruby, without_gvl(ruby, writing(beside, path, bytes, whole_file::PRIVATE))?)
}

/// Returns a function, which needs no GVL, that writes a file with these permissions.
fn writing(beside: RString, path: RString, bytes: RString, mode: u32) -> impl FnOnce() -> io::Result<()> {
    let [beside, path, bytes] = [beside, path, bytes].map(names::bytes);
    move || whole_file::write_whole(beside, path, mode, |file| file.write_all(&bytes))
}

/// `Rperf::Native.names_in(path)`: returns the names in a directory; none where it cannot be read.
/// Keeps the GVL: Ruby's own methods release it for each name.
fn names_in(ruby: &Ruby, path: RString) -> RArray {
    let found = whole_file::names_in(names::bytes(path));
    ruby.ary_from_iter(found.iter().map(|name| ruby.enc_str_new(name, ruby.utf8_encoding())))
}

/// `Rperf::Native.file_kind(path)`: returns "file", "directory" or "special" (a device, a pipe, a
/// socket), links followed, or nil; and whether the path is a symbolic link. Keeps the GVL, unlike
/// Ruby's own methods.
fn kind(path: RString) -> (Option<&'static str>, bool) {
    let (kind, is_link) = whole_file::kind(names::bytes(path));
    let name = kind.map(|kind| match kind {
        kind if kind.is_file() => "file",
        kind if kind.is_dir() => "directory",
        _ => "special",
    });
    (name, is_link)
}

/// Returns nil, or the number of the system's error, to Ruby. Raises Rperf::Error if the error is
/// not the system's.
pub fn result(ruby: &Ruby, written: io::Result<()>) -> Result<Option<i32>, Error> {
    let Err(problem) = written else { return Ok(None) };
    problem.raw_os_error().map(Some).ok_or_else(|| error(ruby, problem.to_string()))
}
