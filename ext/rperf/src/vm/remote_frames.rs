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
//! Each cache line that the thread has just written takes some 0.1 us to come. So next to be copied is what belongs to the
//! pointer: position and values of the innermost frame of Ruby code, where it was at the last look, and the frame of a C
//! method that it calls. When the position is still the same behind them, they are of one moment: the tick is settled.
//!
//! The other words around the frames, which the values of the program share, may be those of another moment. They are
//! copied twice, before the frames and behind them, and `copied` takes what makes sense.

use std::io;
use std::ops::Range;

use rperf_core::collect::TickFrame;

use super::control_frames::{ControlFrames, Memory};
use super::layout::Layout;
use super::offsets::{WORD, context, frame};
use super::threads::ThreadStruct;
use crate::os::copier::{Copier, Piece};
use crate::os::{clock, safe_read};

/// The largest VM stack that is copied, in words (Ruby's default is 128 Ki words for the main thread).
const MAX_WORDS: usize = 1 << 20;
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
const POSITION: usize = frame::SP + 1;
/// A copy that takes longer than this, in nanoseconds and for each word, is not one of a moment: the worker had to wait.
/// Copying a stack of 20 frames takes some 2 us, one of 12,000 some 200 us.
const MOMENT: u64 = 20_000;
const MOMENT_PER_WORD: u64 = 10;
/// A copy during which the thread has left more frames than this is not one of a moment either.
const LEFT: usize = 16;
/// How often a copy is tried.
const TRIES: usize = 4;

/// What is copied of a VM stack, once or again, in this order: it is the only list of these.
#[derive(Clone, Copy, Debug)]
enum Part {
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
    const ALL: [Self; 7] =
        [Self::Ruby, Self::Operands, Self::Position, Self::Callee, Self::Near, Self::Frames, Self::Values];

    /// Where it was at the last look.
    fn range(self, place: &Place) -> Range<usize> {
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
    /// The innermost frame of Ruby code.
    ruby: usize,
    /// The end of its values.
    ruby_end: usize,
}

impl Place {
    fn is_sane(&self) -> bool {
        self.size <= MAX_WORDS && self.values_end >= self.low && self.values_end <= self.top
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

/// Copies of frames and of values: of those that may have an address, the first that has it counts.
#[derive(Clone, Copy, Debug)]
struct View<'copy> {
    /// The innermost frame: values lie below it.
    top: usize,
    frames: [&'copy Words; 3],
    values: [&'copy Words; 3],
}

impl Memory for View<'_> {
    fn word(&self, address: usize) -> usize {
        let copies = if address < self.top { &self.values } else { &self.frames };
        copies.iter().find_map(|words| words.get(address)).unwrap_or(0)
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
    /// Whether the innermost frame of Ruby code stood still while it and what is next to it were copied.
    settled: bool,
    /// The copies, in the order of [`Part::ALL`].
    copies: [Words; Part::ALL.len()],
}

impl RemoteFrames {
    /// No frames yet. Fails where memory cannot be copied.
    pub fn new() -> io::Result<Self> {
        Ok(Self {
            copier: Copier::new(2 * MAX_WORDS)?,
            place: Place::default(),
            frame_size: 0,
            top_again: 0,
            settled: false,
            copies: Default::default(),
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
        let values_end = self.part(Part::Frames).get(top + frame::SP * WORD);
        self.place.values_end = values_end.unwrap_or(top);
        self.find_ruby();
        let complete = values_end.is_some_and(|end| end <= expected.values().end);
        let words = self.part(Part::Frames).words.len() + self.part(Part::Values).words.len();
        let stayed = self.top_again <= top + LEFT * layout.frame_size;
        let moment = stayed && took.0 <= MOMENT + MOMENT_PER_WORD * words as u64;
        (complete && self.place.is_sane() && moment).then_some(())
    }

    /// Notes where the innermost frame of Ruby code is. Where it was not expected there, it was not looked at twice.
    fn find_ruby(&mut self) {
        let found = self.control_frames(Time::Before).and_then(|frames| {
            let index = frames.innermost_ruby()?;
            Some((index, frames.values_end(index)))
        });
        let (index, ruby_end) = found.unwrap_or_default();
        let ruby = self.place.top + index * self.frame_size;
        self.settled &= ruby == self.place.ruby;
        (self.place.ruby, self.place.ruby_end) = (ruby, ruby_end);
    }

    /// Copies all, the pointer to the innermost frame first. Returns the thread's execution context.
    fn copy_words(&mut self, layout: &Layout, thread: ThreadStruct) -> Option<usize> {
        let ranges = Part::ALL.map(|part| part.range(&self.place));
        let members = Piece { address: self.place.context, words: context::WORDS };
        let mut pieces = [members; Part::ALL.len() + 3];
        for (piece, range) in pieces[1..].iter_mut().zip(&ranges) {
            *piece = Piece::between(range.start, range.end);
        }
        pieces[Part::ALL.len() + 1] = Piece { address: thread.0 + layout.thread_ec, words: 1 };
        let [first, parts @ .., context, last] = self.copier.copy(pieces)?;
        let position = parts[Part::Position as usize];
        self.settled = !position.is_empty() && parts[Part::Ruby as usize].starts_with(position);
        for ((copy, range), words) in self.copies.iter_mut().zip(ranges).zip(parts) {
            copy.fill(range.start, words);
        }
        self.place.top = first[context::FRAME];
        self.top_again = last[context::FRAME];
        let stands = first[..context::FRAME] == [self.place.low, self.place.size];
        stands.then_some(context[0])
    }

    /// Where things are, by following them.
    fn find(layout: &Layout, thread: ThreadStruct) -> Option<Place> {
        let [context] = safe_read::words::<1>(thread.0 + layout.thread_ec)?;
        let [low, size, top] = safe_read::words::<{ context::WORDS }>(context)?;
        let [_, values_end] = safe_read::words::<POSITION>(top)?;
        let place = Place { context, low, size, top, values_end, ruby: top, ruby_end: values_end };
        place.is_sane().then_some(place)
    }

    /// What the words of that time are looked for in.
    fn view(&self, time: Time) -> View<'_> {
        use Part::{Callee, Frames, Near, Operands, Ruby, Values};
        let values = match time {
            Time::Before => [Operands, Near, Values],
            Time::After => [Values, Near, Operands],
        };
        View {
            top: self.place.top,
            frames: [Ruby, Callee, Frames].map(|part| self.part(part)),
            values: values.map(|part| self.part(part)),
        }
    }

    fn part(&self, part: Part) -> &Words {
        &self.copies[part as usize]
    }

    fn control_frames(&self, time: Time) -> Option<ControlFrames<View<'_>>> {
        let Place { low, size, top, .. } = self.place;
        ControlFrames::within(low, size, top, self.frame_size, self.view(time))
    }

    /// How many frames were copied.
    pub fn depth(&self) -> usize {
        self.control_frames(Time::Before).map_or(0, |frames| frames.depth())
    }

    /// Whether the innermost frame, its position, its values and its method are of one moment.
    pub fn is_settled(&self) -> bool {
        self.settled
    }

    /// Where the innermost frame is.
    pub fn top(&self) -> usize {
        self.place.top
    }

    /// The frames, the leaf first.
    pub fn frames(&self) -> impl Iterator<Item = TickFrame> + '_ {
        let frames = self.control_frames(Time::Before);
        frames.into_iter().flat_map(|frames| (0..frames.depth()).map(move |index| frames.frame(index)))
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
