//! Methods of frames whose environments have left the VM stack (closures, fibers, `binding`).
//!
//! Context: the sampling thread. The environments are read through the kernel, since they may be
//! freed meanwhile; what is read is a word that the interpretation checks like any other.

use std::collections::HashMap;

use crate::os::safe_read;
use crate::vm::control_frames::{HEAP_ENVIRONMENT, MAX_NESTING, is_method_entry};
use crate::vm::offsets::{WORD, environment};

/// Environments that are remembered: a program that makes more of them between two collections has
/// each read once a capture.
const REMEMBERED: usize = 4096;

/// Method words of environments in the heap, until a collection may have freed one.
#[derive(Debug, Default)]
pub struct Environments {
    known: HashMap<usize, usize>,
    /// Words of environments, and whether they are method entries.
    methods: HashMap<usize, bool>,
    /// How many collections there had been when the first was remembered.
    collections: u64,
}

impl Environments {
    /// Forgets everything if there has been a collection since; `collections`: how many there have
    /// been.
    pub fn begin(&mut self, collections: u64) {
        if std::mem::replace(&mut self.collections, collections) != collections
            || self.known.len().max(self.methods.len()) > REMEMBERED
        {
            self.known.clear();
            self.methods.clear();
        }
    }

    /// The method word that a captured one stands for: itself, or that of the environment in the
    /// heap whose address it is; 0 where it cannot be read.
    pub fn method(&mut self, word: usize) -> usize {
        if word & HEAP_ENVIRONMENT == 0 {
            return word;
        }
        let ep = word & !HEAP_ENVIRONMENT;
        if let Some(method) = self.known.get(&ep) {
            return *method;
        }
        let method = method_of(ep, safe_read::words::<3>, |word| self.is_method(word));
        self.known.insert(ep, method);
        method
    }

    /// Whether a word is the address of a method entry.
    pub fn is_method(&mut self, word: usize) -> bool {
        *self.methods.entry(word).or_insert_with(|| {
            let flags = word.is_multiple_of(WORD).then(|| safe_read::words::<1>(word)).flatten();
            flags.is_some_and(|[flags]| is_method_entry(flags))
        })
    }
}

/// The word in the environments from `ep` on that may be a method; 0 for none. `read` reads the
/// three words that end at an environment pointer; `is_method` says whether the word of a block's
/// environment is a method entry.
pub fn method_of(
    mut ep: usize,
    read: impl Fn(usize) -> Option<[usize; 3]>,
    mut is_method: impl FnMut(usize) -> bool,
) -> usize {
    for _ in 0..MAX_NESTING {
        let below = environment::METHOD_BELOW * WORD;
        let from = ep.checked_sub(below).filter(|from| *from >= 4096 && from.is_multiple_of(WORD));
        let Some([method, parent, flags]) = from.and_then(&read) else { return 0 };
        if flags & environment::LOCAL != 0 || method != 0 && is_method(method) {
            return method;
        }
        ep = parent & !environment::PARENT_MARKS;
    }
    0
}
