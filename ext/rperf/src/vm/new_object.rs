//! What can be read of an object that has just been born: its flags, its class and its slot.
//!
//! Nothing else is there yet, and what is in the rest of the slot may be an older object's.

use std::ffi::c_void;
use std::sync::OnceLock;

use rperf_core::collect::ObjectKind;

use super::context::InAlloc;
use super::offsets::imemo;
use crate::os::symbols;

/// An object that the VM has just allocated, by its address.
#[derive(Clone, Copy, Debug)]
pub struct NewObject(rb_sys::VALUE);

impl NewObject {
    /// The object at this address, which has just been born.
    pub fn at(_in_alloc: InAlloc<'_>, address: usize) -> Self {
        Self(address as rb_sys::VALUE)
    }

    /// Its address, until it dies or moves.
    pub fn word(self) -> usize {
        self.0 as usize
    }

    /// Its kind.
    pub fn kind(self, _in_alloc: InAlloc<'_>) -> ObjectKind {
        // SAFETY: flags and class are the first two words of every object, and are set when it is
        // born.
        let (flags, class) = unsafe { (*(self.0 as *const usize), *(self.0 as *const usize).add(1)) };
        let object_type = flags & imemo::T_MASK;
        // The second word of an internal object is its own.
        let is_internal = object_type == imemo::T_IMEMO;
        let internal = if is_internal { flags >> imemo::KIND_SHIFT & imemo::KIND_MASK } else { 0 };
        ObjectKind {
            class: if is_internal { 0 } else { class as u64 },
            object_type: (object_type as u8, internal as u8),
            slot: self.slot_size(),
        }
    }

    /// How many bytes it has in the heap. `rb_gc_obj_slot_size` is exported, but promised in no
    /// header; 0 without it.
    fn slot_size(self) -> u32 {
        type SlotSize = unsafe extern "C" fn(rb_sys::VALUE) -> usize;
        static FUNCTION: OnceLock<Option<SlotSize>> = OnceLock::new();
        let function = FUNCTION.get_or_init(|| {
            symbols::lookup(c"rb_gc_obj_slot_size").map(|address| {
                // SAFETY: the signature since Ruby 3.1 (internal/gc.h).
                unsafe { std::mem::transmute::<*const c_void, SlotSize>(address) }
            })
        });
        // SAFETY: the size of a slot is that of its page, which the object lies in.
        function.map_or(0, |size| u32::try_from(unsafe { size(self.0) }).unwrap_or(u32::MAX))
    }
}
