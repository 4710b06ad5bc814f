//! Functions that the VM exports but declares in no header, and the library of a function.

use std::ffi::{CStr, c_void};
use std::mem::MaybeUninit;

/// Returns the address of an exported symbol of the process, if there is one.
pub fn lookup(name: &CStr) -> Option<*const c_void> {
    // SAFETY: `name` is a C string; RTLD_DEFAULT searches what is loaded.
    let address = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    (!address.is_null()).then_some(address.cast_const())
}

/// Returns an exported function of the process, if there is one.
///
/// # Safety
/// `F` must be the type of the function of this name.
pub unsafe fn function<F: Copy>(name: &CStr) -> Option<F> {
    const { assert!(size_of::<F>() == size_of::<*const c_void>()) };
    // SAFETY: as the caller promises.
    lookup(name).map(|address| unsafe { std::mem::transmute_copy(&address) })
}

/// Returns the address at which the library with the function at `address` begins.
pub fn library(address: usize) -> Option<usize> {
    info_of(address).map(|info| info.dli_fbase as usize)
}

/// Keeps the library with the function at `address` loaded for the life of the process.
pub fn keep_loaded(address: usize) {
    if let Some(info) = info_of(address) {
        // SAFETY: the name is a C string of the linker's. With RTLD_NOLOAD nothing is loaded.
        unsafe {
            libc::dlopen(info.dli_fname, libc::RTLD_NOW | libc::RTLD_NOLOAD | libc::RTLD_NODELETE);
        }
    }
}

fn info_of(address: usize) -> Option<libc::Dl_info> {
    let mut info = MaybeUninit::uninit();
    // SAFETY: `info` is valid for writing, and filled where the result is not 0.
    unsafe { (libc::dladdr(address as *const c_void, info.as_mut_ptr()) != 0).then(|| info.assume_init()) }
}
