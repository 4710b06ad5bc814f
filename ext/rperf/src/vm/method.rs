//! The method that a frame's method word stands for.
//!
//! The word is not the same in each call of a method. One that has set `$~` or `$_` has an object
//! of that call between (`vm_svar` in internal/imemo.h). And `UnboundMethod#bind` makes an entry of
//! its own (`convert_umethod_to_method_components` in proc.c).

use rperf_core::collect::RawFrame;

use super::object_type::is_imemo;
use super::offsets::{WORD, imemo, method};
use crate::os::copier;

type Words = [usize; method::WORDS];

/// A method, by one of its entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Method {
    /// The entry's address.
    pub entry: u64,
    /// What all of its entries have in common: definition, name and owner.
    pub identity: [u64; 3],
}

impl Method {
    /// The method of a frame that stands, on the calling thread or on one that is off the GVL while
    /// the caller holds it; `None` where its word is no method.
    pub fn of_standing(frame: &RawFrame) -> Option<Self> {
        // SAFETY: what a standing frame refers to is alive, and so is what that refers to; each is
        // an object, and every slot has so many words.
        Self::at(frame.method as usize, |object| Some(unsafe { std::ptr::read(object as *const Words) }))
    }

    /// The method of a frame that was captured in this era; `None` where its word is none, or
    /// cannot be read.
    pub fn of_captured(frame: &RawFrame) -> Option<Self> {
        Self::at(frame.method as usize, copier::words)
    }

    fn at(word: usize, read: impl Fn(usize) -> Option<Words>) -> Option<Self> {
        let object = |word: usize| (word >= 4096 && word.is_multiple_of(WORD)).then(|| read(word)).flatten();
        let (mut entry, mut words) = (word, object(word)?);
        if is_imemo(words[0], imemo::SVAR) {
            entry = words[imemo::SVAR_METHOD];
            words = object(entry)?;
        }
        let identity = [method::DEFINITION, method::NAME, method::OWNER].map(|member| words[member] as u64);
        is_imemo(words[0], imemo::MENT).then_some(Self { entry: entry as u64, identity })
    }
}
