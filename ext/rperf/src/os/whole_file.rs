//! A file that appears whole or not at all.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// Writes the bytes beside the path and renames the result, in one go. Fails with the number of the system's error.
pub fn write_whole(path: Vec<u8>, bytes: &[u8]) -> Result<(), i32> {
    let beside = PathBuf::from(OsString::from_vec([&path, b".tmp".as_slice()].concat()));
    let path = PathBuf::from(OsString::from_vec(path));
    fs::write(&beside, bytes).and_then(|()| fs::rename(&beside, path)).map_err(|error| {
        let _never_made = fs::remove_file(&beside);
        error.raw_os_error().unwrap_or(libc::EIO)
    })
}
