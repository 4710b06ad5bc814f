//! Functions that the VM exports but promises in no header, and the library that one is in.

use std::ffi::{CStr, c_void};
use std::mem::MaybeUninit;

/// The address of an exported symbol of the process, if there is one.
pub fn lookup(name: &CStr) -> Option<*const c_void> {
    // SAFETY: `name` is a C string; RTLD_DEFAULT searches what is loaded.
    let address = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    (!address.is_null()).then_some(address.cast_const())
}

/// Keeps the library with the function at `address` loaded for the life of the process.
pub fn keep_loaded(address: usize) {
    let mut info = MaybeUninit::<libc::Dl_info>::uninit();
    // SAFETY: `info` is valid for writing, and filled where the result is not 0; the name is then a
    // C string of the linker's. With RTLD_NOLOAD nothing is loaded.
    unsafe {
        if libc::dladdr(address as *const c_void, info.as_mut_ptr()) != 0 {
            let name = info.assume_init().dli_fname;
            libc::dlopen(name, libc::RTLD_NOW | libc::RTLD_NOLOAD | libc::RTLD_NODELETE);
        }
    }
}
