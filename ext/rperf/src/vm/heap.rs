//! The check whether a word is the address of a living object of the VM's heap.

use std::sync::OnceLock;

use crate::os::symbols;

type Question = unsafe extern "C" fn(rb_sys::VALUE) -> bool;

/// The VM's functions about addresses: gc.c exports both functions, and promises neither in a
/// header.
struct Heap {
    /// `rb_gc_pointer_to_heap_p`: whether the address is that of a slot of the heap.
    is_slot: Question,
    /// `rb_objspace_garbage_object_p`: whether the object in the slot is dead, and the collector
    /// has not swept it yet.
    is_garbage: Question,
}

/// Returns whether `word` points to a living object. Where the VM does not export the functions, no
/// word counts as an object.
///
/// The GVL must be held.
pub fn is_object(word: usize) -> bool {
    static HEAP: OnceLock<Option<Heap>> = OnceLock::new();
    let heap = HEAP.get_or_init(|| {
        // SAFETY: both functions have had this signature since they exist.
        let question = |name| unsafe { symbols::function(name) };
        Some(Heap {
            is_slot: question(c"rb_gc_pointer_to_heap_p")?,
            is_garbage: question(c"rb_objspace_garbage_object_p")?,
        })
    });
    let word = word as rb_sys::VALUE;
    // SAFETY: the first function only compares the address with those of the heap's pages; the
    // second one looks at the slot, which is readable.
    heap.as_ref().is_some_and(|heap| unsafe { (heap.is_slot)(word) && !(heap.is_garbage)(word) })
}
