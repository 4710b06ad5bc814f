//! All stacks of a document as one tree, root first: common beginnings are stored once.

use hashbrown::HashMap;

/// Interns stacks. Node 0 is the root and stands for the empty stack.
pub(super) struct CallTree {
    nodes: Vec<Node>,
    children: HashMap<(u32, u32), u32>,
}

/// A call. In links, 0 means "none", since the root is not the child of a call.
#[derive(Clone, Copy, Default)]
struct Node {
    location: u32,
    first_child: u32,
    last_child: u32,
    next_sibling: u32,
}

/// The nodes in depth-first order, without the root. A node's parent follows from the nodes before
/// it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Preorder {
    /// Location of each node.
    pub(super) locations: Vec<u32>,
    /// Number of levels to go up from the node before to reach each node's parent.
    pub(super) ups: Vec<u32>,
    /// Position of each node of the tree in this order. The root stays 0, the first node is 1.
    pub(super) position: Vec<u32>,
}

impl CallTree {
    pub(super) fn new() -> Self {
        Self { nodes: vec![Node::default()], children: HashMap::new() }
    }

    /// Returns the node of a stack, which is given from its root to its leaf.
    pub(super) fn intern(&mut self, stack: impl Iterator<Item = u32>) -> u32 {
        stack.fold(0, |parent, location| self.child(parent, location))
    }

    fn child(&mut self, parent: u32, location: u32) -> u32 {
        let nodes = &mut self.nodes;
        *self.children.entry((parent, location)).or_insert_with(|| {
            // The stacks of a profile hold fewer than 2^32 locations, so there are fewer nodes.
            let id = nodes.len() as u32;
            nodes.push(Node { location, ..Node::default() });
            let last = std::mem::replace(&mut nodes[parent as usize].last_child, id);
            match last {
                0 => nodes[parent as usize].first_child = id,
                last => nodes[last as usize].next_sibling = id,
            }
            id
        })
    }

    /// Converts the tree to lists, with children in the order in which they were added.
    pub(super) fn into_preorder(self) -> Preorder {
        let mut order = Preorder { position: vec![0; self.nodes.len()], ..Preorder::default() };
        // Nodes still to visit, each with its depth. The node before the first is the root, at
        // depth 0.
        let mut waiting: Vec<(u32, u32)> = Vec::new();
        let mut depth_before = 0;
        let mut next = (self.nodes[0].first_child, 1);
        loop {
            let (id, depth) = match next {
                (0, _) => match waiting.pop() {
                    Some(entry) => entry,
                    None => return order,
                },
                entry => entry,
            };
            let node = self.nodes[id as usize];
            order.locations.push(node.location);
            order.ups.push(depth_before + 1 - depth);
            order.position[id as usize] = order.locations.len() as u32;
            if node.next_sibling != 0 {
                waiting.push((node.next_sibling, depth));
            }
            depth_before = depth;
            next = (node.first_child, depth + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stores_common_beginnings_once_in_depth_first_order() {
        let mut tree = CallTree::new();
        let deep = tree.intern([1, 2, 3].into_iter());
        let other = tree.intern([1, 4].into_iter());
        let beside = tree.intern([1, 2, 5].into_iter());
        let second = tree.intern([6].into_iter());
        assert_eq!(tree.intern([1, 4].into_iter()), other);
        assert_eq!(tree.intern([].into_iter()), 0);
        let order = tree.into_preorder();
        assert_eq!(order.locations, [1, 2, 3, 5, 4, 6]);
        assert_eq!(order.ups, [0, 0, 0, 1, 2, 2]);
        let at = |id: u32| order.position[id as usize];
        assert_eq!([at(deep), at(beside), at(other), at(second), at(0)], [3, 4, 5, 6, 0]);
    }

    #[test]
    fn an_empty_tree_has_no_nodes() {
        let order = CallTree::new().into_preorder();
        assert_eq!(order, Preorder { position: vec![0], ..Preorder::default() });
    }
}
