//! Finds equal stacks in the flat list of a profile's stacks.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::ids::LocationId;

/// Interns stacks into a flat list that the caller owns, so that equal stacks are stored once.
///
/// One table belongs to one list: ranges that it hands out lie in the list that it was given.
pub(crate) struct StackTable {
    hasher: DefaultHashBuilder,
    ranges: HashTable<(u32, u32)>,
}

impl StackTable {
    pub(crate) fn new() -> Self {
        Self { hasher: DefaultHashBuilder::default(), ranges: HashTable::new() }
    }

    /// Start and length of this stack in `list`, to which it is appended when it is new.
    pub(crate) fn intern(&mut self, list: &mut Vec<LocationId>, stack: &[LocationId]) -> (u32, u32) {
        let hash = self.hasher.hash_one(stack);
        if let Some(range) = self.ranges.find(hash, |range| slice(list, *range) == stack) {
            return *range;
        }
        let range = (position(list.len()), position(stack.len()));
        list.extend_from_slice(stack);
        self.insert(list, hash, range);
        range
    }

    /// The range of the first stack seen that equals the one at `range` of `list`.
    pub(crate) fn first_equal(&mut self, list: &[LocationId], range: (u32, u32)) -> (u32, u32) {
        let stack = slice(list, range);
        let hash = self.hasher.hash_one(stack);
        if let Some(first) = self.ranges.find(hash, |other| *other == range || slice(list, *other) == stack) {
            return *first;
        }
        self.insert(list, hash, range);
        range
    }

    fn insert(&mut self, list: &[LocationId], hash: u64, range: (u32, u32)) {
        let hasher = &self.hasher;
        self.ranges.insert_unique(hash, range, |range| hasher.hash_one(slice(list, *range)));
    }
}

fn slice(list: &[LocationId], (start, len): (u32, u32)) -> &[LocationId] {
    &list[start as usize..start as usize + len as usize]
}

fn position(index: usize) -> u32 {
    u32::try_from(index).expect("the stacks of a profile hold fewer than 2^32 locations")
}
