//! Remote capture: the frames of another thread, which goes on running, as they were at one moment.
//!
//! Context: the sampling thread.
//!
//! The VM writes a frame before it moves the pointer to the innermost one (vm_insnhelper.c,
//! `vm_push_frame`), and the frame stays in memory when the pointer moves away. The thread may
//! return from methods and call others while its frames are copied, so inner and outer frames may
//! be of different moments: such a stack never was. Therefore the inner frames are read twice. The
//! first read counts when the second one finds the same callers in their places; otherwise
//! everything is copied again, after some microseconds. Where no copy has two reads that agree the
//! stack is cut: the leaf stays, `[truncated]` stands for its callers. (In a loop of calls of 20 to
//! 50 ns at 10 kHz 0.05 to 1 % of the stacks are still of two moments, on some machines 1 to 7 %.)
//!
//! The first read decides, since it alone does not depend on what is read: it takes the memory of
//! the frames from the processor of the thread, which then waits when it pushes the next one (some
//! 0.2 us). Each later read finds it there. (Where the second read decided, 10 to 70 % of the time
//! of calls of 0.5 us was found in the method that makes them; where the first one does, 1 %.)

use std::io;

use hashbrown::HashMap;
use rperf_core::collect::CapturedFrame;

use super::copies::{Copies, StackPosition, View};
use crate::os::clock;
use crate::vm::control_frames::ControlFrames;
use crate::vm::instructions;
use crate::vm::layout::{Layout, ThreadStruct};
use crate::vm::offsets::{WORD, context};
use crate::vm::profile_frames::MAX_DEPTH;

/// How often everything is copied until two reads agree.
const TRIES: usize = 8;
/// A copy that takes longer than this, in nanoseconds and for each word of the stack, was
/// interrupted. One of a stack of 20 frames takes some 3 us, of 12,000 frames some 200 us. Where
/// the fastest one takes longer (an emulator), twice its time is allowed.
const MAX_COPY_NS: u64 = 20_000;
const MAX_COPY_NS_PER_WORD: u64 = 10;
/// So many threads' places are remembered: finding one again takes three system calls.
const REMEMBERED_STACKS: usize = 1024;
/// A capture during which the thread has left more frames than this is not one of a moment: the
/// outer frames are those of what was called next.
const LEFT_FRAMES: usize = 8;

/// What was captured of a thread.
#[derive(Debug)]
pub struct Captured {
    /// The frames, the outermost first; of a stack that `is_cut` the leaf alone. Their method words
    /// are resolved: none is the address of an environment.
    pub frames: Vec<CapturedFrame>,
    /// Whether the callers are in doubt, and left out.
    pub is_cut: bool,
    /// Whether the innermost frame may run native code of the JIT compiler, so that its `pc` may be
    /// old.
    pub jit: bool,
    /// The classes of what a specialised instruction of the leaf works on; 0 where unknown.
    pub operand: u16,
}

/// Where a stack ends, and what its innermost frame executes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackTop([usize; 2]);

/// Room for a capture, and the last one.
#[derive(Debug)]
pub struct RemoteStack {
    layout: Layout,
    copies: Copies,
    place: StackPosition,
    /// The last place of each thread's stack, by the address of its structure.
    places: HashMap<usize, StackPosition>,
    /// See [`MAX_COPY_NS`].
    max_copy_ns: u64,
    /// What the fastest copy has taken.
    fastest_ns: u64,
    /// The last capture.
    pub captured: Captured,
}

impl RemoteStack {
    /// No frames yet. Fails where memory cannot be copied.
    pub fn new(layout: Layout) -> io::Result<Self> {
        Ok(Self {
            layout,
            copies: Copies::new()?,
            place: StackPosition::default(),
            places: HashMap::new(),
            max_copy_ns: MAX_COPY_NS,
            fastest_ns: u64::MAX,
            captured: Captured { frames: Vec::with_capacity(256), is_cut: false, jit: false, operand: 0 },
        })
    }

    /// The same for captures of the calling thread, whose stack stands meanwhile: copies may take
    /// any time.
    pub fn of_caller(layout: Layout) -> io::Result<Self> {
        Ok(Self { max_copy_ns: u64::MAX, ..Self::new(layout)? })
    }

    /// Captures the frames of `thread`, of which the caller holds no part. `era`: see
    /// [`era`](crate::threads::session_state::era). False when they could not be read.
    pub fn capture(&mut self, thread: ThreadStruct, era: u64) -> bool {
        self.copies.environments.get_mut().begin(era);
        self.place = self.places.get(&thread.0).copied().unwrap_or_default();
        // To copy a deep one where it no longer is takes longer than to find it.
        if self.place.is_deep() {
            self.place = self.find(thread).unwrap_or_default();
        }
        let mut captured = None;
        // The first time a thread is captured, or when its stack has moved, it must be found first.
        for _ in 0..TRIES {
            captured = self.copy(thread);
            self.place = match captured {
                Some(Read { place, .. }) => place,
                None => self.find(thread).unwrap_or_default(),
            };
            // A deep one is copied once: a later copy favours what stands long.
            if captured.is_some_and(|read| read.agrees || read.place.is_deep()) {
                break;
            }
        }
        let kept = captured.is_some_and(|read| self.keep(read));
        if self.places.len() >= REMEMBERED_STACKS {
            self.places.clear();
        }
        self.places.insert(thread.0, self.place);
        kept
    }

