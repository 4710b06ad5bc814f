//! The tree of stacks, reduced to the nodes at which stacks end or fork.

use super::{Profile, Ranks, Sample, SortedStacks};
use crate::ids::LocationId;

/// Tree of the stacks of samples. It has nodes only where a stack ends and where two stacks fork,
/// so the number of nodes is at most twice the number of samples, whatever the depth of the stacks.
/// Node 0 is above all roots. Each node has a higher index than its caller.
pub(super) struct ForkTree {
    pub(super) nodes: Vec<Fork>,
    /// By sample: the node at which its stack ends.
    pub(super) ends: Vec<u32>,
}

#[derive(Clone, Copy)]
pub(super) struct Fork {
    /// Next node towards the root.
    pub(super) caller: u32,
    /// Number of frames from the root to this node.
    pub(super) depth: u32,
    /// A sample whose stack contains this node.
    pub(super) sample: u32,
}

impl ForkTree {
    pub(super) fn of(profile: &Profile, samples: &[&Sample]) -> Self {
        let ranks = Ranks::alike(0..profile.locations.len());
        let mut stacks = SortedStacks::of_samples(profile, samples.to_vec(), ranks);
        let mut growing = Growing::new(samples.len());
        let mut last: &[LocationId] = &[];
        // Stacks that share their outer frames are neighbours.
        while let Some(places) = stacks.next_places() {
            let places: Vec<u32> = places.map(|place| place as u32).collect();
            let stack = profile.stack(samples[places[0] as usize]);
            let shared = last.iter().rev().zip(stack.iter().rev()).take_while(|(a, b)| a == b).count();
            growing.close(shared as u32);
            growing.open(stack.len() as u32, &places);
            last = stack;
        }
        growing.close(0);
        growing.sorted()
    }
}

/// Tree to which stacks are added in sorted order. Its nodes are not sorted by depth yet.
struct Growing {
    tree: ForkTree,
    /// Nodes on the last stack added, from the root. Each one is the caller of the next.
    open: Vec<u32>,
}

impl Growing {
    fn new(samples: usize) -> Self {
        let root = Fork { caller: 0, depth: 0, sample: 0 };
        Self { tree: ForkTree { nodes: vec![root], ends: vec![0; samples] }, open: vec![0] }
    }

    /// Closes all nodes deeper than `depth`. A node at `depth` is then the innermost open one.
    fn close(&mut self, depth: u32) {
        while let Some(closed) = self.open.pop_if(|node| self.tree.nodes[*node as usize].depth > depth) {
            let outer = self.open.last().map_or(0, |outer| self.tree.nodes[*outer as usize].depth);
            if outer < depth {
                let sample = self.tree.nodes[closed as usize].sample;
                self.push(Fork { caller: 0, depth, sample });
            }
            self.tree.nodes[closed as usize].caller = self.open.last().copied().unwrap_or(0);
        }
    }

    /// Adds the node at which the stack of these samples ends.
    fn open(&mut self, depth: u32, samples: &[u32]) {
        let outer = self.open.last().copied().unwrap_or(0);
        if self.tree.nodes[outer as usize].depth < depth {
            self.push(Fork { caller: outer, depth, sample: samples[0] });
        }
        let end = self.open.last().copied().unwrap_or(0);
        samples.iter().for_each(|sample| self.tree.ends[*sample as usize] = end);
    }

    fn push(&mut self, node: Fork) {
        self.open.push(self.tree.nodes.len() as u32);
        self.tree.nodes.push(node);
    }

    /// Returns the tree with its nodes sorted by depth.
    fn sorted(self) -> ForkTree {
        let ForkTree { nodes, mut ends } = self.tree;
        let mut order: Vec<u32> = (0..nodes.len() as u32).collect();
        order.sort_by_key(|node| nodes[*node as usize].depth);
        let mut number = vec![0; nodes.len()];
        (0..).zip(&order).for_each(|(new, old)| number[*old as usize] = new);
        ends.iter_mut().for_each(|end| *end = number[*end as usize]);
        let node = |old: &u32| {
            let node = nodes[*old as usize];
            Fork { caller: number[node.caller as usize], ..node }
        };
        ForkTree { nodes: order.iter().map(node).collect(), ends }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{LabelSetId, ThreadSeq};
    use crate::profile::{Builder, Meta};
    use crate::time::Nanos;

    /// Returns the nodes as `depth<caller`, and the node at which each stack ends. Stacks are given
    /// from the root; each letter is a frame.
    fn tree(stacks: &[&str]) -> (String, Vec<u32>) {
        let mut builder = Builder::new(Meta::default());
        for stack in stacks {
            let frames = stack.bytes().rev().map(|letter| {
                let function = builder.intern_function("a.rb", &char::from(letter).to_string(), 0);
                builder.intern_location(function, 0)
            });
            let frames: Vec<_> = frames.collect();
            builder.push(&frames, Nanos(1), 1, ThreadSeq(1), LabelSetId(0));
        }
        let profile = builder.build();
        let tree = ForkTree::of(&profile, &profile.samples.iter().collect::<Vec<_>>());
        let nodes: Vec<_> = tree.nodes.iter().map(|it| format!("{}<{}", it.depth, it.caller)).collect();
        (nodes.join(" "), tree.ends)
    }

    #[test]
    fn there_are_nodes_at_ends_and_forks() {
        assert_eq!(tree(&[]), ("0<0".to_owned(), vec![]));
        assert_eq!(tree(&["", "abc"]), ("0<0 3<0".to_owned(), vec![0, 1]));
        assert_eq!(tree(&["abcd", "ab", "abcd"]), ("0<0 2<0 4<1".to_owned(), vec![2, 1, 2]));
        assert_eq!(tree(&["abcd", "abef"]).0, "0<0 2<0 4<1 4<1");
        assert_eq!(tree(&["abcd", "abce", "axyz", "q"]).0, "0<0 1<0 1<0 3<1 4<3 4<3 4<1");
    }
}
