//! Whether a word is the address of an object of the VM's heap.

use std::sync::OnceLock;

use crate::os::symbols;

type PointerToHeap = unsafe extern "C" fn(rb_sys::VALUE) -> bool;

/// True when `word` points to a slot of the object heap. Where the VM does not export the question
/// (`rb_gc_pointer_to_heap_p`, gc.c), nothing is taken for an object.
///
/// The GVL must be held.
pub fn is_object(word: usize) -> bool {
    static FUNCTION: OnceLock<Option<PointerToHeap>> = OnceLock::new();
    let function = FUNCTION.get_or_init(|| {
        symbols::lookup(c"rb_gc_pointer_to_heap_p").map(|address| {
            // SAFETY: the function has had this signature since it exists.
            unsafe { std::mem::transmute::<*const std::ffi::c_void, PointerToHeap>(address) }
        })
    });
    // SAFETY: the function only compares the address with those of the heap's pages.
    function.is_some_and(|function| unsafe { function(word as rb_sys::VALUE) })
}
