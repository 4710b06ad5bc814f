//! A file that appears whole or not at all.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// Makes a file at `beside`, in the same directory, and renames it to `path`, in one go.
pub fn write_whole(
    beside: Vec<u8>,
    path: Vec<u8>,
    fill: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    let [beside, path] = [beside, path].map(|bytes| PathBuf::from(OsString::from_vec(bytes)));
    // What a process that was killed may have left.
    let _none_there = fs::remove_file(&beside);
    let written = File::create_new(&beside)
        .and_then(|mut file| fill(&mut file))
        .and_then(|()| fs::rename(&beside, path));
    written.inspect_err(|_| {
        let _never_made = fs::remove_file(&beside);
    })
}
