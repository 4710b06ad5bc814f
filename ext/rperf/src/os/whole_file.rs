//! A file that appears whole or not at all.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use nix::errno::Errno;

use super::limits;

/// A file that refuses what goes beyond the process's limit on the size of files: the system would
/// send SIGXFSZ, which ends the program.
pub struct LimitedFile {
    file: File,
    left: usize,
}

impl Write for LimitedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.left = self.left.checked_sub(bytes.len()).ok_or(Errno::EFBIG)?;
        self.file.write_all(bytes).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Makes a file at `beside`, in the same directory, and renames it to `path`, in one go.
pub fn write_whole(
    beside: Vec<u8>,
    path: Vec<u8>,
    fill: impl FnOnce(&mut LimitedFile) -> io::Result<()>,
) -> io::Result<()> {
    let [beside, path] = [beside, path].map(|bytes| PathBuf::from(OsString::from_vec(bytes)));
    // What a process that was killed may have left.
    let _none_there = fs::remove_file(&beside);
    let written = File::create_new(&beside)
        .and_then(|file| fill(&mut LimitedFile { file, left: limits::largest_file() }))
        .and_then(|()| fs::rename(&beside, path));
    written.inspect_err(|_| {
        let _never_made = fs::remove_file(&beside);
    })
}

/// What a path names, links followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nothing that this process can see.
    Missing,
    /// An ordinary file.
    File,
    /// A directory.
    Directory,
    /// A device, a pipe or a socket.
    Special,
}

/// What the path names, and whether it is a symbolic link.
pub fn kind(path: Vec<u8>) -> (Kind, bool) {
    let path = PathBuf::from(OsString::from_vec(path));
    let kind = fs::metadata(&path).map_or(Kind::Missing, |named| match named.file_type() {
        named if named.is_file() => Kind::File,
        named if named.is_dir() => Kind::Directory,
        _ => Kind::Special,
    });
    (kind, path.is_symlink())
}
