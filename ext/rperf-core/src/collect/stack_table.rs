//! The stack table: stacks as a tree of prefixes. A stack is its parent (the stack of the callers)
//! and the innermost frame; equal stacks have equal ids.

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;

use super::frame_table::CapturedFrame;
use crate::ids::{FrameId, StackId};

/// Interns stacks. The id of the stack without frames is [`StackTable::EMPTY`].
#[derive(Clone, Debug, Default)]
pub struct StackTable {
    ids: HashMap<(StackId, FrameId), StackId>,
    nodes: Nodes,
    limit: usize,
}

/// The tree alone: enough to find the frames of a stack.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Nodes(Vec<(StackId, FrameId)>);

impl StackTable {
    /// The stack without frames.
    pub const EMPTY: StackId = StackId(0);

    /// A table for at most `limit` stacks, prefixes included.
    pub fn new(limit: usize) -> Self {
        Self { limit, ..Self::default() }
    }

    /// The stack of `frame`, called from the stack `parent`, which this table has given out. `None`
    /// when the table is full.
    pub fn intern(&mut self, parent: StackId, frame: FrameId) -> Option<StackId> {
        match self.ids.entry((parent, frame)) {
            Entry::Occupied(entry) => Some(*entry.get()),
            Entry::Vacant(_) if self.nodes.0.len() >= self.limit => None,
            Entry::Vacant(entry) => {
                self.nodes.0.push((parent, frame));
                Some(*entry.insert(StackId::from(self.nodes.0.len())))
            }
        }
    }

    /// The tree.
    pub fn nodes(&self) -> &Nodes {
        &self.nodes
    }

    /// The tree, without a copy.
    pub fn into_nodes(self) -> Nodes {
        self.nodes
    }
}

impl Nodes {
    /// The callers and the innermost frame of a stack; `None` for the empty one.
    pub fn split(&self, stack: StackId) -> Option<(StackId, FrameId)> {
        stack.index().checked_sub(1).map(|index| self.0[index])
    }

    /// The frames of a stack, the leaf first.
    pub fn frames(&self, stack: StackId) -> impl Iterator<Item = FrameId> {
        std::iter::successors(self.split(stack), |(callers, _)| self.split(*callers)).map(|(_, frame)| frame)
    }

    /// How many stacks there are, prefixes included.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none but the empty one.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The frames of a thread's last stack with their ids: most of a stack stays the same from one
/// capture to the next.
#[derive(Debug, Default)]
pub struct StackCache {
    /// The outermost first: its words, and the stack that ends there.
    frames: Vec<(CapturedFrame, StackId)>,
    /// The era that they were captured in: later the words mean other objects, or the ids other
    /// stacks.
    era: u64,
}

impl StackCache {
    /// The id of the stack of `frames` (the outermost first). `intern` gives the id of a frame that
    /// is not known, on top of its callers; the last frame, the leaf, it is always asked for.
    pub fn stack<Error>(
        &mut self,
        era: u64,
        frames: &[CapturedFrame],
        mut intern: impl FnMut(StackId, &CapturedFrame, bool) -> Result<StackId, Error>,
    ) -> Result<StackId, Error> {
        if std::mem::replace(&mut self.era, era) != era {
            self.frames.clear();
        }
        let Some((leaf, callers)) = frames.split_last() else { return Ok(StackTable::EMPTY) };
        let known = self.frames.iter().zip(callers).take_while(|((known, _), frame)| known == *frame);
        let known = known.count();
        self.frames.truncate(known);
        let mut stack = self.frames.last().map_or(StackTable::EMPTY, |(_, stack)| *stack);
        for frame in &callers[known..] {
            stack = intern(stack, frame, false)?;
            self.frames.push((*frame, stack));
        }
        intern(stack, leaf, true)
    }
}

#[cfg(test)]
mod tests {
    use super::StackTable;
    use crate::ids::FrameId;

    #[test]
    fn equal_stacks_are_one_and_share_their_callers() {
        let mut table = StackTable::new(3);
        let [main, one, other] = [0_usize, 1, 2].map(FrameId::from);
        let callers = table.intern(StackTable::EMPTY, main).expect("room");
        let stack = table.intern(callers, one).expect("room");
        assert_eq!(table.intern(callers, one), Some(stack));
        assert_eq!(table.nodes().frames(stack).collect::<Vec<_>>(), [one, main]);
        assert_eq!(table.nodes().frames(StackTable::EMPTY).count(), 0);
        assert!(table.intern(callers, other).is_some());
        assert_eq!(table.intern(StackTable::EMPTY, other), None, "the table is full");
        assert_eq!(table.nodes().len(), 3);
    }
}
