//! Files of rperf's Ruby code that are read when a process begins, and run when it ends or forks.
//!
//! By then the program may be unable to read them (chroot, other rights, no file descriptors left).
//! Ruby also gives up the GVL several times to load a file. Each time costs a time slice of every
//! busy thread.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use magnus::{Error, Object, RArray, RModule, Ruby, function};

use super::error;
use crate::os::sync::Lock;

/// Paths and texts. A required file comes before the files that require it.
static KEPT: Lock<Vec<(PathBuf, String)>> = Lock::new(Vec::new());

/// Defines the method.
pub fn define(native: RModule) -> Result<(), Error> {
    native.define_singleton_method("sources", function!(sources, 1))
}

/// `Rperf::Native.sources(path)`: reads a Ruby file and the files that it requires by a path, and
/// returns nil. With nil, returns these files, `[[path, text], ...]`, to be run in this order.
/// Raises Rperf::Error if a file cannot be read.
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

/// Reads a file, after the files that it requires. `begun`: files whose reading has begun.
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
    // Lines that require files become empty lines, so that other lines keep their numbers.
    let lines = text.lines().map(|line| if required(line).is_some() { "" } else { line });
    let text = lines.flat_map(|line| [line, "\n"]).collect();
    files.push((path, text));
    Ok(())
}

/// Returns the name of the file that a line requires when its own file is loaded: a line without
/// indentation, which is not in a method or under a condition.
fn required(line: &str) -> Option<&str> {
    line.strip_prefix("require_relative \"")?.strip_suffix('"')
}
