//! Looking up functions that the VM exports but promises in no header.

use std::ffi::{CStr, c_void};

/// The address of an exported symbol of the process, if there is one.
pub fn lookup(name: &CStr) -> Option<*const c_void> {
    // SAFETY: `name` is a C string; RTLD_DEFAULT searches what is loaded.
    let address = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    (!address.is_null()).then_some(address.cast_const())
}
