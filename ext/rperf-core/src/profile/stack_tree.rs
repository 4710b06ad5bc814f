//! The stacks of samples as a tree of frames.

use super::{Profile, Ranks, Sample, SortedStacks};
use crate::ids::LocationId;

/// Tree in which each row is a frame below the row that called it. Rows are numbered in the order
/// in which the samples need them: each sample adds the rows that no sample before it has.
///
/// Rows are not stored, since there may be a hundred million. Instead, each sample has the depth at
/// which it leaves the samples before it.
pub(crate) struct StackTree<'p> {
    profile: &'p Profile,
    samples: Vec<&'p Sample>,
    branches: Vec<Branch>,
}

/// Rows that a sample adds.
#[derive(Clone, Copy, Default)]
struct Branch {
    /// Number of frames, from the root, that earlier samples have, too.
    shared: u32,
    /// Row of the last shared frame.
    caller: u32,
    /// First row that the sample adds.
    first: u32,
}

impl<'p> StackTree<'p> {
    pub(crate) fn of(profile: &'p Profile, samples: Vec<&'p Sample>) -> Self {
        let mut tree = Self { profile, branches: vec![Branch::default(); samples.len()], samples };
        let forks = Forks::of(&tree);
        let mut first = 0;
        for place in 0..tree.samples.len() {
            let shared = forks.shared[place];
            let caller = forks.creator(place).map_or(0, |before| {
                let before = tree.branches[before];
                before.first + (shared - before.shared - 1)
            });
            tree.branches[place] = Branch { shared, caller, first };
            first += tree.samples[place].stack_len - shared;
        }
        tree
    }

    /// Returns the row of the leaf of a sample, by the index of the sample; `None` for a stack
    /// without frames.
    pub(crate) fn leaf(&self, place: usize) -> Option<u32> {
        let (branch, depth) = (self.branches[place], self.samples[place].stack_len);
        match depth - branch.shared {
            _ if depth == 0 => None,
            0 => Some(branch.caller),
            new => Some(branch.first + new - 1),
        }
    }

    /// Returns the number of rows.
    pub(crate) fn len(&self) -> usize {
        self.added().map(<[LocationId]>::len).sum()
    }

    /// Returns the frames of all rows.
    pub(crate) fn frames(&self) -> impl Iterator<Item = LocationId> {
        self.added().flat_map(|frames| frames.iter().rev().copied())
    }

    /// Returns the caller of each row, which has a lower number; `None` for a root.
    pub(crate) fn callers(&self) -> impl Iterator<Item = Option<u32>> {
        self.branches.iter().zip(self.added()).flat_map(|(branch, frames)| {
            let others = branch.first..branch.first + frames.len() as u32;
            let caller = (branch.shared > 0).then_some(branch.caller);
            [caller].into_iter().chain(others.map(Some)).take(frames.len())
        })
    }

    /// Returns the frames that each sample adds, the leaf first.
    fn added(&self) -> impl Iterator<Item = &[LocationId]> {
        self.samples.iter().zip(&self.branches).map(|(sample, branch)| {
            let stack = self.profile.stack(sample);
            &stack[..stack.len() - branch.shared as usize]
        })
    }
}

/// Depths at which samples leave the samples before them.
///
/// In the order of the stacks, all samples that share their outer frames are neighbours. A node is
/// a group of such neighbours with all frames that they share. The rows of a node are those of the
/// sample in the group that comes first in the profile.
struct Forks {
    /// By sample: number of frames that it shares with earlier samples.
    shared: Vec<u32>,
    /// By sample: the node that has these frames.
    node: Vec<u32>,
    /// By node: its first sample, which has its rows.
    creators: Vec<u32>,
}

/// A node that the next samples may share.
struct Open {
    depth: u32,
    node: u32,
    creator: u32,
}

impl Forks {
    fn of(tree: &StackTree<'_>) -> Self {
        let count = tree.samples.len();
        let mut forks = Self { shared: vec![0; count], node: vec![0; count], creators: Vec::new() };
        let ranks = Ranks::alike(0..tree.profile.locations.len());
        let mut stacks = SortedStacks::of_samples(tree.profile, tree.samples.clone(), ranks);
        let mut open = Vec::new();
        let mut last: &[LocationId] = &[];
        while let Some(mut places) = stacks.next_places() {
            let Some(place) = places.next() else { continue };
            let stack = tree.profile.stack(tree.samples[place]);
            forks.close(&mut open, common(last, stack));
            let leaf = forks.open(&mut open, stack.len() as u32, place as u32);
            places.for_each(|place| forks.leave(place as u32, stack.len() as u32, leaf));
            last = stack;
        }
        forks.close(&mut open, 0);
        forks
    }

