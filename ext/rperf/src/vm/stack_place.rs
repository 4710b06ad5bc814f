//! Where things are in a VM stack, as far as another thread's is copied, and what of it is.
//!
//! Context: the worker.

use std::ops::Range;

use super::offsets::{WORD, frame};
use super::root_stack::RootStack;

/// The largest VM stack that is copied, in words (Ruby's default is 128 Ki words for the main thread).
pub const MAX_WORDS: usize = 1 << 20;
/// By how much a stack may have grown since it was last looked at, in words: more needs a second look.
const ROOM: usize = 64;
/// How many words of values around the innermost frame are copied twice.
const NEAR: usize = 128;
/// What is copied first of the innermost frame of Ruby code: the frame and the end of its caller's values; its own last
/// values with the environment of a C method that it calls; and that method's frame. In words.
const RUBY: usize = 9;
const OPERANDS_BELOW: usize = 4;
const OPERANDS_ABOVE: usize = 4;
const CALLEE: usize = 8;
/// What is copied again behind these: the members up to the end of the frame's values, in words.
pub const POSITION: usize = frame::SP + 1;

/// What is copied of a VM stack, once or again, in this order: it is the only list of these.
#[derive(Clone, Copy, Debug)]
pub enum Part {
    /// The innermost frame of Ruby code, where it was at the last look.
    Ruby,
    /// Its last values, and what follows.
    Operands,
    /// Its position and the end of its values, which change with each instruction: to see whether it stood still.
    Position,
    /// The frame of a C method that it calls.
    Callee,
    /// Values around the innermost frame, copied before the frames.
    Near,
    /// The frames.
    Frames,
    /// All values, copied behind the frames.
    Values,
}

impl Part {
    /// All of them, in order.
    pub const ALL: [Self; 7] =
        [Self::Ruby, Self::Operands, Self::Position, Self::Callee, Self::Near, Self::Frames, Self::Values];

    /// Where it was at the last look.
    pub fn range(self, place: &Place) -> Range<usize> {
        match self {
            Self::Ruby => place.inside(place.ruby, 0, RUBY),
            Self::Operands => place.inside(place.ruby_end, OPERANDS_BELOW, OPERANDS_ABOVE),
            Self::Position => place.inside(place.ruby, 0, POSITION),
            Self::Callee => place.inside(place.ruby, CALLEE, 0),
            Self::Near => place.near_values(),
            Self::Frames => place.frames(),
            Self::Values => place.values(),
        }
    }
}

/// Where things were at the last look: they are expected there again, so that one system call copies it all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The execution context.
    pub context: usize,
    /// The VM stack's lowest address.
    pub low: usize,
    /// Its size in words.
    pub size: usize,
    /// The innermost frame.
    pub top: usize,
    /// The end of its values.
    pub values_end: usize,
    /// The innermost frame of Ruby code.
    pub ruby: usize,
    /// The end of its values.
    pub ruby_end: usize,
}

impl Place {
    /// Whether a stack may be like that.
    pub fn is_sane(&self) -> bool {
        self.size <= MAX_WORDS && self.values_end >= self.low && self.values_end <= self.top
    }

    /// Whether it is this thread's own stack, and all that is copied lies in it.
    pub fn is_of(&self, root: RootStack) -> bool {
        let stack = self.low..=self.low + self.size * WORD;
        (self.context, self.low, self.size) == (root.context, root.low, RootStack::words())
            && [self.top, self.values_end, self.ruby, self.ruby_end]
                .iter()
                .all(|address| stack.contains(address) && address.is_multiple_of(WORD))
    }

    /// Where to copy frames from: those that have come since, too.
    fn frames(&self) -> Range<usize> {
        self.top.saturating_sub(ROOM * WORD).max(self.low)..self.low + self.size * WORD
    }

    /// So many words below and above an address, as far as they are in the VM stack.
    fn inside(&self, address: usize, below: usize, above: usize) -> Range<usize> {
        let end = self.low + self.size * WORD;
        address.saturating_sub(below * WORD).max(self.low)..(address + above * WORD).min(end)
    }

    /// Where to copy values from.
    pub fn values(&self) -> Range<usize> {
        self.low..(self.values_end + ROOM * WORD).min(self.top)
    }

    fn near_values(&self) -> Range<usize> {
        let Range { start, end } = self.values();
        end.saturating_sub(NEAR * WORD).max(start)..end
    }
}
