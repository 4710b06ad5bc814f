//! How to look at what the dynamic linker has loaded is not known for this system: it shows
//! nothing.

use super::import_slot::{Generation, Slot};

/// A loaded program or library: there is none.
#[derive(Debug)]
pub struct LoadedObject<'a>(std::convert::Infallible, &'a ());

/// Shows `visit` nothing.
pub fn each(_visit: impl FnMut(&LoadedObject<'_>) -> bool) {}

/// Always the same.
pub fn generation() -> Generation {
    Generation::default()
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
