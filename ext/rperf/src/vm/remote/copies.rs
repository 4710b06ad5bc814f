//! Copies of the VM stack of another thread, all made by one system call.
//!
//! Context: the sampling thread. Two kinds of words are followed out of the VM stack, for the
//! methods of frames: addresses of environments that have left it (closures, fibers, `binding`),
//! and words that may be method entries. The kernel reads both, since they may be freed meanwhile.
//! The interpretation checks each word that was read.
//!
//! The inner frames and the values around them are copied first, right after the pointer to the
//! innermost frame. The whole stack, whose other frames change seldom, is copied after them.

use std::cell::RefCell;
use std::io;
use std::ops::Range;

use hashbrown::HashMap;

use crate::os::copier::{Copier, Piece};
use crate::vm::control_frames::Memory;
use crate::vm::layout::MAX_STACK_WORDS;
use crate::vm::offsets::{WORD, context, frame};

/// Maximum part of a stack that is in use and can be copied, in words (Ruby's default is 128 Ki
/// words for the whole stack of the main thread).
const MAX_COPY_WORDS: usize = 1 << 23;
/// Words of the buffer until a stack needs more. Memory is used for what is copied only, but the
/// whole buffer counts where the addresses of the process are limited (`ulimit -v`).
const COPY_WORDS: usize = (1 << 17) + (1 << 12);
/// Maximum growth of a stack since its last capture, in words. More growth needs a second capture.
const GROWTH_WORDS: usize = 256;
/// Maximum words of a stack that is not deep. A deep one may have grown by [`DEEP_GROWTH_WORDS`].
const DEEP_WORDS: usize = 4096;
const DEEP_GROWTH_WORDS: usize = 1024;
/// Number of words around the expected innermost frame that are read first: above it, where new
/// frames come (2 frames of 56 bytes), and below it, the frame and its nearest callers (4 frames).
const INNER_ABOVE_WORDS: usize = 14;
const INNER_BELOW_WORDS: usize = 28;
/// The same for the values, which grow in the other direction. (All these must fit into a page, 4
/// KiB: in the middle of a copy the system takes some 0.3 us to go on to the next page.)
const VALUES_BELOW_WORDS: usize = 24;
const VALUES_ABOVE_WORDS: usize = 12;
/// Maximum number of places whose words are remembered. If a program uses more of them between two
/// collections, each is read once a capture.
const REMEMBERED: usize = 4096;
/// Number of pieces of a copy.
const PIECES: usize = 7;

/// Position of a thread's stack when it was last captured. The stack is expected there again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StackPosition {
    /// Address of the execution context.
    pub context: usize,
    /// Lowest address of the VM stack.
    pub low: usize,
    /// Size of the VM stack, in words.
    pub size: usize,
    /// Address of the innermost frame.
    pub top: usize,
    /// End of the innermost frame's values.
    pub values_end: usize,
}

impl StackPosition {
    /// Returns whether a stack may have this position.
    pub fn is_sane(&self) -> bool {
        let end = self.low.saturating_add(self.size.saturating_mul(WORD));
        self.size <= MAX_STACK_WORDS
            && self.top >= self.low
            && self.top < end
            && (self.low..=self.top).contains(&self.values_end)
            && [self.low, self.top, self.values_end].iter().all(|address| address.is_multiple_of(WORD))
    }

    fn end(&self) -> usize {
        self.low + self.size * WORD
    }

    /// Returns whether copying the stack takes longer than finding out where it is now.
    pub fn is_deep(&self) -> bool {
        self.end().saturating_sub(self.top) + self.values_end.saturating_sub(self.low) > DEEP_WORDS * WORD
    }

    fn growth(&self) -> usize {
        WORD * if self.is_deep() { DEEP_GROWTH_WORDS } else { GROWTH_WORDS }
    }

    fn around(&self, address: usize, below: usize, above: usize) -> Piece {
        let from = address.saturating_sub(below * WORD).max(self.low);
        Piece::between(from, (address + above * WORD).min(self.end()))
    }
}

/// The copy of a piece.
#[derive(Clone, Debug, Default)]
struct Copied {
    from: usize,
    words: Range<usize>,
}

/// Buffer for copies.
#[derive(Debug)]
pub struct Copies {
    /// The copier, which also reads single words.
    pub copier: Copier,
    pieces: [Copied; PIECES],
    /// Words of environments and method entries in the heap, remembered until a collection may have
    /// freed one; `None` where they cannot be read.
    outside: RefCell<HashMap<usize, Option<[usize; 3]>>>,
    /// Era of these words.
    era: u64,
}

