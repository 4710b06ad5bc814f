//! Totals that the collector has counted since the process began.

use std::ffi::CStr;

use magnus::Ruby;

/// A figure of the collector, by its name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Figure(rb_sys::VALUE);

impl Figure {
    /// Returns the figure of this name: one of the keys of `GC.stat`.
    pub fn named(_ruby: &Ruby, name: &CStr) -> Self {
        // SAFETY: called in a Ruby method; a name that is interned here stays for good, so its
        // Symbol needs no root.
        Self(unsafe { rb_sys::rb_id2sym(rb_sys::rb_intern(name.as_ptr())) })
    }

    /// Returns the present value. Makes no object: one figure is returned as a number (default.c).
    /// At the first call the VM interns the names of all figures, which it must not do inside of a
    /// collection.
    pub fn now(self) -> u64 {
        // SAFETY: with the GVL, about a figure that exists.
        unsafe { rb_sys::rb_gc_stat(self.0) as u64 }
    }
}

/// Returns the number of allocated objects. It is exact as long as there are no other Ractors.
/// Makes no object. (The collector counts an object that it moves as another allocation, so moved
/// objects are subtracted: `gc_move` in default.c. Another Ractor may move some in between.)
pub fn allocated_objects(ruby: &Ruby) -> u64 {
    let moved = || total(ruby, c"total_moved_objects");
    loop {
        let (before, allocated) = (moved(), total(ruby, c"total_allocated_objects"));
        if moved() == before {
            return allocated.saturating_sub(before);
        }
    }
}

/// Returns how often objects were used that compaction had moved. Such objects move back, a page at
/// once, and count as allocated, not as moved (`invalidate_moved_plane`).
pub fn read_barrier_faults(ruby: &Ruby) -> u64 {
    total(ruby, c"read_barrier_faults")
}

fn total(ruby: &Ruby, name: &CStr) -> u64 {
    Figure::named(ruby, name).now()
}
