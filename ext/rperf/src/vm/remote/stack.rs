//! Remote capture: the frames of another thread, which goes on running, as they were at one moment.
//!
//! Context: the sampling thread.
//!
//! The VM writes a frame before it moves the pointer to the innermost one (vm_insnhelper.c,
//! `vm_push_frame`), and the frame stays in memory when the pointer moves away. The thread may
//! return from methods and call others while its frames are copied. Inner and outer frames may then
//! be of different moments: the stack is inconsistent. Therefore the inner frames are read twice.
//! The first read counts when the second one finds the same callers in their places. Otherwise
//! everything is copied again, after some microseconds. Where no copy has two reads that agree, the
//! stack is cut: the leaf stays, `[truncated]` stands for its callers.
//!
//! The first read decides: its moment alone does not depend on what is read. It takes the memory of
//! the frames from the processor of the thread, which then waits some 0.2 us when it pushes the
//! next frame. Later reads find the thread there (decision 21 has the measurements).

use std::io;

use hashbrown::HashMap;
use rperf_core::collect::RawFrame;

use super::copies::{Copies, StackPosition, View};
use crate::os::clock;
use crate::os::copier::Copier;
use crate::vm::control_frames::ControlFrames;
use crate::vm::instructions;
use crate::vm::layout::{Layout, ThreadStruct};
use crate::vm::offsets::{WORD, context};
use crate::vm::profile_frames::MAX_DEPTH;

/// Maximum number of copies until two reads agree.
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
            if captured.is_some_and(|read| read.agrees || read.place.is_deep()) {
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
        let [top, later_top, last_top] = members.map(|members| members[context::FRAME]);
        let place = StackPosition { top, values_end: self.copies.values_end(top)?, ..self.place };
        let is_whole = in_time
            && place.is_sane()
            && self.copies.has_values(place.values_end)
            && last_top <= top + LEFT_FRAMES * self.layout.frame_size;
        let [frames, later] = [self.frames_of(0, top)?, self.frames_of(1, top)?];
        let agrees = is_whole && self.has_same_callers(&frames, &later);
        let same_leaf = agrees
            && later_top == top
            && frames.is_same_call(&later, 0)
            && frames.frame(0).pc == later.frame(0).pc;
        Some(Read { place, agrees, same_leaf })
    }

    /// Returns whether both reads show the same calls in the inner frames, without the innermost
    /// one. (The thread may have returned from these calls meanwhile.)
    fn has_same_callers(&self, frames: &ControlFrames<View<'_>>, later: &ControlFrames<View<'_>>) -> bool {
        let inner = frames.depth().min(frames.count_before(self.copies.inner_end()));
        (1..inner).all(|index| frames.is_same_call(later, index))
    }

    fn frames_of(&self, read: usize, top: usize) -> Option<ControlFrames<View<'_>>> {
        let StackPosition { low, size, .. } = self.place;
        ControlFrames::within(low, size, top, self.layout.frame_size, self.copies.view(read, top))
    }

    /// Keeps the stack that the first read saw; `None` when it makes no sense.
    fn take_frames(&mut self, read: Read) -> Option<()> {
        let mut captured = std::mem::take(&mut self.frames);
        captured.clear();
        let frames = self.frames_of(0, read.place.top)?;
        let cut = (!read.agrees).then_some(RawFrame::TRUNCATED);
        let count = if read.agrees { MAX_DEPTH + 1 } else { 1 };
        captured.extend(cut.into_iter().chain(frames.innermost(count, false)));
        if let Some(leaf) = captured.last_mut().filter(|leaf| read.same_leaf && leaf.pc != 0) {
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
    /// Position of the stack, as the first read saw it.
    place: StackPosition,
    /// Whether the copy is whole, and the second read saw the same callers.
    agrees: bool,
    /// Whether the second read also saw the same innermost frame, at the same instruction.
    same_leaf: bool,
}
