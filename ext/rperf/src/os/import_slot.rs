//! Slots of the functions that loaded objects import.

use std::ffi::CStr;
use std::sync::atomic::AtomicUsize;

/// A word that holds the address of an imported function.
#[derive(Clone, Copy, Debug)]
pub struct Slot<'a> {
    /// Name of the function.
    pub name: &'a CStr,
    /// The word: the function's address, or that of the linker's stub that will find it.
    pub word: &'a AtomicUsize,
    /// Whether the linker has made the page of the word read-only (RELRO).
    pub is_read_only: bool,
}
