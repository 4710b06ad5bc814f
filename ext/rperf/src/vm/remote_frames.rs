//! The control frames of another thread, copied by the kernel: its memory may go away while we look.
//!
//! Context: the worker. Nothing is followed out of the VM stack, and nothing is believed that changed
//! between two looks.

use rperf_core::collect::TickFrame;

use super::control_frames::{ControlFrames, Memory};
use super::layout::Layout;
use super::threads::ThreadStruct;
use crate::os::safe_read;

const WORD: usize = size_of::<usize>();
/// The largest VM stack that is copied, in words (Ruby's default is 128 Ki words for the main thread).
const MAX_WORDS: usize = 1 << 20;
/// How often a copy of a running thread's frames is tried.
const TRIES: usize = 2;

/// A copy of a VM stack: the values from its low end, the control frames at its high end.
#[derive(Debug, Default)]
struct Copy {
    low: usize,
    values: Vec<usize>,
    top: usize,
    frames: Vec<usize>,
    again: Vec<usize>,
}

impl Memory for &Copy {
    fn word(&self, address: usize) -> usize {
        let at = |start: usize, words: &[usize]| words.get(address.wrapping_sub(start) / WORD).copied();
        let word = if address >= self.top { at(self.top, &self.frames) } else { at(self.low, &self.values) };
        word.unwrap_or(0)
    }
}

/// Room for copies, kept from look to look.
#[derive(Debug, Default)]
pub struct RemoteFrames {
    copy: Copy,
    size: usize,
    frame_size: usize,
}

impl RemoteFrames {
    /// No frames yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Copies the frames of `thread`. False when they could not be read, or changed meanwhile.
    pub fn read(&mut self, layout: &Layout, thread: ThreadStruct) -> bool {
        (0..TRIES).any(|_| self.try_read(layout, thread).is_some())
    }

    fn try_read(&mut self, layout: &Layout, thread: ThreadStruct) -> Option<()> {
        let [context] = safe_read::words::<1>(thread.0 + layout.thread_ec)?;
        let before @ [low, size, top] = safe_read::words::<3>(context)?;
        ControlFrames::within(low, size, top, layout.frame_size, &self.copy)?;
        let end = low + size * WORD;
        let copy = &mut self.copy;
        (copy.low, copy.top, self.size, self.frame_size) = (low, top, size, layout.frame_size);
        fill(&mut copy.frames, top, (end - top) / WORD)?;
        // The value stack of the innermost frame ends at its `sp`; all environments are below.
        let sp = *copy.frames.get(1)?;
        let values = sp.checked_sub(low)? / WORD;
        (sp <= top).then_some(())?;
        fill(&mut copy.values, low, values)?;
        fill(&mut copy.again, top, (end - top) / WORD)?;
        let same = safe_read::words::<3>(context)? == before && same_methods(copy, layout.frame_size);
        same.then_some(())
    }

    fn frames(&self) -> Option<ControlFrames<&Copy>> {
        ControlFrames::within(self.copy.low, self.size, self.copy.top, self.frame_size, &self.copy)
    }

    /// How many frames were copied.
    pub fn depth(&self) -> usize {
        self.frames().map_or(0, |frames| frames.depth())
    }

    /// Where the innermost frame is.
    pub fn top(&self) -> usize {
        self.copy.top
    }

    /// Frame `index`, the leaf is 0.
    pub fn frame(&self, index: usize) -> TickFrame {
        self.frames().map_or_else(TickFrame::default, |frames| frames.frame(index))
    }

    /// As for [`ControlFrames`].
    pub fn operands(&self) -> [usize; 3] {
        self.frames().map_or([0; 3], |frames| frames.operands())
    }

    /// As for [`ControlFrames`].
    pub fn top_is_jit(&self) -> bool {
        self.frames().is_some_and(|frames| frames.top_is_jit())
    }
}

/// Whether both copies show the same methods. The first two members of a frame, `pc` and `sp`, change with each
/// instruction that the innermost one runs.
fn same_methods(copy: &Copy, frame_size: usize) -> bool {
    let size = frame_size / WORD;
    let pairs = copy.frames.chunks_exact(size).zip(copy.again.chunks_exact(size));
    pairs.into_iter().all(|(first, second)| first[2..] == second[2..])
}

fn fill(buffer: &mut Vec<usize>, address: usize, words: usize) -> Option<()> {
    if words > MAX_WORDS {
        return None;
    }
    buffer.resize(words, 0);
    safe_read::fill(buffer, address).then_some(())
}
