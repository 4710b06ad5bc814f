//! Data that threads share: references in atomics, and locks that stay usable after a panic. (A
//! panic ends at the boundary with C and is counted. Locked data are whole between two statements.)

use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Guard of a lock. A forking thread holds it until the child is made.
pub type Locked<T> = MutexGuard<'static, T>;

/// A [`Mutex`] that is never poisoned.
#[derive(Debug, Default)]
pub struct Lock<T>(Mutex<T>);

impl<T> Lock<T> {
    /// Creates a lock for the value.
    pub const fn new(value: T) -> Self {
        Self(Mutex::new(value))
    }

    /// Waits for the lock and returns its guard.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same without waiting. Returns `None` where the lock is held.
    pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        self.0.try_lock().ok()
    }
}

impl<T> Lock<Option<T>> {
    /// Forgets the parent's value in a forked child, without running its destructor.
    pub fn abandon(&self) {
        if let Some(mut value) = self.try_lock() {
            std::mem::forget(value.take());
        }
    }
}

/// A reference to a value that lives as long as the process, or none.
#[derive(Debug)]
pub struct AtomicRef<T: 'static>(AtomicPtr<T>);

impl<T> AtomicRef<T> {
    /// Creates an empty reference.
    pub const fn none() -> Self {
        Self(AtomicPtr::new(std::ptr::null_mut()))
    }

    /// Stores `value`. A thread that reads it sees everything that was written before.
    pub fn set(&self, value: Option<&'static T>) {
        let pointer = value.map_or(std::ptr::null_mut(), |value| std::ptr::from_ref(value).cast_mut());
        self.0.store(pointer, Ordering::Release);
    }

    /// Returns the stored reference.
    pub fn get(&self) -> Option<&'static T> {
        // SAFETY: null, or made of a `&'static T` by `set`.
        unsafe { self.0.load(Ordering::Acquire).as_ref() }
    }

    /// Returns whether the stored reference refers to `value`.
    pub fn is(&self, value: &T) -> bool {
        std::ptr::eq(self.0.load(Ordering::Relaxed), value)
    }
}
