//! Remote capture: the frames of another thread, which goes on running, as they were at one moment.
//!
//! Context: the sampling thread.
//!
//! The VM writes a frame before it moves the pointer to the innermost one (vm_insnhelper.c,
//! `vm_push_frame`), and the frame stays in memory when the pointer moves away. The thread may
//! return from methods and call others while its frames are copied: frames may then be of different
//! moments. Therefore a copy begins with the inner frames, which change most.
//!
//! What the thread does after that does not decide whether a stack counts: to refuse stacks whose
//! callers change soon favours those that stand long (decision 21 has the measurements). But where
//! the thread has left many frames, all is copied again. Where no copy is whole, the stack is cut:
//! the leaf stays, `[truncated]` stands for its callers.

use std::io;

use hashbrown::HashMap;
use rperf_core::collect::RawFrame;

use super::copies::{Copies, StackPosition};
use crate::os::clock;
use crate::os::copier::Copier;
use crate::vm::control_frames::ControlFrames;
use crate::vm::instructions;
use crate::vm::layout::{Layout, ThreadStruct};
use crate::vm::offsets::{WORD, context};
use crate::vm::profile_frames::MAX_DEPTH;

/// Maximum number of copies until one is whole.
const TRIES: usize = 8;
/// Maximum time of a copy, in nanoseconds: a constant and a part for each word of the stack. A
/// longer copy was interrupted. 20 frames take some 3 us, 12,000 frames some 200 us. Where twice
/// the time of the fastest copy is more than the constant (an emulator), that is allowed.
const MAX_COPY_NS: u64 = 20_000;
const MAX_COPY_NS_PER_WORD: u64 = 10;
/// Maximum number of remembered positions. To find one again takes three system calls.
const REMEMBERED_STACKS: usize = 1024;
/// Maximum number of frames that the thread may leave during a copy. After more, the copy is not of
/// one moment: the outer frames are those of what was called next.
const LEFT_FRAMES: usize = 8;

/// Buffers for captures.
#[derive(Debug)]
pub struct RemoteStack {
    layout: Layout,
    copies: Copies,
    place: StackPosition,
    /// The last position of each thread's stack, by the address of the thread's structure.
    places: HashMap<usize, StackPosition>,
    /// Time of the fastest copy, in nanoseconds.
    fastest_ns: u64,
    /// The frames of the last capture. A capture allocates nothing.
    frames: Vec<RawFrame>,
}

impl RemoteStack {
    /// Creates the buffers, without frames. Fails where memory cannot be copied.
    pub fn new(layout: Layout) -> io::Result<Self> {
        Ok(Self {
            layout,
            copies: Copies::new()?,
            place: StackPosition::default(),
            places: HashMap::new(),
            fastest_ns: u64::MAX,
            frames: Vec::with_capacity(256),
        })
    }

    /// Captures the [frames](Self::frames) of `thread`; the caller need not have its GVL. `era`:
    /// see [`era`](crate::threads::session_state::era). Returns false when they could not be read.
    pub fn capture(&mut self, thread: ThreadStruct, era: u64) -> bool {
        self.copies.begin(era);
        self.place = self.places.get(&thread.0).copied().unwrap_or_default();
        // Copying a deep stack from a position that it has left takes longer than finding it.
        if self.place.is_deep() {
            self.place = self.find(thread).unwrap_or_default();
        }
        let mut captured = None;
        // On a thread's first capture, or when its stack has moved, the stack must be found first.
        for _ in 0..TRIES {
            captured = self.copy(thread);
            self.place = match captured {
                Some(Read { place, .. }) => place,
                None => self.find(thread).unwrap_or_default(),
            };
            // A deep stack is copied once: a later copy favours frames that stand long.
            if captured.is_some_and(|read| read.is_whole || read.place.is_deep()) {
                break;
            }
        }
        let is_read = captured.and_then(|read| self.take_frames(read)).is_some();
        if self.places.len() >= REMEMBERED_STACKS {
            self.places.clear();
        }
        self.places.insert(thread.0, self.place);
        is_read
    }