    /// Copies from the expected place. `None` when the thread's stack is not there.
    fn copy(&mut self, thread: ThreadStruct) -> Option<Read> {
        let expected = self.place;
        let started = clock::monotonic();
        if !expected.is_sane() || !self.copies.copy(&expected, thread.0 + self.layout.thread_ec) {
            return None;
        }
        let is_there = self.copies.context() == Some(expected.context)
            && self.copies.members(0).is_some_and(|members| members[..2] == [expected.low, expected.size]);
        if !is_there {
            return None;
        }
        let last_top = self.copies.last_top()?;
        let words = expected.size - (expected.top - expected.values_end) / WORD;
        let took = (clock::monotonic() - started).0;
        self.fastest_ns = self.fastest_ns.min(took);
        let at_most = self.max_copy_ns.max(2 * self.fastest_ns);
        let in_time = took <= at_most.saturating_add(MAX_COPY_NS_PER_WORD * words as u64);
        let top = self.copies.members(0)?[context::FRAME];
        let place = StackPosition { top, values_end: self.copies.values_end(top)?, ..self.place };
        let is_whole = in_time
            && place.is_sane()
            && self.copies.has_values(place.values_end)
            && last_top <= top + LEFT_FRAMES * self.layout.frame_size;
        let [frames, later] = [self.frames_of(0, top)?, self.frames_of(1, top)?];
        let agrees = is_whole && self.has_same_callers(&frames, &later);
        let later_top = self.copies.members(1)?[context::FRAME];
        let same_leaf = agrees && later_top == top && later.frame(0) == frames.frame(0);
        Some(Read { place, agrees, same_leaf })
    }

    /// Whether the memory of all frames but the innermost one shows the same calls. (The thread may
    /// have returned from them meanwhile.)
    fn has_same_callers(&self, frames: &ControlFrames<View<'_>>, later: &ControlFrames<View<'_>>) -> bool {
        let inner = frames.depth().min(frames.count_before(self.copies.inner_end()));
        (1..inner).all(|index| frames.frame(index).is_same_call(&later.frame(index)))
    }

    fn frames_of(&self, read: usize, top: usize) -> Option<ControlFrames<View<'_>>> {
        let StackPosition { low, size, .. } = self.place;
        ControlFrames::within(low, size, top, self.layout.frame_size, self.copies.view(read, top))
    }

    /// Keeps what a read saw. False when it makes no sense.
    fn keep(&mut self, read: Read) -> bool {
        let mut captured = std::mem::take(&mut self.captured.frames);
        captured.clear();
        let Some(frames) = self.frames_of(0, read.place.top) else { return false };
        let depth = frames.depth().min(if read.agrees { MAX_DEPTH + 1 } else { 1 });
        captured.extend((0..depth).rev().map(|index| frames.frame(index)));
        let (jit, operands) = (frames.top_is_jit(), frames.operands());
        for frame in &mut captured {
            frame.method = self.copies.method(frame.method);
        }
        let has_operand = read.same_leaf && !jit && captured.last().is_some_and(|leaf| leaf.pc != 0);
        let flags = |object| self.copies.read(object).map(|[flags]| flags);
        let operand = if has_operand { instructions::classes(operands, flags) } else { 0 };
        self.captured = Captured { frames: captured, is_cut: !read.agrees, jit, operand };
        true
    }

    /// Reads words.
    pub fn copies(&self) -> &Copies {
        &self.copies
    }

    /// Where a thread's stack ends now; `None` where that cannot be read.
    pub fn top(&self, thread: ThreadStruct) -> Option<StackTop> {
        self.follow(thread).map(|(_, [.., top], [pc, _])| StackTop([top, pc]))
    }

    /// Where a thread's stack is, by following its pointers.
    fn find(&self, thread: ThreadStruct) -> Option<StackPosition> {
        let (context, [low, size, top], [_, values_end]) = self.follow(thread)?;
        let place = StackPosition { context, low, size, top, values_end };
        place.is_sane().then_some(place)
    }

    /// The address of a thread's execution context, its members, and the first members of the
    /// innermost frame.
    fn follow(&self, thread: ThreadStruct) -> Option<(usize, [usize; context::WORDS], [usize; 2])> {
        let [context] = self.copies.read(thread.0 + self.layout.thread_ec)?;
        let members: [usize; context::WORDS] = self.copies.read(context)?;
        Some((context, members, self.copies.read(members[context::FRAME])?))
    }
}

/// The first read of a copy.
#[derive(Clone, Copy, Debug)]
struct Read {
    /// Where it found the stack.
    place: StackPosition,
    /// The second read saw the same callers.
    agrees: bool,
    /// And the same innermost frame, at the same instruction.
    same_leaf: bool,
}
