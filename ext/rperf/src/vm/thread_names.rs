//! Names of threads, where the VM keeps them: a word of the thread's structure, which no header
//! has. The word is a String that the VM never changes, or nil.
//!
//! `Thread#name` can be asked of living threads, and in a Ruby method only. The word can be noted
//! in a hook, when a thread ends.

use std::sync::atomic::{AtomicUsize, Ordering};

use magnus::rb_sys::{AsRawValue, FromRawValue};
use magnus::value::ReprValue;
use magnus::{Error, RString, Ruby, Value};

use super::context::Gvl;
use super::layout::ThreadStruct;
use super::names::bytes;
use super::offsets::{WORD, thread as members};
use super::threads::RubyThread;
use crate::os::copier;

/// The offset of the name in the thread's structure, in bytes; 0 where it is not known.
static OFFSET: AtomicUsize = AtomicUsize::new(0);

/// The word of a thread's name, made and followed in this module only. It may be followed as long
/// as the thread lives, or as long as the collector keeps it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NameWord(usize);

/// An atomic [`NameWord`].
#[derive(Debug, Default)]
pub struct AtomicName(AtomicUsize);

impl AtomicName {
    /// Sets the word.
    pub fn set(&self, name: NameWord) {
        self.0.store(name.0, Ordering::Relaxed);
    }

    /// Returns the word.
    pub fn get(&self) -> NameWord {
        NameWord(self.0.load(Ordering::Relaxed))
    }
}

/// Finds the offset of names. `thread` has a name: an object that no other word of its structure
/// can have.
///
/// # Errors
/// An exception that interrupts the calling thread.
pub fn locate(_ruby: &Ruby, thread: Value) -> Result<(), Error> {
    let structure = RubyThread::from_value(thread.as_raw()).structure();
    let name = RString::from_value(thread.funcall("name", ())?);
    let (Some(name), Some(words)) = (name, copier::words::<{ members::SEARCHED }>(structure.0)) else {
        return Ok(());
    };
    let word = name.as_raw() as usize;
    let mut places = words.iter().enumerate().filter(|(_, other)| **other == word).map(|(index, _)| index);
    if let (Some(index), None) = (places.next(), places.next()) {
        OFFSET.store(index * WORD, Ordering::Relaxed);
    }
    Ok(())
}

impl ThreadStruct {
    /// Returns the word of a living thread's name; 0 where it cannot be known.
    pub fn name(self, _gvl: Gvl<'_>) -> NameWord {
        match OFFSET.load(Ordering::Relaxed) {
            0 => NameWord::default(),
            // SAFETY: the thread lives, so its structure does; the offset was found in such a one.
            offset => NameWord(unsafe { *((self.0 + offset) as *const usize) }),
        }
    }
}

impl NameWord {
    /// Returns the address of the name, for the collector to keep.
    pub fn object(self) -> u64 {
        self.0 as u64
    }

    /// Returns the name, with bytes that are no UTF-8 replaced; empty where there is none. The
    /// thread must live, or its name must have been kept.
    pub fn text(self, _gvl: Gvl<'_>) -> String {
        if self.0 == 0 {
            return String::new();
        }
        // SAFETY: a word that the VM had as a thread's name, kept since: an object or nil.
        let name = RString::from_value(unsafe { Value::from_raw(self.0 as rb_sys::VALUE) });
        name.map_or_else(String::new, |name| String::from_utf8_lossy(&bytes(name)).into_owned())
    }
}
