//! Replacement for the dynamic linker's list of Linux: nothing is known about loaded objects, so no
//! function is replaced.

use std::convert::Infallible;
use std::marker::PhantomData;

use super::import_slot::Slot;

/// A loaded program or library. The type has no value.
#[derive(Debug)]
pub struct LoadedObject<'a>(Infallible, PhantomData<&'a ()>);

/// Calls `visit` for no object.
pub fn each(_visit: impl FnMut(&LoadedObject<'_>) -> bool) {}

/// Returns the same generation at every call.
pub fn generation() -> [u64; 2] {
    [0; 2]
}

impl LoadedObject<'_> {
    /// Cannot be called, since the type has no value.
    pub fn contains(&self, _address: usize) -> bool {
        match self.0 {}
    }

    /// Cannot be called, since the type has no value.
    pub fn each_slot(&self, _visit: impl FnMut(Slot<'_>)) {
        match self.0 {}
    }
}
