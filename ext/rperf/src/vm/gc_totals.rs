//! What the collector counts since the process began.

use std::ffi::CStr;

use magnus::Ruby;

/// Objects that have been allocated. Without other Ractors the number is exact. No object is
/// made by asking. (The collector counts an object that it moves as another one: `gc_move` in
/// default.c.)
pub fn allocated_objects(_ruby: &Ruby) -> u64 {
    total(c"total_allocated_objects").saturating_sub(total(c"total_moved_objects"))
}

/// How often objects were used that compaction had moved: these move back, a page at once, and
/// count as allocated, not as moved (`invalidate_moved_plane`).
pub fn read_barrier_faults(_ruby: &Ruby) -> u64 {
    total(c"read_barrier_faults")
}

fn total(name: &CStr) -> u64 {
    // SAFETY: called in a Ruby method; a name that is interned here stays for good, so the key
    // needs no root.
    unsafe { rb_sys::rb_gc_stat(rb_sys::rb_id2sym(rb_sys::rb_intern(name.as_ptr()))) as u64 }
}
