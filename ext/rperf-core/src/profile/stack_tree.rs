//! The stacks of samples as a tree of frames.

use super::fork_tree::ForkTree;
use super::{Profile, Sample};
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
struct Branch {
    /// Number of frames, from the root, that earlier samples have, too.
    shared: u32,
    /// Row of the last shared frame.
    caller: Option<u32>,
    /// First row that the sample adds.
    first: u32,
}

impl<'p> StackTree<'p> {
    pub(crate) fn of(profile: &'p Profile, samples: Vec<&'p Sample>) -> Self {
        let ForkTree { nodes, ends } = ForkTree::of(profile, &samples);
        // By node: the row of its frame, if an earlier sample has it.
        let mut rows = vec![None; nodes.len()];
        let mut first = 0;
        let branch = |end: u32| {
            let towards_root = |node: &u32| (*node != 0).then(|| nodes[*node as usize].caller);
            let path = std::iter::successors(Some(end), towards_root);
            let last = path.clone().find(|node| rows[*node as usize].is_some()).unwrap_or(0);
            let shared = nodes[last as usize].depth;
            let branch = Branch { shared, caller: rows[last as usize], first };
            for node in path.take_while(|node| *node != last) {
                rows[node as usize] = Some(branch.first + nodes[node as usize].depth - shared - 1);
            }
            first += nodes[end as usize].depth - shared;
            branch
        };
        let branches = ends.into_iter().map(branch).collect();
        Self { profile, samples, branches }
    }

    /// Returns the row of the leaf of a sample, by the index of the sample; `None` for a stack
    /// without frames.
    pub(crate) fn leaf(&self, place: usize) -> Option<u32> {
        let branch = &self.branches[place];
        match self.samples[place].stack_len - branch.shared {
            0 => branch.caller,
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
            [branch.caller].into_iter().chain(others.map(Some)).take(frames.len())
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
