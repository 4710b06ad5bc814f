//! What loaded objects show of themselves: the slots of functions that they import.

use std::ffi::CStr;
use std::sync::atomic::AtomicUsize;

/// A place that holds the address of an imported function.
#[derive(Clone, Copy, Debug)]
pub struct Slot<'a> {
    /// The name of the function.
    pub name: &'a CStr,
    /// The word that holds its address, or that of the linker's stub that will find it.
    pub word: &'a AtomicUsize,
    /// The linker has made the page of the word read-only (RELRO).
    pub is_read_only: bool,
}

/// How often libraries have been loaded and unloaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Generation {
    /// Loaded.
    pub loaded: u64,
    /// Unloaded.
    pub unloaded: u64,
}
