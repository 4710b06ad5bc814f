//! The parts of an object that can be read when it has just been born: flags, class and slot.
//!
//! Nothing else is there yet. The rest of the slot may have words of an older object.

use rb_sys::ruby_value_type::RUBY_T_IMEMO;
use rperf_core::collect::ObjectKind;

use super::context::InAlloc;
use super::object_size;
use super::object_words::type_of;
use super::offsets::imemo;

/// An object that the VM has just allocated, by its address.
#[derive(Clone, Copy, Debug)]
pub struct NewObject(rb_sys::VALUE);

impl NewObject {
    /// Returns the object at this address, which has just been born.
    pub fn at(_in_alloc: InAlloc<'_>, address: usize) -> Self {
        Self(address as rb_sys::VALUE)
    }

    /// Returns the object's address, valid until the object dies or moves.
    pub fn word(self) -> usize {
        self.0 as usize
    }

    /// Returns the object's kind.
    pub fn kind(self, _in_alloc: InAlloc<'_>) -> ObjectKind {
        // SAFETY: flags and class are the first two words of every object, and are set when it is
        // born.
        let (flags, class) = unsafe { (*(self.0 as *const usize), *(self.0 as *const usize).add(1)) };
        let number = type_of(flags);
        // The second word of an internal object is its own data, no class.
        let is_internal = number == RUBY_T_IMEMO as usize;
        let internal = if is_internal { flags >> imemo::KIND_SHIFT & imemo::KIND_MASK } else { 0 };
        ObjectKind {
            class: if is_internal { 0 } else { class as u64 },
            object_type: (number as u8, internal as u8),
            slot: object_size::of_slot(self.0 as usize),
        }
    }
}
