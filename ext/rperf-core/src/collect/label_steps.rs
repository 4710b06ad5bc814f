//! Remembered steps from one label set to another. A step is found by the arguments of a call,
//! without making texts of them.

use std::hash::{BuildHasher, Hash, Hasher};

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::ids::LabelSetId;

/// A key or a value of a call, as the VM has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelWord<'text> {
    /// A number that always means the same: a Symbol, a small Integer, nil.
    Unique(u64),
    /// The bytes of a String.
    Text(&'text [u8]),
}

/// Maximum number of remembered steps. When it is reached, all are forgotten.
const STEPS: usize = 4096;
/// Maximum bytes of a text in a remembered step, since longer texts would be stored twice.
const TEXT_BYTES: usize = 512;

/// Remembered steps. They are valid as long as the numbers of the sets are.
#[derive(Debug, Default)]
pub struct LabelSteps {
    steps: HashTable<Step>,
    hasher: DefaultHashBuilder,
}

#[derive(Debug)]
struct Step {
    from: LabelSetId,
    words: Box<[OwnedWord]>,
    to: LabelSetId,
}

#[derive(Debug)]
enum OwnedWord {
    Unique(u64),
    Text(Box<[u8]>),
}

impl LabelSteps {
    /// Returns where these words, keys and values in turn, lead from a set. Allocates nothing.
    pub fn find(&self, from: LabelSetId, words: &[LabelWord<'_>]) -> Option<LabelSetId> {
        let step =
            self.steps.find(hash(&self.hasher, from, words.iter().copied()), |step| step.is(from, words));
        step.map(|step| step.to)
    }

    /// Remembers that these words lead from the set `from` to the set `to`.
    pub fn remember(&mut self, from: LabelSetId, words: &[LabelWord<'_>], to: LabelSetId) {
        if words.iter().any(|word| matches!(word, LabelWord::Text(text) if text.len() > TEXT_BYTES)) {
            return;
        }
        if self.steps.len() >= STEPS {
            self.steps.clear();
        }
        let hasher = &self.hasher;
        let step = Step { from, words: words.iter().map(|word| word.owned()).collect(), to };
        self.steps.insert_unique(hash(hasher, from, words.iter().copied()), step, |step| {
            hash(hasher, step.from, step.words.iter().map(OwnedWord::borrow))
        });
    }
}

impl Step {
    fn is(&self, from: LabelSetId, words: &[LabelWord<'_>]) -> bool {
        self.from == from
            && self.words.len() == words.len()
            && self.words.iter().zip(words).all(|(own, word)| own.borrow() == *word)
    }
}

impl LabelWord<'_> {
    fn owned(self) -> OwnedWord {
        match self {
            LabelWord::Unique(number) => OwnedWord::Unique(number),
            LabelWord::Text(text) => OwnedWord::Text(text.into()),
        }
    }
}

impl OwnedWord {
    fn borrow(&self) -> LabelWord<'_> {
        match self {
            OwnedWord::Unique(number) => LabelWord::Unique(*number),
            OwnedWord::Text(text) => LabelWord::Text(text),
        }
    }
}

fn hash<'words>(
    hasher: &DefaultHashBuilder,
    from: LabelSetId,
    words: impl Iterator<Item = LabelWord<'words>>,
) -> u64 {
    let mut state = hasher.build_hasher();
    from.hash(&mut state);
    for word in words {
        match word {
            LabelWord::Unique(number) => state.write_u64(number),
            LabelWord::Text(text) => state.write(text),
        }
    }
    state.finish()
}
