//! Names for leaves that were seen in motion.
//!
//! Whoever looks at a thread from outside copies its words one after the other, each some 0.1 us after the last. Of a C
//! method that takes less, or an instruction, the name may thus be that of one moment and the position that of the next.
//! Such a leaf is unsettled: it gets the name that settled leaves had at the same position.

use hashbrown::HashMap;

use super::{RawFrame, SnapshotSample};
use crate::ids::FrameId;

/// A position in code, whose call or instruction makes the leaf.
type Position = (u64, u32);

/// Which settled leaves were seen, by position, wherever an unsettled one was.
#[derive(Clone, Debug)]
pub struct Leaves<'a> {
    frames: &'a [RawFrame],
    seen: HashMap<Position, HashMap<FrameId, u64>>,
}

impl<'a> Leaves<'a> {
    /// Those of the samples, whose frames are `frames`.
    pub fn of(samples: &[SnapshotSample], frames: &'a [RawFrame]) -> Self {
        let mut leaves = Self { frames, seen: HashMap::new() };
        let is_unsettled = |sample: &&SnapshotSample| {
            sample.stack.first().is_some_and(|leaf| frames[leaf.index()].is_unsettled())
        };
        for sample in samples.iter().filter(is_unsettled) {
            if let Some(position) = leaves.position(&sample.stack) {
                leaves.seen.entry(position).or_default();
            }
        }
        samples.iter().filter(|sample| !is_unsettled(sample)).for_each(|sample| leaves.add(sample));
        leaves
    }

    /// Counts a settled leaf.
    fn add(&mut self, sample: &SnapshotSample) {
        if let Some(seen) = self.position(&sample.stack).and_then(|position| self.seen.get_mut(&position)) {
            *seen.entry(sample.stack[0]).or_default() += sample.count;
        }
    }

    /// Where the leaf of a stack was called, or where it is itself when it is Ruby code.
    fn position(&self, stack: &[FrameId]) -> Option<Position> {
        let frame = |index: usize| stack.get(index).map(|id| self.frames[id.index()]);
        let is_c_method = frame(0)?.code == 0;
        let place = frame(usize::from(is_c_method))?;
        (place.code != 0 && place.position != 0).then_some((place.code, place.position))
    }

    /// The leaf that a stack has, by all that was seen at its position; `None` where nothing names it. For stacks
    /// of the samples whose first frame is unsettled.
    pub fn settle(&self, stack: &[FrameId]) -> Option<FrameId> {
        let leaf = *stack.first()?;
        let raw = self.frames[leaf.index()];
        let alike = |id: &FrameId| (self.frames[id.index()].code == 0) == (raw.code == 0);
        let seen = self.position(stack).and_then(|position| self.seen.get(&position));
        let candidates = || seen.into_iter().flatten().filter(|(id, _)| alike(id));
        let same = candidates().find(|(id, _)| self.frames[id.index()] == raw.settled());
        // Of equals the first that was seen, so that the result is always the same.
        let most = || candidates().max_by_key(|(id, count)| (**count, std::cmp::Reverse(id.index())));
        let found = same.or_else(most).map(|(id, _)| *id);
        found.or_else(|| (raw != RawFrame::SOME_C_METHOD).then_some(leaf))
    }
}