/// Indices of the pieces, in the order in which they are copied.
const MEMBERS: usize = 0;
const INNER_FRAMES: usize = 1;
const INNER_VALUES: usize = 2;
const FRAMES: usize = 3;
const VALUES: usize = 4;
const CONTEXT: usize = 5;
const LAST_MEMBERS: usize = 6;

impl Copies {
    /// Creates the buffer. Fails where memory cannot be copied.
    pub fn new() -> io::Result<Self> {
        Ok(Self {
            copier: Copier::new(COPY_WORDS)?,
            pieces: Default::default(),
            outside: RefCell::default(),
            era: 0,
        })
    }

    /// Forgets the words outside of the stack that are of another `era`, and also when more than
    /// `REMEMBERED` places are known.
    pub fn begin(&mut self, era: u64) {
        let outside = self.outside.get_mut();
        if std::mem::replace(&mut self.era, era) != era || outside.len() > REMEMBERED {
            outside.clear();
        }
    }

    /// Copies everything from where it is expected. `pointer`: address of the thread's pointer to
    /// its execution context. Returns the address of that context, and its members: before the
    /// inner frames were read, and at the end. Returns `None` where some of the memory cannot be
    /// read.
    pub fn copy(
        &mut self,
        place: &StackPosition,
        pointer: usize,
    ) -> Option<(usize, [[usize; context::WORDS]; 2])> {
        let members = Piece { address: place.context, words: context::WORDS };
        let mut pieces = [members; PIECES];
        // Frames are pushed downwards.
        pieces[INNER_FRAMES] = place.around(place.top, INNER_ABOVE_WORDS, INNER_BELOW_WORDS);
        pieces[INNER_VALUES] = place.around(place.values_end, VALUES_BELOW_WORDS, VALUES_ABOVE_WORDS);
        let top = place.top.saturating_sub(place.growth()).max(place.low);
        pieces[FRAMES] = Piece::between(top, place.end());
        pieces[VALUES] = Piece::between(place.low, (place.values_end + place.growth()).min(place.top));
        pieces[CONTEXT] = Piece { address: pointer, words: 1 };
        let words: usize = pieces.iter().map(|piece| piece.words).sum();
        if (self.copier.capacity()..MAX_COPY_WORDS).contains(&words) {
            self.copier = Copier::new((words + 1).next_power_of_two()).ok()?;
        }
        let words = self.copier.copy(pieces)?;
        for ((copied, piece), words) in self.pieces.iter_mut().zip(pieces).zip(words) {
            *copied = Copied { from: piece.address, words };
        }
        let members = |piece| self.words(piece).try_into().ok();
        Some((*self.words(CONTEXT).first()?, [members(MEMBERS)?, members(LAST_MEMBERS)?]))
    }

    /// Returns whether the values up to `end` have been copied: a stack may have grown by more than
    /// was expected.
    pub fn has_values(&self, end: usize) -> bool {
        let values = &self.pieces[VALUES];
        end <= values.from + values.words.len() * WORD
    }

    /// Returns the stack, with the inner frames as they were read first: `top` is the innermost
    /// frame, values lie below it.
    pub fn view(&self, top: usize) -> View<'_> {
        View { copies: self, top, frames: INNER_FRAMES, values: INNER_VALUES }
    }

    /// Returns the stack as it was when all frames were read.
    pub fn last_view(&self, top: usize) -> View<'_> {
        View { copies: self, top, frames: FRAMES, values: VALUES }
    }

    /// Returns the end of the values of the frame at `top`.
    pub fn values_end(&self, top: usize) -> Option<usize> {
        self.word([INNER_FRAMES, FRAMES], top + frame::SP * WORD)
    }

    fn words(&self, piece: usize) -> &[usize] {
        self.copier.words(&self.pieces[piece].words)
    }

    /// Returns the word at an address, from the first of the two pieces that has it.
    fn word(&self, pieces: [usize; 2], address: usize) -> Option<usize> {
        pieces.into_iter().find_map(|piece| {
            let index = address.checked_sub(self.pieces[piece].from)? / WORD;
            self.words(piece).get(index).copied()
        })
    }
}

/// The stack at one moment.
#[derive(Clone, Copy, Debug)]
pub struct View<'copies> {
    copies: &'copies Copies,
    top: usize,
    /// The pieces from which frames and values are taken if they are there.
    frames: usize,
    values: usize,
}

impl Memory for View<'_> {
    fn word(&self, address: usize) -> usize {
        let pieces = if address < self.top { [self.values, VALUES] } else { [self.frames, FRAMES] };
        self.copies.word(pieces, address).unwrap_or(0)
    }

    fn outside(&self, address: usize) -> Option<[usize; 3]> {
        let mut outside = self.copies.outside.borrow_mut();
        *outside.entry(address).or_insert_with(|| self.copies.copier.read(address))
    }
}
