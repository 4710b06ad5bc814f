//! A value that the GVL guards: no lock of its own, as long as there is no other Ractor.

use std::cell::RefCell;

use super::context::Gvl;
use super::ractors;

/// For threads of the main Ractor. Of other Ractors only those may come near it that have been
/// [noticed](ractors::notice), as all with a slot are: the value is not used from then on.
#[derive(Debug)]
pub struct GvlCell<T>(RefCell<T>);

// SAFETY: the value is used with a token of the GVL and only while no other Ractor has been seen,
// so by one thread at a time; it is moved between threads as `Send` allows.
unsafe impl<T: Send> Sync for GvlCell<T> {}

impl<T> GvlCell<T> {
    /// Holds `value`.
    pub const fn new(value: T) -> Self {
        Self(RefCell::new(value))
    }

    /// Runs `body`, which must not run Ruby code, with the value. `None` when there are other
    /// Ractors.
    pub fn with<R>(&self, _gvl: Gvl<'_>, body: impl FnOnce(&mut T) -> R) -> Option<R> {
        if !ractors::only_main() {
            return None;
        }
        self.0.try_borrow_mut().ok().map(|mut value| body(&mut value))
    }
}
