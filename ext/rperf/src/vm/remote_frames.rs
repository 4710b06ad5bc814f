//! The control frames of another thread that goes on running, copied by the kernel: its memory may go away while
//! we look.
//!
//! Context: the worker. Nothing is followed out of the VM stack.
//!
//! What is copied is the state at one moment, or nearly: that at which the pointer to the innermost frame is read. A
//! frame is written whole before the pointer moves to it (vm_insnhelper.c, `vm_push_frame`), and stays in memory when the
//! pointer moves away. So the frames from that pointer on, copied some 0.1 us later, are those of that moment, or where a
//! method ended and another began meanwhile, of a moment just after it: a tick that came a little later. The pointer
//! is read first of all: each read of memory that the thread writes holds it up at its next write there, which would
//! make the moment depend on what the thread does.
//!
//! A deep stack takes longer to copy, and an exception may unwind it meanwhile: the inner frames would be those of one
//! moment, the outer ones those of what was called next. So the pointer is read again at the end.
//!
//! The words around the frames, which the values of the program share, may be those of another moment. They are copied
//! twice, before the frames and behind them, and `copied` takes what makes sense.

use std::io;
use std::ops::Range;

use rperf_core::collect::TickFrame;

use super::control_frames::{ControlFrames, Memory};
use super::layout::Layout;
use super::threads::ThreadStruct;
use crate::os::copier::{Copier, Piece};
use crate::os::{clock, safe_read};

const WORD: usize = size_of::<usize>();
/// The largest VM stack that is copied, in words (Ruby's default is 128 Ki words for the main thread).
const MAX_WORDS: usize = 1 << 20;
/// By how much a stack may have grown since it was last looked at, in words: more needs a second look.
const ROOM: usize = 64;
/// How many words of values around the innermost frame are copied twice.
const NEAR: usize = 128;
/// A copy that takes longer than this, in nanoseconds and for each word, is not one of a moment: the worker had to wait.
/// Copying a stack of 20 frames takes some 2 us, one of 12,000 some 200 us.
const MOMENT: u64 = 20_000;
const MOMENT_PER_WORD: u64 = 10;
/// A copy during which the thread has left more frames than this is not one of a moment either.
const LEFT: usize = 16;
/// How often a copy is tried.
const TRIES: usize = 4;

/// Where things were at the last look: they are expected there again, so that one system call copies it all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Place {
    /// The execution context.
    context: usize,
    /// The VM stack's lowest address, and its size in words.
    low: usize,
    size: usize,
    /// The innermost frame.
    top: usize,
    /// The end of its values.
    values_end: usize,
}

impl Place {
    fn is_sane(&self) -> bool {
        self.size <= MAX_WORDS && self.values_end >= self.low && self.values_end <= self.top
    }

    /// Where to copy frames from: those that have come since, too.
    fn frames(&self) -> Range<usize> {
        self.top.saturating_sub(ROOM * WORD).max(self.low)..self.low + self.size * WORD
    }

    fn values(&self) -> Range<usize> {
        self.low..(self.values_end + ROOM * WORD).min(self.top)
    }

    fn near_values(&self) -> Range<usize> {
        let Range { start, end } = self.values();
        end.saturating_sub(NEAR * WORD).max(start)..end
    }
}

/// A copy of a piece of a VM stack.
#[derive(Debug, Default)]
struct Words {
    from: usize,
    words: Vec<usize>,
}

impl Words {
    fn fill(&mut self, from: usize, words: &[usize]) {
        self.from = from;
        self.words.clear();
        self.words.extend_from_slice(words);
    }

    fn get(&self, address: usize) -> Option<usize> {
        self.words.get(address.checked_sub(self.from)? / WORD).copied()
    }
}

/// When values were copied: before the frames or behind them.
#[derive(Clone, Copy, Debug)]
enum Time {
    Before,
    After,
}

/// The copies of frames, and of values from before or behind them.
#[derive(Clone, Copy, Debug)]
struct View<'copy> {
    frames: &'copy Words,
    values: &'copy Words,
    /// Where `values` has nothing.
    others: &'copy Words,
}

impl Memory for View<'_> {
    fn word(&self, address: usize) -> usize {
        let value = || self.values.get(address).or_else(|| self.others.get(address));
        self.frames.get(address).or_else(value).unwrap_or(0)
    }
}

/// Room for copies, kept from look to look.
#[derive(Debug)]
pub struct RemoteFrames {
    copier: Copier,
    place: Place,
    frame_size: usize,
    /// The innermost frame when all was copied.
    top_again: usize,
    /// Values around the innermost frame, copied before the frames.
    near: Words,
    frames: Words,
    /// All values, copied behind the frames.
    values: Words,
}

