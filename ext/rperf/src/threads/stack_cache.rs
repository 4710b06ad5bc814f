//! The frames of a thread's last stack with their ids: most of a stack stays the same from one
//! capture to the next.

use rperf_core::collect::{CapturedFrame, StackTable};
use rperf_core::ids::StackId;

/// The last stack, the outermost frame first: each frame's words, and the stack that ends there.
#[derive(Debug, Default)]
pub struct StackCache {
    frames: Vec<(CapturedFrame, StackId)>,
    /// How many collections had marked when the first was put in: the words mean other objects
    /// later.
    collections: u64,
}

impl StackCache {
    /// The id of the stack of `frames` (the outermost first). `intern` gives the id of a frame that
    /// is not known, on top of its callers; the last frame, the leaf, it is always asked for.
    /// `None` where it gives none.
    pub fn stack(
        &mut self,
        collections: u64,
        frames: &[CapturedFrame],
        mut intern: impl FnMut(StackId, &CapturedFrame, bool) -> Option<StackId>,
    ) -> Option<StackId> {
        if std::mem::replace(&mut self.collections, collections) != collections {
            self.frames.clear();
        }
        let Some((leaf, callers)) = frames.split_last() else { return Some(StackTable::EMPTY) };
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

    /// Forgets all: the ids are given away anew.
    pub fn clear(&mut self) {
        self.frames.clear();
    }
}