    /// Returns the sample whose rows a sample shares, if it shares any.
    fn creator(&self, place: usize) -> Option<usize> {
        (self.shared[place] > 0).then(|| self.creators[self.node[place] as usize] as usize)
    }

    /// Opens a node below the open nodes.
    fn open(&mut self, open: &mut Vec<Open>, depth: u32, creator: u32) -> u32 {
        let node = self.creators.len() as u32;
        self.creators.push(creator);
        open.push(Open { depth, node, creator });
        node
    }

    /// Closes all nodes deeper than `depth`: the next samples share only outer frames with them.
    fn close(&mut self, open: &mut Vec<Open>, depth: u32) {
        while let Some(closed) = open.pop_if(|node| node.depth > depth) {
            self.creators[closed.node as usize] = closed.creator;
            match open.last_mut() {
                Some(outer) if outer.depth >= depth => self.join(outer, closed.creator),
                _ => drop(self.open(open, depth, closed.creator)),
            }
        }
    }

    /// Joins two samples at a shared node: the earlier one has its rows, the other leaves it there.
    fn join(&mut self, outer: &mut Open, creator: u32) {
        self.leave(creator.max(outer.creator), outer.depth, outer.node);
        outer.creator = creator.min(outer.creator);
    }

    fn leave(&mut self, place: u32, depth: u32, node: u32) {
        (self.shared[place as usize], self.node[place as usize]) = (depth, node);
    }
}

/// Returns the number of frames that two stacks share, from the root on.
fn common(a: &[LocationId], b: &[LocationId]) -> u32 {
    a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{LabelSetId, ThreadSeq};
    use crate::profile::{Builder, Meta};
    use crate::time::Nanos;

    type Row = (Option<u32>, char);

    /// Returns the rows and the leaves of stacks. Each letter is a frame, the root first.
    fn tree(stacks: &[&str]) -> (Vec<Row>, Vec<Option<u32>>) {
        let mut builder = Builder::new(Meta::default());
        let letters: Vec<LocationId> = ('a'..='z')
            .map(|letter| {
                let function = builder.intern_function("", &letter.to_string(), 0);
                builder.intern_location(function, 0)
            })
            .collect();
        for stack in stacks {
            let stack: Vec<_> =
                stack.bytes().rev().map(|letter| letters[usize::from(letter - b'a')]).collect();
            builder.push(&stack, Nanos(1), 1, ThreadSeq(1), LabelSetId(0));
        }
        let profile = builder.build();
        let tree = StackTree::of(&profile, profile.samples.iter().collect());
        let frames = tree.frames().map(|at| char::from(b'a' + at.0 as u8));
        let rows: Vec<Row> = tree.callers().zip(frames).collect();
        assert_eq!((rows.len(), tree.callers().count()), (tree.len(), tree.len()));
        (rows, (0..stacks.len()).map(|place| tree.leaf(place)).collect())
    }

    /// Returns the same by looking up each frame below its caller.
    fn looked_up(stacks: &[&str]) -> (Vec<Row>, Vec<Option<u32>>) {
        let mut rows: Vec<Row> = Vec::new();
        let row = |caller: Option<u32>, frame: char| {
            let known = rows.iter().position(|row| *row == (caller, frame));
            Some(known.unwrap_or_else(|| {
                rows.push((caller, frame));
                rows.len() - 1
            }) as u32)
        };
        let mut row = row;
        let leaves = stacks.iter().map(|stack| stack.chars().fold(None, &mut row)).collect();
        (rows, leaves)
    }

    #[test]
    fn rows_come_as_the_samples_need_them() {
        let (rows, leaves) = tree(&["abc", "", "ab", "abd", "b", "abc", "abde"]);
        let callers = [None, Some(0), Some(1), Some(1), None, Some(3)];
        assert_eq!(rows, callers.into_iter().zip("abcdbe".chars()).collect::<Vec<_>>());
        assert_eq!(leaves, [Some(2), None, Some(1), Some(3), Some(4), Some(2), Some(5)]);
    }

    #[test]
    fn any_order_gives_the_rows_that_looking_up_gives() {
        let kinds =
            ["", "a", "ab", "abc", "abd", "b", "ba", "bab", "babc", "c", "ca", "cab", "cabbage", "cabs"];
        let mut random = 7usize;
        for count in 0..200 {
            let mut next = || {
                random =
                    random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                kinds[(random >> 33) % kinds.len()]
            };
            let stacks: Vec<&str> = (0..count).map(|_| next()).collect();
            assert_eq!(tree(&stacks), looked_up(&stacks), "{stacks:?}");
        }
    }
}
