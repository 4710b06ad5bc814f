//! References in atomics.

use std::sync::atomic::{AtomicPtr, Ordering};

/// A reference to what lives as long as the process, or none.
#[derive(Debug)]
pub struct AtomicRef<T: 'static>(AtomicPtr<T>);

impl<T> AtomicRef<T> {
    /// None.
    pub const fn none() -> Self {
        Self(AtomicPtr::new(std::ptr::null_mut()))
    }

    /// Has this one from here on. What was written before is seen where it is read.
    pub fn set(&self, value: Option<&'static T>) {
        let pointer = value.map_or(std::ptr::null_mut(), |value| std::ptr::from_ref(value).cast_mut());
        self.0.store(pointer, Ordering::Release);
    }

    /// The one that it has.
    pub fn get(&self) -> Option<&'static T> {
        // SAFETY: null, or made of a `&'static T` by `set`.
        unsafe { self.0.load(Ordering::Acquire).as_ref() }
    }

    /// Whether that is this one.
    pub fn is(&self, value: &T) -> bool {
        std::ptr::eq(self.0.load(Ordering::Relaxed), value)
    }
}
