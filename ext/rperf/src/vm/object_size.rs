//! How much memory an object takes, with what it has outside of its slot.
//!
//! Asked late, of objects that are built: at its death, or when a snapshot is taken.

use std::ffi::{CStr, c_int, c_void};
use std::sync::OnceLock;

use super::context::{Gvl, InGc};
use crate::os::symbols;

/// The types whose whole size may be asked for at any time (`enum ruby_value_type`,
/// ruby/internal/value_type.h): what is theirs is in members of their own, that the VM's own code
/// reads.
mod types {
    pub const MASK: usize = 0x1f;
    pub const OBJECT: usize = 0x01;
    pub const FLOAT: usize = 0x04;
    pub const STRING: usize = 0x05;
    pub const ARRAY: usize = 0x07;
    pub const HASH: usize = 0x08;
    pub const STRUCT: usize = 0x09;
    pub const BIGNUM: usize = 0x0a;
    pub const REGEXP: usize = 0x06;
    pub const FILE: usize = 0x0b;
    pub const DATA: usize = 0x0c;
    pub const MATCH: usize = 0x0d;
    pub const COMPLEX: usize = 0x0e;
    pub const RATIONAL: usize = 0x0f;
    pub const SYMBOL: usize = 0x14;
    /// Those.
    pub const MEASURED: [usize; 10] =
        [OBJECT, FLOAT, STRING, ARRAY, HASH, STRUCT, BIGNUM, COMPLEX, RATIONAL, SYMBOL];
    /// What is asked of objects that live, in a method: their size is the work of a library.
    pub const ASKED: [usize; 4] = [REGEXP, FILE, DATA, MATCH];
}

/// The size of an object, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// Slot and all that belongs to it outside.
    Whole(u64),
    /// The slot alone: nothing may be asked about the rest.
    Slot(u64),
}

impl Size {
    /// What is known of it.
    pub fn bytes(self) -> u64 {
        let (Self::Whole(bytes) | Self::Slot(bytes)) = self;
        bytes
    }
}

/// To be called once before sizes are asked for inside of the collector: looks the functions up.
pub fn prepare(_ruby: &magnus::Ruby) {
    functions();
}

/// The size of an object that the collector has found dead, or keeps. `word` is its address.
pub fn in_gc(_in_gc: InGc<'_>, word: usize) -> Size {
    measure(word)
}

/// The size of a living object. No lock may be held that the collector's hooks and mark functions
/// wait for.
pub fn in_method(_gvl: Gvl<'_>, word: usize) -> Size {
    measure(word)
}

/// The same, where an extension's object may be asked for its size, too: by code of the extension,
/// which may do anything that Ruby code may do. What it raises is ignored.
pub fn with_data(ruby: &magnus::Ruby, word: usize) -> Size {
    if functions().whole.is_none() || !types::ASKED.contains(&object_type(word)) {
        return in_method(Gvl::of(ruby), word);
    }
    let mut failed: c_int = 0;
    // SAFETY: in a Ruby method, about a living object, which the caller keeps alive.
    let size = unsafe { rb_sys::rb_protect(Some(protected_size), word as rb_sys::VALUE, &mut failed) };
    if failed != 0 {
        // SAFETY: in a Ruby method; no exception is pending but the one that was raised.
        unsafe { rb_sys::rb_set_errinfo(rb_sys::Qnil as rb_sys::VALUE) };
        return slot(word);
    }
    Size::Whole(size as u64)
}

unsafe extern "C" fn protected_size(object: rb_sys::VALUE) -> rb_sys::VALUE {
    // SAFETY: as in `with_data`.
    functions().whole.map_or(0, |whole| unsafe { whole(object) }) as rb_sys::VALUE
}

fn measure(word: usize) -> Size {
    let is_measured = types::MEASURED.contains(&object_type(word));
    let Some(whole) = functions().whole.filter(|_| is_measured) else { return slot(word) };
    // SAFETY: the slot holds an object of one of these types, whose members the VM reads.
    Size::Whole(unsafe { whole(word as rb_sys::VALUE) } as u64)
}

fn slot(word: usize) -> Size {
    // SAFETY: the size of a slot is that of its page.
    Size::Slot(functions().slot.map_or(0, |slot| unsafe { slot(word as rb_sys::VALUE) }) as u64)
}

fn object_type(word: usize) -> usize {
    // SAFETY: the word is the address of a slot of the heap, which begins with flags.
    unsafe { *(word as *const usize) & types::MASK }
}

type Question = unsafe extern "C" fn(rb_sys::VALUE) -> usize;

/// What the VM answers: gc.c exports both functions for the objspace extension, and promises
/// neither in a header.
struct Functions {
    /// `rb_obj_memsize_of`: all bytes of an object.
    whole: Option<Question>,
    /// `rb_gc_obj_slot_size`: those that it has in the heap.
    slot: Option<Question>,
}

fn functions() -> &'static Functions {
    static FUNCTIONS: OnceLock<Functions> = OnceLock::new();
    FUNCTIONS.get_or_init(|| {
        let question = |name: &CStr| {
            symbols::lookup(name).map(|address| {
                // SAFETY: both functions have had this signature since they exist.
                unsafe { std::mem::transmute::<*const c_void, Question>(address) }
            })
        };
        Functions { whole: question(c"rb_obj_memsize_of"), slot: question(c"rb_gc_obj_slot_size") }
    })
}
