//! The number of the calling thread's label set. Ruby owns the sets; a sample carries the number.

use magnus::Ruby;

/// `Rperf::Native.label_set_id`: 0 without labels or without a session.
pub fn get(ruby: &Ruby) -> u32 {
    crate::session::labels(ruby)
}

/// `Rperf::Native.label_set_id = id`. Nothing happens without a session.
pub fn set(ruby: &Ruby, id: u32) {
    crate::session::set_labels(ruby, id);
}
