//! Writing of files that appear whole or not at all, and what lies beside them.

use std::ffi::OsString;
use std::fs::{self, File, FileType, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::PathBuf;

use nix::errno::Errno;

use super::process;

/// Permissions of a file for all users that the umask does not exclude, and of a file for the
/// process's user alone.
pub const FOR_ALL: u32 = 0o666;
pub const PRIVATE: u32 = 0o600;

/// A file that refuses writes beyond the process's limit on the size of files. Otherwise the system
/// would send SIGXFSZ, which ends the program.
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

/// Writes a file at `beside`, in the same directory, and renames it to `path` in one step. It has
/// the permissions of the file that it replaces, or `mode` where there is none.
pub fn write_whole(
    beside: Vec<u8>,
    path: Vec<u8>,
    mode: u32,
    fill: impl FnOnce(&mut LimitedFile) -> io::Result<()>,
) -> io::Result<()> {
    let [beside, path] = [beside, path].map(|bytes| PathBuf::from(OsString::from_vec(bytes)));
    // A process that was killed may have left a file there.
    let _none_there = fs::remove_file(&beside);
    let replaced = fs::metadata(&path).ok();
    let open = || OpenOptions::new().write(true).create_new(true).mode(mode).open(&beside);
    let written = process::open_even_if_none_is_free(open)
        .inspect(|file| {
            // A umask that keeps this user from it, too, is not meant for it: rperf reads it again.
            let own = |new: fs::Metadata| Permissions::from_mode(new.permissions().mode() | PRIVATE);
            let permissions = replaced.map(|it| it.permissions()).or_else(|| file.metadata().ok().map(own));
            // Where this fails, files have no permissions of their own.
            let _unsupported = permissions.map(|it| file.set_permissions(it));
        })
        .and_then(|file| fill(&mut LimitedFile { file, left: process::largest_file() }))
        .and_then(|()| fs::rename(&beside, path));
    written.inspect_err(|_| {
        let _never_made = fs::remove_file(&beside);
    })
}

/// Returns the names in a directory, without "." and ".."; none where it cannot be read.
pub fn names_in(path: Vec<u8>) -> Vec<Vec<u8>> {
    let entries = fs::read_dir(OsString::from_vec(path)).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().into_vec()).collect()
}

/// Returns the type of the file that the path names, links followed, where this process can see it;
/// and whether the path is a symbolic link.
pub fn kind(path: Vec<u8>) -> (Option<FileType>, bool) {
    let path = PathBuf::from(OsString::from_vec(path));
    (fs::metadata(&path).ok().map(|named| named.file_type()), path.is_symlink())
}
