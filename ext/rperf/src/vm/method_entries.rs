//! Method entries: whose method it is, and which one a call has called last, as its cache in the code says.
//!
//! What is read here besides the members of [`decode`](super::decode) has no proof of its own: each such word is checked to be
//! the address of an object that is what it should be.

use rb_sys::VALUE;

use super::context::Gvl;
use super::decode::{encoded, is_imemo, method_type, read};
use super::heap;
use super::offsets::{WORD, call, class, imemo, method};
use crate::os::safe_read;

/// The definition of a method: the same for all its names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Definition(usize);

/// A living method entry.
#[derive(Clone, Copy)]
pub struct Entry(usize);

impl Entry {
    /// The one at that address, if there is one.
    pub fn at(_gvl: Gvl<'_>, address: u64) -> Option<Self> {
        let address = address as usize;
        // SAFETY: an object of the heap is alive while the GVL is held.
        let is_entry = heap::is_object(address) && unsafe { is_imemo(address, imemo::MENT) };
        is_entry.then_some(Self(address))
    }

    /// The one that was called last by the call that is described by the word so many words into the code, which must be
    /// alive; `None` where there was none yet.
    pub fn called_last(gvl: Gvl<'_>, code: u64, word: u32) -> Option<Self> {
        // SAFETY: the GVL is held, and the code is alive; it has that word.
        let data = unsafe { read(encoded(code as usize) + word as usize * WORD) };
        // The word may be any operand.
        let [cache] = safe_read::words(data.checked_add(call::DATA_CACHE * WORD)?)?;
        // SAFETY: an object of the heap is alive while the GVL is held, and has three words at least.
        let called = heap::is_object(cache).then(|| unsafe { read(cache + call::CACHE_METHOD * WORD) })?;
        let called = Self::at(gvl, called as u64)?;
        Some(called.original(gvl).unwrap_or(called))
    }

    /// Its definition, if it has one.
    pub fn definition(self) -> Option<Definition> {
        // SAFETY: the entry is alive.
        let definition = unsafe { read(self.0 + method::DEFINITION * WORD) };
        (definition != 0).then_some(Definition(definition))
    }

    /// The entry that this is another name for.
    fn original(self, gvl: Gvl<'_>) -> Option<Self> {
        // SAFETY: the entry is alive.
        let is_alias = unsafe { method_type(self.0) } == method::TYPE_ALIAS;
        let Definition(definition) = self.definition().filter(|_| is_alias)?;
        // SAFETY: the definition is that of a living entry, and longer than this.
        let original = unsafe { read(definition + method::DEFINITION_ORIGINAL * WORD) };
        Self::at(gvl, original as u64)
    }

    /// The class or module that it was defined in; `None` where that cannot be told.
    pub fn owner(self) -> Option<VALUE> {
        // SAFETY: the entry is alive, and so is an object of the heap that it refers to.
        unsafe {
            let owner = read(self.0 + method::OWNER * WORD);
            let kind = heap::is_object(owner).then(|| read(owner) & imemo::T_MASK)?;
            [class::T_CLASS, class::T_MODULE].contains(&kind).then_some(owner as VALUE)
        }
    }
}
