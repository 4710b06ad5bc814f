//! What a call has called last, as its cache in the code says.
//!
//! What is read for that has no proof of its own: each word is checked to be what it should be, and read so that it cannot
//! fault.

use super::context::Gvl;
use super::decode::is_imemo;
use super::heap;
use super::offsets::{WORD, call, imemo, iseq, method};
use crate::os::safe_read;

/// The definition of a method: the same for all its names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Definition(usize);

impl Definition {
    /// That of the method entry at `entry`, which must be alive; `None` where it has none.
    pub fn of(gvl: Gvl<'_>, entry: u64) -> Option<Self> {
        Entry::at(gvl, entry as usize)?.definition().map(Self)
    }

    /// That of the method which was called last by the call that is described by the word so many words into the code, which
    /// must be alive; `None` where there was none yet.
    pub fn called_last(gvl: Gvl<'_>, code: u64, word: u32) -> Option<Self> {
        let [body] = safe_read::words(code as usize + iseq::BODY * WORD)?;
        let [encoded] = safe_read::words(body + iseq::ENCODED * WORD)?;
        let [data] = safe_read::words(encoded + word as usize * WORD)?;
        let [cache] = safe_read::words(data.checked_add(call::DATA_CACHE * WORD)?)?;
        if !heap::is_object(cache) {
            return None;
        }
        let [called] = safe_read::words(cache + call::CACHE_METHOD * WORD)?;
        let called = Entry::at(gvl, called)?;
        called.original(gvl).unwrap_or(called).definition().map(Self)
    }
}

/// A living method entry.
#[derive(Clone, Copy)]
struct Entry(usize);

impl Entry {
    fn at(_gvl: Gvl<'_>, address: usize) -> Option<Self> {
        // SAFETY: an object of the heap is alive while the GVL is held.
        let is_entry = heap::is_object(address) && unsafe { is_imemo(address, imemo::MENT) };
        is_entry.then_some(Self(address))
    }

    fn definition(self) -> Option<usize> {
        let [definition] = safe_read::words(self.0 + method::DEFINITION * WORD)?;
        (definition != 0).then_some(definition)
    }

    /// The entry that this is another name for.
    fn original(self, gvl: Gvl<'_>) -> Option<Self> {
        let definition = self.definition()?;
        let [kind] = safe_read::words(definition)?;
        if kind & method::TYPE_MASK != method::TYPE_ALIAS {
            return None;
        }
        let [original] = safe_read::words(definition + method::DEFINITION_ORIGINAL * WORD)?;
        Self::at(gvl, original)
    }
}
