//! Pointers kept in atomics.

/// The reference behind a pointer that was made of a `&'static T`, or `None` for null.
pub fn from_static<T>(pointer: *mut T) -> Option<&'static T> {
    // SAFETY: all callers store only pointers made of `&'static T` (slots are leaked, never freed).
    unsafe { pointer.as_ref() }
}