impl RemoteFrames {
    /// No frames yet. Fails where memory cannot be copied.
    pub fn new() -> io::Result<Self> {
        Ok(Self {
            copier: Copier::new(2 * MAX_WORDS)?,
            place: Place::default(),
            frame_size: 0,
            top_again: 0,
            near: Words::default(),
            frames: Words::default(),
            values: Words::default(),
        })
    }

    /// Copies the frames of `thread`. False when they could not be read.
    pub fn read(&mut self, layout: &Layout, thread: ThreadStruct) -> bool {
        self.frame_size = layout.frame_size;
        (0..TRIES).any(|_| self.copy(layout, thread).is_some())
    }

    /// Copies from where things are expected; `None`, and other expectations, where they were not.
    fn copy(&mut self, layout: &Layout, thread: ThreadStruct) -> Option<()> {
        let started = clock::monotonic();
        let expected = self.place;
        if self.copy_words(layout, thread) != Some(expected.context) {
            self.place = Self::find(layout, thread).unwrap_or_default();
            return None;
        }
        let took = clock::monotonic() - started;
        let Place { low, size, top, .. } = self.place;
        ControlFrames::within(low, size, top, layout.frame_size, self.view(Time::After))?;
        let values_end = self.frames.get(top + WORD);
        self.place.values_end = values_end.unwrap_or(top);
        let complete = values_end.is_some_and(|end| end <= expected.values().end);
        let words = self.frames.words.len() + self.values.words.len();
        let stayed = self.top_again <= top + LEFT * layout.frame_size;
        let moment = stayed && took.0 <= MOMENT + MOMENT_PER_WORD * words as u64;
        (complete && self.place.is_sane() && moment).then_some(())
    }

    /// Copies all, the pointer to the innermost frame first. Returns the thread's execution context.
    fn copy_words(&mut self, layout: &Layout, thread: ThreadStruct) -> Option<usize> {
        let expected = self.place;
        let [near, frames, values] = [expected.near_values(), expected.frames(), expected.values()];
        let piece = |range: &Range<usize>| Piece::between(range.start, range.end);
        let members = Piece { address: expected.context, words: 3 };
        let [members, copy_of_near, copy_of_frames, copy_of_values, context, again] = self.copier.copy([
            members,
            piece(&near),
            piece(&frames),
            piece(&values),
            Piece { address: thread.0 + layout.thread_ec, words: 1 },
            members,
        ])?;
        self.near.fill(near.start, copy_of_near);
        self.frames.fill(frames.start, copy_of_frames);
        self.values.fill(values.start, copy_of_values);
        self.place.top = members[2];
        self.top_again = again[2];
        (members[..2] == [expected.low, expected.size]).then_some(context[0])
    }

    /// Where things are, by following them.
    fn find(layout: &Layout, thread: ThreadStruct) -> Option<Place> {
        let [context] = safe_read::words::<1>(thread.0 + layout.thread_ec)?;
        let [low, size, top] = safe_read::words::<3>(context)?;
        let [_, values_end] = safe_read::words::<2>(top)?;
        let place = Place { context, low, size, top, values_end };
        place.is_sane().then_some(place)
    }

    fn view(&self, time: Time) -> View<'_> {
        let (values, others) = match time {
            Time::Before => (&self.near, &self.values),
            Time::After => (&self.values, &self.near),
        };
        View { frames: &self.frames, values, others }
    }

    fn control_frames(&self, time: Time) -> Option<ControlFrames<View<'_>>> {
        let Place { low, size, top, .. } = self.place;
        ControlFrames::within(low, size, top, self.frame_size, self.view(time))
    }

    /// How many frames were copied.
    pub fn depth(&self) -> usize {
        self.control_frames(Time::Before).map_or(0, |frames| frames.depth())
    }

    /// Where the innermost frame is.
    pub fn top(&self) -> usize {
        self.place.top
    }

    /// Frame `index`, the leaf is 0.
    pub fn frame(&self, index: usize) -> TickFrame {
        self.control_frames(Time::Before).map_or_else(TickFrame::default, |frames| frames.frame(index))
    }

    /// The leaf, as the values that were copied behind the frames show it.
    pub fn leaf_again(&self) -> TickFrame {
        self.control_frames(Time::After).map_or_else(TickFrame::default, |frames| frames.frame(0))
    }

    /// As for [`ControlFrames`].
    pub fn operands(&self) -> [usize; 3] {
        self.control_frames(Time::Before).map_or([0; 3], |frames| frames.operands())
    }

    /// As for [`ControlFrames`].
    pub fn top_is_jit(&self) -> bool {
        self.control_frames(Time::Before).is_some_and(|frames| frames.top_is_jit())
    }
}
