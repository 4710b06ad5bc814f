//! Finds equal stacks in the flat list of a profile's stacks.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::ids::LocationId;

/// Table that interns stacks into a flat list of its caller's: equal stacks are stored once.
///
/// One table belongs to one list: the ranges that it returns lie in this list.
pub(crate) struct StackTable {
    hasher: DefaultHashBuilder,
    stacks: HashTable<Entry>,
}

/// A stack, with its hash: when the table grows, hashing a million stacks again would take longer
/// than reading the profile.
struct Entry {
    hash: u64,
    range: (u32, u32),
}

impl StackTable {
    pub(crate) fn new() -> Self {
        Self { hasher: DefaultHashBuilder::default(), stacks: HashTable::new() }
    }

    /// Returns start and length of this stack in `list`, to which a new stack is appended.
    pub(crate) fn intern(&mut self, list: &mut Vec<LocationId>, stack: &[LocationId]) -> (u32, u32) {
        let hash = self.hasher.hash_one(stack);
        let same = |entry: &Entry| entry.hash == hash && slice(list, entry.range) == stack;
        if let Some(entry) = self.stacks.find(hash, same) {
            return entry.range;
        }
        let range = (position(list.len()), position(stack.len()));
        list.extend_from_slice(stack);
        self.insert(hash, range);
        range
    }

    /// Returns the range of the first stack seen that equals the one at `range` of `list`.
    pub(crate) fn first_equal(&mut self, list: &[LocationId], range: (u32, u32)) -> (u32, u32) {
        let stack = slice(list, range);
        let hash = self.hasher.hash_one(stack);
        let same =
            |entry: &Entry| entry.range == range || entry.hash == hash && slice(list, entry.range) == stack;
        if let Some(first) = self.stacks.find(hash, same) {
            return first.range;
        }
        self.insert(hash, range);
        range
    }

    fn insert(&mut self, hash: u64, range: (u32, u32)) {
        self.stacks.insert_unique(hash, Entry { hash, range }, |entry| entry.hash);
    }
}

fn slice(list: &[LocationId], (start, len): (u32, u32)) -> &[LocationId] {
    &list[start as usize..start as usize + len as usize]
}

fn position(index: usize) -> u32 {
    u32::try_from(index).expect("the stacks of a profile hold fewer than 2^32 locations")
}
