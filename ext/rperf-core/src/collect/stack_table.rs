//! The stack table: a tree of prefixes. A stack is its parent (the stack of the callers) and the
//! innermost frame; equal stacks have equal ids.

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;

use crate::ids::{FrameId, StackId};

/// Table that interns stacks. The id of the stack without frames is [`StackTable::EMPTY`].
#[derive(Clone, Debug)]
pub struct StackTable {
    ids: HashMap<(StackId, FrameId), StackId>,
    nodes: Nodes,
    /// For each stack, the empty one first: the stack that was last interned on top of it.
    on_top: Vec<StackId>,
    limit: usize,
}

/// The tree alone, which is enough to find the frames of a stack.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Nodes(Vec<(StackId, FrameId)>);

impl StackTable {
    /// The stack without frames.
    pub const EMPTY: StackId = StackId(0);

    /// Creates a table for at most `limit` stacks, prefixes included.
    pub fn new(limit: usize) -> Self {
        Self { ids: HashMap::new(), nodes: Nodes::default(), on_top: vec![Self::EMPTY], limit }
    }

    /// Returns the stack that was last interned on top of this one, and its innermost frame. Most
    /// often the same stack comes again, and is found here in fewer cache lines than by its hash.
    pub fn last_on(&self, parent: StackId) -> Option<(StackId, FrameId)> {
        let stack = self.on_top[parent.index()];
        self.nodes.split(stack).map(|(_, frame)| (stack, frame))
    }

    /// Returns the stack of `frame`, called from the stack `parent`, which this table has given
    /// out. Returns `None` when the table is full.
    pub fn intern(&mut self, parent: StackId, frame: FrameId) -> Option<StackId> {
        let stack = match self.ids.entry((parent, frame)) {
            Entry::Occupied(entry) => *entry.get(),
            Entry::Vacant(_) if self.nodes.0.len() >= self.limit => return None,
            Entry::Vacant(entry) => {
                self.nodes.0.push((parent, frame));
                self.on_top.push(Self::EMPTY);
                *entry.insert(StackId::from(self.nodes.0.len()))
            }
        };
        self.on_top[parent.index()] = stack;
        Some(stack)
    }

    /// Returns the tree.
    pub fn nodes(&self) -> &Nodes {
        &self.nodes
    }

    /// Returns the tree, without a copy.
    pub fn into_nodes(self) -> Nodes {
        self.nodes
    }
}

impl Nodes {
    /// Returns the callers and the innermost frame of a stack; `None` for the empty stack.
    pub fn split(&self, stack: StackId) -> Option<(StackId, FrameId)> {
        stack.index().checked_sub(1).map(|index| self.0[index])
    }

    /// Returns the frames of a stack, the leaf first.
    pub fn frames(&self, stack: StackId) -> impl Iterator<Item = FrameId> {
        std::iter::successors(self.split(stack), |(callers, _)| self.split(*callers)).map(|(_, frame)| frame)
    }

    /// Returns the number of stacks, prefixes included.
    pub fn len(&self) -> usize {
        self.0.len()
    }
}
