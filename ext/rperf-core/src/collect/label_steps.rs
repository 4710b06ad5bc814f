//! Remembered steps from one label set to another. A step is found by the arguments of a call,
//! without making texts of them.

use hashbrown::HashMap;

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
    steps: HashMap<Box<[u8]>, LabelSetId>,
    /// Key of the last step that was looked for or remembered.
    key: Vec<u8>,
}

impl LabelSteps {
    /// Returns where these words, keys and values in turn, lead from a set. Allocates nothing,
    /// except for the first longest step.
    pub fn find(&mut self, from: LabelSetId, words: &[LabelWord<'_>]) -> Option<LabelSetId> {
        self.set_key(from, words)?;
        self.steps.get(self.key.as_slice()).copied()
    }

    /// Remembers that these words lead from the set `from` to the set `to`.
    pub fn remember(&mut self, from: LabelSetId, words: &[LabelWord<'_>], to: LabelSetId) {
        if self.set_key(from, words).is_none() {
            return;
        }
        if self.steps.len() >= STEPS {
            self.steps.clear();
        }
        self.steps.insert(self.key.as_slice().into(), to);
    }

    /// Sets the key to that of a step. Returns `None` if a text is too long.
    fn set_key(&mut self, from: LabelSetId, words: &[LabelWord<'_>]) -> Option<()> {
        self.key.clear();
        self.key.extend(from.0.to_ne_bytes());
        for word in words {
            match word {
                LabelWord::Unique(number) => {
                    self.key.extend([0, *number].map(u64::to_ne_bytes).as_flattened())
                }
                LabelWord::Text(text) if text.len() > TEXT_BYTES => return None,
                LabelWord::Text(text) => {
                    // Never 0, which marks a number.
                    self.key.extend((1 + text.len() as u64).to_ne_bytes());
                    self.key.extend(*text);
                }
            }
        }
        Some(())
    }
}