    /// Returns the frames of the last capture, the outermost first. Where the callers are in doubt,
    /// [`RawFrame::TRUNCATED`] stands for them.
    pub fn frames(&self) -> &[RawFrame] {
        &self.frames
    }

    /// Copies from the expected place. `None` when the thread's stack is not there.
    fn copy(&mut self, thread: ThreadStruct) -> Option<Read> {
        let expected = self.place;
        let started = clock::monotonic();
        let pointer = thread.0 + self.layout.thread_ec;
        let copied = expected.is_sane().then(|| self.copies.copy(&expected, pointer)).flatten()?;
        let (context, members) = copied;
        if context != expected.context || members[0][..2] != [expected.low, expected.size] {
            return None;
        }
        let words = expected.size - (expected.top - expected.values_end) / WORD;
        let took = (clock::monotonic() - started).0;
        self.fastest_ns = self.fastest_ns.min(took);
        let at_most = MAX_COPY_NS.max(2 * self.fastest_ns);
        let in_time = took <= at_most + MAX_COPY_NS_PER_WORD * words as u64;
        let [top, last_top] = members.map(|members| members[context::FRAME]);
        let place = StackPosition { top, values_end: self.copies.values_end(top)?, ..self.place };
        let is_whole = in_time
            && place.is_sane()
            && self.copies.has_values(place.values_end)
            && last_top <= top + LEFT_FRAMES * self.layout.frame_size;
        Some(Read { place, is_whole })
    }

    /// Keeps the stack; `None` when it makes no sense.
    fn take_frames(&mut self, read: Read) -> Option<()> {
        let mut captured = std::mem::take(&mut self.frames);
        captured.clear();
        let StackPosition { low, size, top, .. } = read.place;
        let frames_of = |view| ControlFrames::within(low, size, top, self.layout.frame_size, view);
        let [frames, last] = [frames_of(self.copies.view(top))?, frames_of(self.copies.last_view(top))?];
        let cut = (!read.is_whole).then_some(RawFrame::TRUNCATED);
        let count = if read.is_whole { MAX_DEPTH + 1 } else { 1 };
        captured.extend(cut.into_iter().chain(frames.innermost(count, false)));
        let same_leaf = read.is_whole && frames.is_same_leaf(&last);
        if let Some(leaf) = captured.last_mut().filter(|leaf| same_leaf && leaf.pc != 0) {
            let flags = |object| self.copies.copier.read(object).map(|[flags]| flags);
            leaf.operand = instructions::classes(frames.operands(), flags);
        }
        self.frames = captured;
        Some(())
    }

    /// Returns the copier, through which words are read.
    pub fn copier(&self) -> &Copier {
        &self.copies.copier
    }

    /// Returns the address of a thread's innermost frame now, and its `pc`; `None` where that
    /// cannot be read.
    pub fn top(&self, thread: ThreadStruct) -> Option<[usize; 2]> {
        self.follow(thread).map(|(_, [.., top], [pc, _])| [top, pc])
    }

    /// Returns the position of a thread's stack, by following its pointers.
    fn find(&self, thread: ThreadStruct) -> Option<StackPosition> {
        let (context, [low, size, top], [_, values_end]) = self.follow(thread)?;
        let place = StackPosition { context, low, size, top, values_end };
        place.is_sane().then_some(place)
    }

    /// Returns the address of a thread's execution context, its members, and the first members of
    /// the innermost frame.
    fn follow(&self, thread: ThreadStruct) -> Option<(usize, [usize; context::WORDS], [usize; 2])> {
        let [context] = self.copies.copier.read(thread.0 + self.layout.thread_ec)?;
        let members: [usize; context::WORDS] = self.copies.copier.read(context)?;
        Some((context, members, self.copies.copier.read(members[context::FRAME])?))
    }
}

/// Result of a copy.
#[derive(Clone, Copy, Debug)]
struct Read {
    /// Position of the stack when the inner frames were read.
    place: StackPosition,
    /// Whether everything has been copied, before the thread left many frames.
    is_whole: bool,
}
