//! The control frames of another thread that goes on running: copied by the kernel, since its memory may go away while
//! we look, or in place where the thread's end waits for us (`root_stack`).
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

use rperf_core::collect::TickFrame;

use super::control_frames::{ControlFrames, Memory};
use super::decoded_frames::DecodedFrames;
use super::layout::Layout;
use super::offsets::{WORD, context, frame};
use super::root_stack::Hold;
use super::stack_copies::{StackCopies, Words};
use super::stack_place::{POSITION, Part, Place};
use super::threads::ThreadStruct;
use crate::os::{clock, safe_read};

/// A copy that takes longer than this, in nanoseconds and for each word of the stack, is not one of a moment: the worker had to
/// wait, or much was copied that is not of the stack any more: an exception that has unwound a deep one is rescued, and other
/// methods run, before its outer frames come. Copying a stack of 20 frames takes some 2 us, one of 12,000 some 200 us.
const MOMENT: u64 = 20_000;
const MOMENT_PER_WORD: u64 = 10;
/// A copy during which the thread has left more frames than this is not one of a moment either.
const LEFT: usize = 16;
/// How often a copy is tried.
const TRIES: usize = 4;

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
    frames: [Words<'copy>; 3],
    values: [Words<'copy>; 3],
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
    copies: StackCopies,
    place: Place,
    frame_size: usize,
    /// The innermost frame when all was copied.
    top_again: usize,
    /// Whether the innermost frame of Ruby code stood still while it and what is next to it were copied.
    settled: bool,
    decoded: DecodedFrames,
}

impl RemoteFrames {
    /// No frames yet. Fails where memory cannot be copied.
    pub fn new() -> io::Result<Self> {
        Ok(Self {
            copies: StackCopies::new()?,
            place: Place::default(),
            frame_size: 0,
            top_again: 0,
            settled: false,
            decoded: DecodedFrames::new(),
        })
    }

    /// Copies the frames of `thread`; in place, where that is on its own stack and there is a `hold` on it. False when they
    /// could not be read.
    pub fn read(&mut self, layout: &Layout, thread: ThreadStruct, hold: Option<&Hold>) -> bool {
        self.frame_size = layout.frame_size;
        (0..TRIES).any(|_| self.copy(layout, thread, hold).is_some()) && self.decode().is_some()
    }

    /// Copies from where things are expected; `None`, and other expectations, where they were not.
    fn copy(&mut self, layout: &Layout, thread: ThreadStruct, hold: Option<&Hold>) -> Option<()> {
        let started = clock::monotonic();
        let expected = self.place;
        if self.copy_words(layout, thread, hold) != Some(expected.context) {
            self.place = Self::find(layout, thread).unwrap_or_default();
            return None;
        }
        let took = clock::monotonic() - started;
        let Place { low, size, top, .. } = self.place;
        ControlFrames::within(low, size, top, layout.frame_size, self.view(Time::After))?;
        let values_end = self.copies.part(Part::Frames).get(top + frame::SP * WORD);
        self.place.values_end = values_end.unwrap_or(top);
        self.find_ruby();
        let complete = values_end.is_some_and(|end| end <= expected.values().end);
        let frames_end = self.copies.part(Part::Frames).end();
        let words = (frames_end.saturating_sub(top) + self.place.values_end.saturating_sub(low)) / WORD;
        let stayed = self.top_again <= top + LEFT * layout.frame_size;
        let moment = stayed && took.0 <= MOMENT + MOMENT_PER_WORD * words as u64;
        (complete && self.place.is_sane() && moment).then_some(())
    }

    /// Brings the frames up to date, and keeps the copies to compare the next ones with.
    fn decode(&mut self) -> Option<()> {
        let same_frames = self.copies.unchanged_frames(self.frame_size / WORD);
        let same_values = self.copies.unchanged_values();
        let mut decoded = std::mem::take(&mut self.decoded);
        let frames = self.control_frames(Time::Before)?;
        let depth = frames.depth();
        // A frame is named by words at its environment or below. (The outermost frame does not count.)
        let stands = |frame: &TickFrame| frame.ep < same_values || !frames.is_inside(frame.ep);
        decoded.update(depth, same_frames.saturating_sub(1), stands, |position| {
            frames.frame(depth - 1 - position)
        });
        self.decoded = decoded;
        self.copies.keep();
        Some(())
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
    fn copy_words(&mut self, layout: &Layout, thread: ThreadStruct, hold: Option<&Hold>) -> Option<usize> {
        let members = self.copies.copy(&self.place, thread.0 + layout.thread_ec, hold)?;
        let [position, ruby] = [Part::Position, Part::Ruby].map(|part| self.copies.part(part).words);
        self.settled = !position.is_empty() && ruby.starts_with(position);
        let stands = members.first[..context::FRAME] == [self.place.low, self.place.size];
        self.place.top = members.first[context::FRAME];
        self.top_again = members.top_again;
        stands.then_some(members.context)
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
            frames: [Ruby, Callee, Frames].map(|part| self.copies.part(part)),
            values: values.map(|part| self.copies.part(part)),
        }
    }

    fn control_frames(&self, time: Time) -> Option<ControlFrames<View<'_>>> {
        let Place { low, size, top, .. } = self.place;
        ControlFrames::within(low, size, top, self.frame_size, self.view(time))
    }

    /// The frames, and what is known of them from look to look.
    pub fn decoded(&self) -> &DecodedFrames {
        &self.decoded
    }

    /// Marks the frames: see [`DecodedFrames::mark`].
    pub fn mark(&mut self) {
        self.decoded.mark();
    }

    /// Whether the innermost frame, its position, its values and its method are of one moment.
    pub fn is_settled(&self) -> bool {
        self.settled
    }

    /// Where the innermost frame is.
    pub fn top(&self) -> usize {
        self.place.top
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
