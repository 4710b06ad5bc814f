//! Copies of the VM stack of another thread, all made by one system call.
//!
//! Context: the sampling thread. Nothing is followed out of the VM stack but the environments that
//! have left it (closures, fibers, `binding`), for the methods of their frames. These are read
//! through the kernel, since they may be freed meanwhile; what is read is a word that the
//! interpretation checks like any other.
//!
//! The inner frames and the values around them are copied twice in a row: when both reads show the
//! same callers, the first one is of one moment. The rest of the stack, which changes seldom, is
//! copied once behind them.

use std::cell::RefCell;
use std::io;
use std::ops::Range;

use hashbrown::HashMap;

use crate::os::copier::{Copier, Piece};
use crate::vm::control_frames::{HEAP_ENVIRONMENT, MAX_NESTING, Memory};
use crate::vm::object_type;
use crate::vm::offsets::{WORD, context, environment, frame, imemo};

/// The largest VM stack that is copied, in words (Ruby's default is 128 Ki words for the main
/// thread). Memory is used for what is copied only.
const MAX_STACK_WORDS: usize = 1 << 23;
/// By how many words a stack may have grown since it was last captured: more needs a second
/// capture.
const GROWTH_WORDS: usize = 256;
/// A stack of more words than this is deep: it is copied with more of what it may have grown by.
const DEEP_WORDS: usize = 4096;
const DEEP_GROWTH_WORDS: usize = 1024;
/// How many words around the expected innermost frame are read twice: above it, where new frames
/// come (2 frames of 56 bytes), and below it, the frame and its nearest callers (4 frames).
const INNER_ABOVE_WORDS: usize = 14;
const INNER_BELOW_WORDS: usize = 28;
/// The same for the values, which grow in the other direction. (Four times as many took so much
/// longer that a short call's name and its caller's line were of two calls in half of the ticks,
/// instead of a third. And both reads must fit into a page, 4 KiB: in the middle of a copy the
/// system takes some 0.3 us to go on to the next one.)
const VALUES_BELOW_WORDS: usize = 24;
const VALUES_ABOVE_WORDS: usize = 12;
/// How often these are read.
const READS: usize = 2;
/// Each read has three pieces: the members of the execution context, inner frames, values around
/// them.
const PIECES: usize = 3 * READS + 4;

/// Where the parts of a thread's stack were when it was last captured: they are expected there
/// again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StackPosition {
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
}

impl StackPosition {
    /// Whether a stack may be like that.
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

    /// Whether to copy it takes longer than to find out where it is now.
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

    /// Frames are pushed downwards.
    fn inner_frames(&self) -> Piece {
        self.around(self.top, INNER_ABOVE_WORDS, INNER_BELOW_WORDS)
    }

    fn inner_values(&self) -> Piece {
        self.around(self.values_end, VALUES_BELOW_WORDS, VALUES_ABOVE_WORDS)
    }

    fn frames(&self) -> Piece {
        Piece::between(self.top.saturating_sub(self.growth()).max(self.low), self.end())
    }

    fn values(&self) -> Piece {
        Piece::between(self.low, (self.values_end + self.growth()).min(self.top))
    }
}

/// The copy of a piece.
#[derive(Clone, Debug, Default)]
struct Copied {
    from: usize,
    words: Range<usize>,
}

/// Room for copies.
#[derive(Debug)]
pub struct Copies {
    copier: Copier,
    pieces: [Copied; PIECES],
    /// What is known of environments that are not in the stack.
    pub environments: RefCell<Environments>,
}

/// The index of the pieces behind the reads.
const FRAMES: usize = 3 * READS;
const VALUES: usize = FRAMES + 1;
const CONTEXT: usize = FRAMES + 2;
const LAST_MEMBERS: usize = FRAMES + 3;

impl Copies {
    /// Fails where memory cannot be copied.
    pub fn new() -> io::Result<Self> {
        Ok(Self {
            copier: Copier::new(MAX_STACK_WORDS + (1 << 12))?,
            pieces: Default::default(),
            environments: RefCell::default(),
        })
    }

    /// Copies everything from where it is expected. `pointer`: the address at which the thread has
    /// that of its execution context. False where some of it cannot be read.
    pub fn copy(&mut self, place: &StackPosition, pointer: usize) -> bool {
        let members = Piece { address: place.context, words: context::WORDS };
        let mut pieces = [members; PIECES];
        for read in 0..READS {
            pieces[3 * read + 1] = place.inner_frames();
            pieces[3 * read + 2] = place.inner_values();
        }
        pieces[FRAMES] = place.frames();
        pieces[VALUES] = place.values();
        pieces[CONTEXT] = Piece { address: pointer, words: 1 };
        let Some(words) = self.copier.copy(pieces) else { return false };
        for ((copied, piece), words) in self.pieces.iter_mut().zip(pieces).zip(words) {
            *copied = Copied { from: piece.address, words };
        }
        true
    }

    /// The address of the thread's execution context.
    pub fn context(&self) -> Option<usize> {
        self.words(CONTEXT).first().copied()
    }

