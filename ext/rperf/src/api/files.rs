//! Writing the files of a session directory.

use magnus::{Error, Object, RModule, RString, function};

use super::profile_from;
use crate::os::whole_file;

/// Defines the methods.
pub fn define(native: RModule) -> Result<(), Error> {
    native.define_singleton_method("write_whole", function!(write_whole, 2))
}

/// `Rperf::Native.write_whole(path, bytes)`: nil, or the number of the system's error.
///
/// Keeps the GVL: at the end of a process, giving it up costs a time slice of every busy thread each time.
fn write_whole(path: RString, bytes: RString) -> Option<i32> {
    whole_file::write_whole(profile_from::bytes(path), &profile_from::bytes(bytes)).err()
}
