//! In place of the dynamic linker's list on Linux: nothing is known of what is loaded, so that no
//! function is replaced.

use std::convert::Infallible;
use std::marker::PhantomData;

use super::import_slot::{Generation, Slot};

/// A loaded program or library: there is no value of it.
#[derive(Debug)]
pub struct LoadedObject<'a>(Infallible, PhantomData<&'a ()>);

/// Shows nothing.
pub fn each(_visit: impl FnMut(&LoadedObject<'_>) -> bool) {}

/// Always the same.
pub fn generation() -> Generation {
    Generation::default()
}

impl LoadedObject<'_> {
    /// There is none to ask.
    pub fn contains(&self, _address: usize) -> bool {
        match self.0 {}
    }

    /// There is none to ask.
    pub fn each_slot(&self, _visit: impl FnMut(Slot<'_>)) {
        match self.0 {}
    }
}
