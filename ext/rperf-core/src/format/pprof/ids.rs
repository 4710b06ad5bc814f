//! Values by the ids of a message.

use hashbrown::HashMap;

/// Values by id. Ids may be any numbers, but most producers count from 1. Such ids are found
/// without hashing, since the stacks of a profile may refer to a hundred million.
pub(super) struct Ids<Value> {
    /// The values of the ids from 1 on.
    counted: Vec<Value>,
    others: HashMap<u64, Value>,
}

impl<Value: Copy> Ids<Value> {
    pub(super) fn new() -> Self {
        Self { counted: Vec::new(), others: HashMap::new() }
    }

    /// Adds the value of an id. Returns whether the id is new.
    pub(super) fn insert(&mut self, id: u64, value: Value) -> bool {
        if self.get(id).is_some() {
            return false;
        }
        if id == self.counted.len() as u64 + 1 {
            self.counted.push(value);
            return true;
        }
        self.others.insert(id, value).is_none()
    }

    pub(super) fn get(&self, id: u64) -> Option<Value> {
        let counted = usize::try_from(id.wrapping_sub(1)).ok().and_then(|index| self.counted.get(index));
        counted.or_else(|| self.others.get(&id)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_ids_are_found_and_no_id_is_taken_twice() {
        let mut ids = Ids::new();
        let inserted = [1, 2, 4, u64::MAX, 3, 4, 0, 1, 3, 5].map(|id| ids.insert(id, id ^ 3));
        assert_eq!(inserted, [true, true, true, true, true, false, true, false, false, true]);
        for id in [0, 1, 2, 3, 4, 5] {
            assert_eq!(ids.get(id), Some(id ^ 3));
        }
        assert_eq!((ids.get(6), ids.get(u64::MAX - 1)), (None, None));
    }
}
