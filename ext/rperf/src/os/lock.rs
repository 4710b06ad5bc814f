//! Locks that a panic leaves usable: one ends at the boundary with C, is counted, and what was
//! locked is whole between two of its statements.

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
