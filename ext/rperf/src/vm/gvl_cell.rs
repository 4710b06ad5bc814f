//! A value that the GVL guards, without a lock of its own, as long as there is no other Ractor.

use std::cell::RefCell;

use super::context::Gvl;
use super::ractors;

/// A cell for threads of the main Ractor. Those of others must have been [noticed](ractors::notice)
/// first, as all with a slot are: from then on the value is not used.
#[derive(Debug)]
pub struct GvlCell<T>(RefCell<T>);

// SAFETY: the value is used with a token of the GVL and only while no other Ractor has been seen,
// so by one thread at a time; it is moved between threads as `Send` allows.
unsafe impl<T: Send> Sync for GvlCell<T> {}

impl<T> GvlCell<T> {
    /// Creates a cell that holds `value`.
    pub const fn new(value: T) -> Self {
        Self(RefCell::new(value))
    }

    /// Runs `body` with the value. `body` must not run Ruby code. `None` when there are other
    /// Ractors, or the value is borrowed already.
    pub fn with<R>(&self, _gvl: Gvl<'_>, body: impl FnOnce(&mut T) -> R) -> Option<R> {
        if !ractors::only_main() {
            return None;
        }
        self.0.try_borrow_mut().ok().map(|mut value| body(&mut value))
    }
}
