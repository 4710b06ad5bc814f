//! What threads share: locks that a panic leaves usable (it ends at the boundary with C, is
//! counted, and what was locked is whole between two of its statements), and references in atomics.

use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What is locked; a forking thread holds it until the child is made.
pub type Locked<T> = MutexGuard<'static, T>;

/// A [`Mutex`] that is never poisoned.
#[derive(Debug, Default)]
pub struct Lock<T>(Mutex<T>);

impl<T> Lock<T> {
    /// Of this value.
    pub const fn new(value: T) -> Self {
        Self(Mutex::new(value))
    }

    /// Waits for the lock.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same without waiting; `None` where the lock is held.
    pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        self.0.try_lock().ok()
    }
}

impl<T> Lock<Option<T>> {
    /// In a forked child: forgets what is the parent's, without running its destructor.
    pub fn abandon(&self) {
        if let Some(mut value) = self.try_lock() {
            std::mem::forget(value.take());
        }
    }
}

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
