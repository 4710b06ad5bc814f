//! Fingerprints of stacks: whether a thread stands where it stood before, without a copy of where that was.

use std::hash::BuildHasher;
use std::num::NonZeroU64;

use hashbrown::DefaultHashBuilder;

use crate::ids::LabelSetId;

/// Takes fingerprints: two that it takes are compared with one another only.
#[derive(Clone, Debug, Default)]
pub struct Fingerprints {
    hasher: DefaultHashBuilder,
}

/// What a stack is known by. That another has the same is as likely as 1 to 2^64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint(NonZeroU64);

impl Fingerprint {
    /// As a plain number, to be kept in an atomic where 0 stands for none.
    pub fn number(self) -> u64 {
        self.0.get()
    }
}

impl Fingerprints {
    /// That of a stack with these labels, of whose frames these words tell what they are. The words are addresses, which may mean other objects after a collection:
    /// `collections` says how many there have been.
    pub fn take(
        &self,
        frames: impl Iterator<Item = [usize; 5]>,
        labels: LabelSetId,
        collections: u64,
    ) -> Fingerprint {
        use std::hash::Hasher;
        let mut state = self.hasher.build_hasher();
        state.write_u64(collections);
        state.write_u64(labels.0.into());
        for words in frames {
            words.into_iter().for_each(|word| state.write_usize(word));
        }
        Fingerprint(NonZeroU64::new(state.finish()).unwrap_or(NonZeroU64::MAX))
    }
}
