//! The check whether a word is the address of a living object of the VM's heap.

use std::sync::OnceLock;

use crate::os::symbols;

type Question = unsafe extern "C" fn(rb_sys::VALUE) -> bool;

/// Returns whether `word` points to a living object. Where the VM does not export the functions, no
/// word counts as an object. (gc.c exports both, and promises neither in a header.)
///
/// The GVL must be held.
pub fn is_object(word: usize) -> bool {
    static QUESTIONS: OnceLock<[Option<Question>; 2]> = OnceLock::new();
    // Whether the address is that of a slot of the heap; and whether the object in the slot is
    // dead, and the collector has not swept it yet.
    let names = [c"rb_gc_pointer_to_heap_p", c"rb_objspace_garbage_object_p"];
    // SAFETY: both functions have had this signature since they exist.
    let questions = QUESTIONS.get_or_init(|| names.map(|name| unsafe { symbols::function(name) }));
    let [Some(is_slot), Some(is_garbage)] = *questions else { return false };
    let word = word as rb_sys::VALUE;
    // SAFETY: the first function only compares the address with those of the heap's pages; the
    // second one looks at the slot, which is readable.
    unsafe { is_slot(word) && !is_garbage(word) }
}
