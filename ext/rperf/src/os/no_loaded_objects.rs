//! How to look at what the dynamic linker has loaded is not known for this system: it shows
//! nothing.

use std::ffi::CStr;
use std::sync::atomic::AtomicUsize;

/// A loaded program or library: there is none.
#[derive(Debug)]
pub struct LoadedObject<'a>(std::convert::Infallible, &'a ());

/// A place that holds the address of an imported function.
#[derive(Clone, Copy, Debug)]
pub struct Slot<'a> {
    /// The name of the function.
    pub name: &'a CStr,
    /// The word that holds its address.
    pub word: &'a AtomicUsize,
    /// The page of the word is read-only.
    pub is_read_only: bool,
}

/// How often libraries have been loaded and unloaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Generation;

/// Shows `visit` nothing.
pub fn each(_visit: impl FnMut(&LoadedObject<'_>) -> bool) {}

/// Always the same.
pub fn generation() -> Generation {
    Generation
}

impl LoadedObject<'_> {
    /// Never called.
    pub fn contains(&self, _address: usize) -> bool {
        match self.0 {}
    }

    /// Never called.
    pub fn each_slot(&self, _visit: impl FnMut(Slot<'_>)) {
        match self.0 {}
    }
}