    /// The members of the execution context before the frames of a read.
    pub fn members(&self, read: usize) -> Option<[usize; context::WORDS]> {
        self.words(3 * read).try_into().ok()
    }

    /// The innermost frame when everything had been copied.
    pub fn last_top(&self) -> Option<usize> {
        self.words(LAST_MEMBERS).get(context::FRAME).copied()
    }

    /// The address behind the inner frames that were read twice.
    pub fn inner_end(&self) -> usize {
        let inner = &self.pieces[1];
        inner.from + inner.words.len() * WORD
    }

    /// Whether the values up to `end` have been copied: a stack may have grown by more than was
    /// expected.
    pub fn has_values(&self, end: usize) -> bool {
        let values = &self.pieces[VALUES];
        end <= values.from + values.words.len() * WORD
    }

    /// Reads words elsewhere.
    pub fn read<const N: usize>(&self, address: usize) -> Option<[usize; N]> {
        self.copier.read(address)
    }

    /// The method word that a captured one stands for: itself, or that of the environment in the
    /// heap whose address it is; 0 where it cannot be read.
    pub fn method(&self, word: usize) -> usize {
        self.environments.borrow_mut().method(word, self)
    }

    /// What a read saw, with `top` as its innermost frame: values lie below it.
    pub fn view(&self, read: usize, top: usize) -> View<'_> {
        View { copies: self, read, top }
    }

    /// The end of the values of the frame at `top`, as the first read saw it.
    pub fn values_end(&self, top: usize) -> Option<usize> {
        self.word([1, FRAMES], top + frame::SP * WORD)
    }

    fn words(&self, piece: usize) -> &[usize] {
        self.copier.words(&self.pieces[piece].words)
    }

    /// The word at an address, from the first of the two pieces that has it.
    fn word(&self, pieces: [usize; 2], address: usize) -> Option<usize> {
        pieces.into_iter().find_map(|piece| {
            let index = address.checked_sub(self.pieces[piece].from)? / WORD;
            self.words(piece).get(index).copied()
        })
    }
}

/// The stack as one read saw it.
#[derive(Clone, Copy, Debug)]
pub struct View<'copies> {
    copies: &'copies Copies,
    read: usize,
    top: usize,
}

impl Memory for View<'_> {
    fn word(&self, address: usize) -> usize {
        let pieces =
            if address < self.top { [3 * self.read + 2, VALUES] } else { [3 * self.read + 1, FRAMES] };
        self.copies.word(pieces, address).unwrap_or(0)
    }

    fn is_method(&self, word: usize) -> bool {
        self.copies.environments.borrow_mut().is_method(word, self.copies)
    }
}

/// Environments that are remembered: a program that makes more of them between two collections has
/// each read once a capture.
const REMEMBERED: usize = 4096;

/// Method words of environments in the heap, until a collection may have freed one.
#[derive(Debug, Default)]
pub struct Environments {
    known: HashMap<usize, usize>,
    /// Words of environments, and whether they are method entries.
    methods: HashMap<usize, bool>,
    /// Theirs.
    era: u64,
}

impl Environments {
    /// Forgets everything that is of another `era`.
    pub fn begin(&mut self, era: u64) {
        if std::mem::replace(&mut self.era, era) != era
            || self.known.len().max(self.methods.len()) > REMEMBERED
        {
            self.known.clear();
            self.methods.clear();
        }
    }

    /// See [`Copies::method`].
    fn method(&mut self, word: usize, copies: &Copies) -> usize {
        if word & HEAP_ENVIRONMENT == 0 {
            return word;
        }
        let ep = word & !HEAP_ENVIRONMENT;
        if let Some(method) = self.known.get(&ep) {
            return *method;
        }
        let method = method_of(ep, |from| copies.read(from), |word| self.is_method(word, copies));
        self.known.insert(ep, method);
        method
    }

    /// Whether a word is the address of a method entry.
    fn is_method(&mut self, word: usize, copies: &Copies) -> bool {
        *self.methods.entry(word).or_insert_with(|| {
            let flags = word.is_multiple_of(WORD).then(|| copies.read(word)).flatten();
            flags.is_some_and(|[flags]| object_type::is_imemo(flags, imemo::MENT))
        })
    }
}

/// The word in the environments from `ep` on that may be a method; 0 for none. `read` reads the
/// three words that end at an environment pointer; `is_method` says whether the word of a block's
/// environment is a method entry.
pub fn method_of(
    mut ep: usize,
    read: impl Fn(usize) -> Option<[usize; 3]>,
    mut is_method: impl FnMut(usize) -> bool,
) -> usize {
    for _ in 0..MAX_NESTING {
        let below = environment::METHOD_BELOW * WORD;
        let from = ep.checked_sub(below).filter(|from| *from >= 4096 && from.is_multiple_of(WORD));
        let Some([method, parent, flags]) = from.and_then(&read) else { return 0 };
        if flags & environment::LOCAL != 0 || method != 0 && is_method(method) {
            return method;
        }
        ep = parent & !environment::PARENT_MARKS;
    }
    0
}
