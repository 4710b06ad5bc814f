//! The method that a frame's method word stands for.
//!
//! The word is not the same in each call of a method. A call that has set `$~` or `$_` has an
//! object of its own between word and entry (`vm_svar` in internal/imemo.h). And
//! `UnboundMethod#bind` makes a new entry (`convert_umethod_to_method_components` in proc.c).

use rperf_core::collect::RawFrame;

use super::object_type::is_imemo;
use super::object_words::ObjectWords;
use super::offsets::{WORD, imemo, method};

/// A method, known by one of its entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Method {
    /// Address of the entry.
    pub entry: u64,
    /// Words that all of its entries have in common: definition, name and owner.
    pub identity: [u64; 3],
}

impl Method {
    /// Returns the method of a frame. `objects`: how the words of its objects are read. `None`
    /// where its method word is no method's, or cannot be read.
    pub fn of(frame: &RawFrame, objects: ObjectWords<'_>) -> Option<Self> {
        let object = |word: usize| {
            let is_one = word >= 4096 && word.is_multiple_of(WORD);
            is_one.then(|| objects.at::<{ method::WORDS }>(word)).flatten()
        };
        let word = frame.method as usize;
        let (mut entry, mut words) = (word, object(word)?);
        if is_imemo(words[0], imemo::SVAR) {
            entry = words[imemo::SVAR_METHOD];
            words = object(entry)?;
        }
        let identity = [method::DEFINITION, method::NAME, method::OWNER].map(|member| words[member] as u64);
        is_imemo(words[0], imemo::MENT).then_some(Self { entry: entry as u64, identity })
    }
}
