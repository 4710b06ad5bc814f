//! Copies of the VM stack of another thread: the latest, and the last one that was whole, for comparison.
//!
//! Context: the worker.

use std::io;
use std::ops::Range;

use super::offsets::{WORD, context};
use super::root_stack::Hold;
use super::stack_place::{MAX_WORDS, Part, Place};
use crate::os::copier::{Copier, Half, Piece};

/// Room for what is copied twice, in words.
const TWICE: usize = 1 << 10;
/// So many words are compared at a time.
const CHUNK: usize = 64;

/// A copy of a piece of a VM stack.
#[derive(Clone, Copy, Debug, Default)]
pub struct Words<'copy> {
    /// The address of the first.
    pub from: usize,
    /// The words.
    pub words: &'copy [usize],
}

impl Words<'_> {
    /// The word at that address, if it was copied.
    pub fn get(&self, address: usize) -> Option<usize> {
        self.words.get(address.checked_sub(self.from)? / WORD).copied()
    }

    /// The address behind the last.
    pub fn end(&self) -> usize {
        self.from + self.words.len() * WORD
    }
}

/// What was copied around the pieces of the stack.
#[derive(Clone, Copy, Debug)]
pub struct Members {
    /// Those of the execution context, copied first.
    pub first: [usize; context::WORDS],
    /// The address of the thread's execution context.
    pub context: usize,
    /// The innermost frame, copied last.
    pub top_again: usize,
}

/// For each part, its address and where the copy is.
type Places = [(usize, Range<usize>); Part::ALL.len()];

/// Room for both copies.
#[derive(Debug)]
pub struct StackCopies {
    copier: Copier,
    /// By [`Half`].
    places: [Places; 2],
    latest: Half,
    whole: Half,
}

impl StackCopies {
    /// No copies yet. Fails where memory cannot be copied.
    pub fn new() -> io::Result<Self> {
        Ok(Self {
            copier: Copier::new(MAX_WORDS + TWICE)?,
            places: Default::default(),
            latest: Half::First,
            whole: Half::First,
        })
    }

    /// Copies all parts from where they are expected, the members of the execution context before and behind them.
    /// `pointer`: where the thread has the address of its execution context. `hold`: on that thread; without, and for stacks
    /// other than its own, the kernel copies.
    pub fn copy(&mut self, place: &Place, pointer: usize, hold: Option<&Hold>) -> Option<Members> {
        let ranges = Part::ALL.map(|part| part.range(place));
        let members = Piece { address: place.context, words: context::WORDS };
        let mut pieces = [members; Part::ALL.len() + 3];
        for (piece, range) in pieces[1..].iter_mut().zip(&ranges) {
            *piece = Piece::between(range.start, range.end);
        }
        pieces[Part::ALL.len() + 1] = Piece { address: pointer, words: 1 };
        self.latest = self.whole.other();
        let in_place = hold.is_some_and(|hold| place.is_of(hold.root()));
        let copied = match in_place {
            // SAFETY: the thread has not ended, so its structure, its execution context and its own stack are there, and
            // all pieces lie in these.
            true => unsafe { self.copier.copy_in_place(self.latest, pieces) },
            false => self.copier.copy(self.latest, pieces),
        };
        let [first, parts @ .., context, last] = copied?;
        let mut parts = parts.into_iter();
        self.places[self.latest as usize] =
            ranges.map(|range| (range.start, parts.next().unwrap_or_default()));
        let words = |range| self.copier.words(self.latest, range);
        Some(Members {
            first: words(&first).try_into().ok()?,
            context: *words(&context).first()?,
            top_again: *words(&last).get(context::FRAME)?,
        })
    }

    /// The latest copy is whole: the next ones are compared with it.
    pub fn keep(&mut self) {
        self.whole = self.latest;
    }

    /// A part of the latest copy.
    pub fn part(&self, part: Part) -> Words<'_> {
        self.part_of(self.latest, part)
    }

    fn part_of(&self, half: Half, part: Part) -> Words<'_> {
        let (from, range) = &self.places[half as usize][part as usize];
        Words { from: *from, words: self.copier.words(half, range) }
    }

    /// Before [`keep`](Self::keep): how many frames of so many words, from the outer end on, are the same in both copies. Those
    /// count that were copied once.
    pub fn unchanged_frames(&self, size: usize) -> usize {
        let [old, new] = self.both(Part::Frames);
        if old.end() != new.end() {
            return 0;
        }
        let twice =
            [Part::Ruby, Part::Callee].into_iter().flat_map(|part| self.both(part)).map(|words| words.end());
        let copied_once = new.end().saturating_sub(twice.max().unwrap_or(0)) / (size * WORD);
        (same_at_end(old.words, new.words) / size).min(copied_once)
    }

    /// Before [`keep`](Self::keep): up to which address values are the same in both copies, however often they were copied.
    pub fn unchanged_values(&self) -> usize {
        let [old, new] = self.both(Part::Values);
        if old.from != new.from {
            return 0;
        }
        let same = new.from + same_at_start(old.words, new.words) * WORD;
        let operands = self.both(Part::Operands).map(|words| words.from);
        let agreed = [self.whole, self.latest].map(|half| self.agreed_values(half));
        operands.into_iter().chain(agreed).fold(same, usize::min)
    }

    /// Up to which address values are the same before the frames and behind them.
    fn agreed_values(&self, half: Half) -> usize {
        let [before, behind] = [Part::Near, Part::Values].map(|part| self.part_of(half, part));
        let offset = before.from.saturating_sub(behind.from) / WORD;
        let behind = behind.words.get(offset..).unwrap_or_default();
        before.from + same_at_start(before.words, behind) * WORD
    }

    /// A part of the last whole copy, and of the latest.
    fn both(&self, part: Part) -> [Words<'_>; 2] {
        [self.whole, self.latest].map(|half| self.part_of(half, part))
    }
}

/// How many words are the same from the start on.
fn same_at_start(one: &[usize], other: &[usize]) -> usize {
    let chunks = one.chunks(CHUNK).zip(other.chunks(CHUNK));
    let same = chunks.take_while(|(one, other)| one == other).count() * CHUNK;
    let rest = one.iter().zip(other).skip(same);
    same.min(one.len()).min(other.len()) + rest.take_while(|(one, other)| one == other).count()
}

/// How many words are the same from the end on.
fn same_at_end(one: &[usize], other: &[usize]) -> usize {
    let chunks = one.rchunks(CHUNK).zip(other.rchunks(CHUNK));
    let same = chunks.take_while(|(one, other)| one == other).count() * CHUNK;
    let rest = one.iter().rev().zip(other.iter().rev()).skip(same);
    same.min(one.len()).min(other.len()) + rest.take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests {
    use super::{same_at_end, same_at_start};

    #[test]
    fn what_is_the_same_is_counted_from_either_end() {
        for length in [0, 1, 63, 64, 65, 128, 200] {
            let one: Vec<usize> = (0..length).collect();
            assert_eq!((same_at_start(&one, &one), same_at_end(&one, &one)), (length, length));
            for changed in 0..length {
                let mut other = one.clone();
                other[changed] += 1;
                assert_eq!(same_at_start(&one, &other), changed);
                assert_eq!(same_at_end(&one, &other), length - 1 - changed);
            }
        }
    }

    #[test]
    fn pieces_of_different_lengths_are_the_same_as_far_as_the_shorter_goes() {
        let long: Vec<usize> = (0..150).collect();
        for length in [0, 1, 64, 100, 128, 149] {
            assert_eq!(same_at_start(&long, &long[..length]), length);
            assert_eq!(same_at_end(&long[150 - length..], &long), length);
        }
    }
}
