//! Files of rperf's Ruby code that are read when a process begins, and run when it ends or forks.
//!
//! By then the program may have no way to them (chroot, other rights, no file descriptors left).
//! And Ruby gives up the GVL several times to load a file: beside busy threads each time takes a
//! time slice of every one of them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use magnus::{Error, Object, RArray, RModule, Ruby, function};

use super::error;
use crate::os::sync::Lock;

/// Path and text, what is required before what requires it.
static KEPT: Lock<Vec<(PathBuf, String)>> = Lock::new(Vec::new());

/// Defines the method.
pub fn define(native: RModule) -> Result<(), Error> {
    native.define_singleton_method("sources", function!(sources, 1))
}

/// `Rperf::Native.sources(path)`: reads a Ruby file, and those that it requires by a path, and
/// returns nil; with nil the files that were read: `[[path, text], ...]`, to be run in this order.
/// Raises Rperf::Error where one cannot be read.
fn sources(ruby: &Ruby, path: Option<String>) -> Result<Option<RArray>, Error> {
    let Some(path) = path else {
        // No lock is held while Ruby objects are made.
        let kept = KEPT.lock().clone();
        let files = kept.into_iter().map(|(path, text)| (path.to_string_lossy().into_owned(), text));
        return Ok(Some(ruby.ary_from_iter(files)));
    };
    let mut files = Vec::new();
    read(Path::new(&path), &mut Vec::new(), &mut files)
        .map_err(|problem| error(ruby, format!("cannot read '{path}': {problem}")))?;
    *KEPT.lock() = files;
    Ok(None)
}

/// Reads a file, after those that it requires. `begun`: those that are known.
fn read(path: &Path, begun: &mut Vec<PathBuf>, files: &mut Vec<(PathBuf, String)>) -> io::Result<()> {
    let path = fs::canonicalize(path)?;
    if begun.contains(&path) {
        return Ok(());
    }
    begun.push(path.clone());
    let text = fs::read_to_string(&path)?;
    for name in text.lines().filter_map(required) {
        read(&path.with_file_name(name).with_extension("rb"), begun, files)?;
    }
    // Their lines stay, empty, so that others have their numbers.
    let lines = text.lines().map(|line| if required(line).is_some() { "" } else { line });
    let text = lines.flat_map(|line| [line, "\n"]).collect();
    files.push((path, text));
    Ok(())
}

/// The name of the file that a line requires when its own file is loaded: not in a method, and
/// under no condition.
fn required(line: &str) -> Option<&str> {
    line.strip_prefix("require_relative \"")?.strip_suffix('"')
}
