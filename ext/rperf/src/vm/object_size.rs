//! The memory that an object takes, in its slot and outside of it.
//!
//! It is asked for late, of objects that are built: at their death, or when a snapshot is taken.

use std::sync::OnceLock;

use magnus::rb_sys::protect;
use rb_sys::ruby_value_type::{self, *};

use super::context::{Gvl, InAlloc, InGc};
use super::object_words::type_of;
use super::slow_path::{self, SlowPath};
use crate::os::symbols;

/// Types whose whole size may be asked for at any time: their memory is in members of their own,
/// which the VM's own code reads.
const MEASURED: [ruby_value_type; 10] = [
    RUBY_T_OBJECT,
    RUBY_T_FLOAT,
    RUBY_T_STRING,
    RUBY_T_ARRAY,
    RUBY_T_HASH,
    RUBY_T_STRUCT,
    RUBY_T_BIGNUM,
    RUBY_T_COMPLEX,
    RUBY_T_RATIONAL,
    RUBY_T_SYMBOL,
];
/// Types whose whole size may be asked for in a method, of living objects: a library computes it.
const ASKED: [ruby_value_type; 4] = [RUBY_T_REGEXP, RUBY_T_FILE, RUBY_T_DATA, RUBY_T_MATCH];

/// The size of an object, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// The slot and all memory outside that belongs to the object.
    Whole(u64),
    /// The slot alone: the rest may not be asked for.
    Slot(u64),
}

impl Size {
    /// Returns the size, as far as it is known.
    pub fn bytes(self) -> u64 {
        let (Self::Whole(bytes) | Self::Slot(bytes)) = self;
        bytes
    }
}

/// Looks the VM's functions up. Must be called once, before [`in_gc`].
pub fn prepare(_ruby: &magnus::Ruby) {
    functions();
}

/// Returns the size of the object at `word`, which the collector has found dead, or keeps.
pub fn in_gc(_in_gc: InGc<'_>, word: usize) -> Size {
    measure(word)
}

/// Returns the size of an object that was born before the one that the VM has just allocated, and
/// that no collection has swept: it is as complete as an object in a marking. Beside other Ractors
/// only its slot is measured: the VM would wait for their lock.
pub fn in_alloc(_in_alloc: InAlloc<'_>, word: usize) -> Size {
    if slow_path::has(SlowPath::Ractors) { slot(word) } else { measure(word) }
}

/// Returns the size of a living object. The caller must hold no lock for which the collector's
/// hooks and mark functions wait.
pub fn in_method(_gvl: Gvl<'_>, word: usize) -> Size {
    measure(word)
}

/// The same, but an extension is asked for the size of its object, too. The extension's code may do
/// anything that Ruby code may do. An exception that it raises is ignored.
pub fn with_data(ruby: &magnus::Ruby, word: usize) -> Size {
    if functions().whole.is_none() || !is_one_of(&ASKED, word) {
        return in_method(Gvl::of(ruby), word);
    }
    let whole = || {
        functions().whole.map_or(0, |whole| {
            // SAFETY: in a Ruby method, about a living object, which the caller keeps alive.
            unsafe { whole(word as rb_sys::VALUE) as rb_sys::VALUE }
        })
    };
    protect(whole).map_or_else(|_raised| slot(word), Size::Whole)
}

fn measure(word: usize) -> Size {
    let is_measured = is_one_of(&MEASURED, word);
    let Some(whole) = functions().whole.filter(|_| is_measured) else { return slot(word) };
    // SAFETY: the slot holds an object of one of these types, whose members the VM reads.
    Size::Whole(unsafe { whole(word as rb_sys::VALUE) } as u64)
}

/// Returns the size of the slot alone. `word` is the address of an object that is not swept yet.
pub fn slot(word: usize) -> Size {
    Size::Slot(u64::from(of_slot(word)))
}

/// Returns the size of the slot of the object at `word`, in bytes; 0 where the VM does not say.
pub(super) fn of_slot(word: usize) -> u32 {
    // SAFETY: the size of a slot is that of its page, in which the object lies.
    let size = functions().slot.map_or(0, |slot| unsafe { slot(word as rb_sys::VALUE) });
    u32::try_from(size).unwrap_or(u32::MAX)
}

fn is_one_of(types: &[ruby_value_type], word: usize) -> bool {
    // SAFETY: the word is the address of a slot of the heap, which begins with flags.
    let number = type_of(unsafe { *(word as *const usize) });
    types.iter().any(|of| *of as usize == number)
}

type Question = unsafe extern "C" fn(rb_sys::VALUE) -> usize;

/// The VM's functions for sizes: gc.c exports both for the objspace extension, and promises neither
/// in a header.
struct Functions {
    /// `rb_obj_memsize_of`: all bytes of an object.
    whole: Option<Question>,
    /// `rb_gc_obj_slot_size`: the bytes of its slot.
    slot: Option<Question>,
}

fn functions() -> &'static Functions {
    static FUNCTIONS: OnceLock<Functions> = OnceLock::new();
    FUNCTIONS.get_or_init(|| {
        // SAFETY: both functions have had this signature since they exist.
        let question = |name| unsafe { symbols::function(name) };
        Functions { whole: question(c"rb_obj_memsize_of"), slot: question(c"rb_gc_obj_slot_size") }
    })
}
