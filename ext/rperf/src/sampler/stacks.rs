//! Stacks: from captured frames to ids of the stack table.

use rperf_core::collect::{DropCause, RawFrame, StackTable};
use rperf_core::ids::{FrameId, StackId};

use super::Sampler;
use crate::os::copier::Copier;
use crate::threads::accounts::StackResult;
use crate::threads::record::ThreadRecord;
use crate::threads::session_state::Counter;
use crate::vm::context::Gvl;
use crate::vm::control_frames::ControlFrames;
use crate::vm::identity::{self, Method};
use crate::vm::layout::Layout;
use crate::vm::object_words::ObjectWords;
use crate::vm::profile_frames::MAX_DEPTH;
use crate::vm::threads::RubyThread;

impl Sampler {
    /// Interns the stack that the stack poller has captured in this era. `copier`: the poller's.
    pub fn intern_captured(&mut self, frames: &[RawFrame], copier: &Copier) -> StackResult {
        Counter::Cut.add(u64::from(frames.first() == Some(&RawFrame::TRUNCATED)));
        self.intern(frames.iter().copied(), ObjectWords::Polled(copier))
    }

    /// Interns the current frames of the calling thread, or of a living thread that is off the GVL.
    pub(super) fn intern_standing(&mut self, gvl: Gvl<'_>, record: &ThreadRecord) -> StackResult {
        self.intern_in_place(record, ObjectWords::InPlace(gvl), false)
    }

    /// Interns the frames of the calling thread, which has no GVL. They stay as they were when the
    /// thread gave up the GVL, but for objects that move.
    pub(super) fn intern_outside(&mut self, record: &ThreadRecord) -> StackResult {
        self.intern_in_place(record, ObjectWords::Captured, true)
    }

    /// Interns the frames of such a thread, the calling one if no layout has been proved.
    /// `has_line`: the thread allocates or calls a method of rperf, so its leaf says which line it
    /// has reached, also under YJIT (`gc_validate_pc` in gc.c).
    pub(super) fn intern_in_place(
        &mut self,
        record: &ThreadRecord,
        objects: ObjectWords<'_>,
        has_line: bool,
    ) -> StackResult {
        let Some(layout) = Layout::proved() else {
            let ObjectWords::InPlace(gvl) = objects else { return Err(DropCause::NoFrames) };
            return self.intern_public(gvl, RubyThread::current(gvl));
        };
        let frames = ControlFrames::of(layout, record.structure(), objects).ok_or(DropCause::NoFrames)?;
        self.intern(frames.innermost(MAX_DEPTH + 1, has_line), objects)
    }

    /// Interns the frames of the calling thread, or of one off the GVL, by the public function.
    pub(super) fn intern_public(&mut self, gvl: Gvl<'_>, thread: RubyThread) -> StackResult {
        let frames: Vec<RawFrame> = self.walk.walk(gvl, thread).collect();
        self.intern(frames.into_iter().rev(), ObjectWords::InPlace(gvl))
    }

    /// Interns a frame that belongs to no thread.
    pub(super) fn intern_synthetic(&mut self, frame: RawFrame) -> StackResult {
        self.intern([frame].into_iter(), ObjectWords::Captured)
    }

    /// Interns frames, the outermost first; of a deep stack, only the innermost. A thread without
    /// frames (Ruby reads the program's first file, say) has the empty stack.
    fn intern(
        &mut self,
        frames: impl ExactSizeIterator<Item = RawFrame>,
        objects: ObjectWords<'_>,
    ) -> StackResult {
        let left_out = frames.len().saturating_sub(MAX_DEPTH);
        let mark = (left_out > 0).then_some(RawFrame::TRUNCATED);
        let mut frames = mark.into_iter().chain(frames.skip(left_out));
        frames.try_fold(StackTable::EMPTY, |callers, frame| self.intern_on(callers, frame, objects))
    }

    fn intern_on(&mut self, callers: StackId, frame: RawFrame, objects: ObjectWords<'_>) -> StackResult {
        if let Some((stack, last)) = self.tables.stacks.last_on(callers)
            && self.tables.frames.frames()[last.index()] == frame
        {
            return Ok(stack);
        }
        let known = self.tables.frames.id(&frame);
        let frame = known.or_else(|| self.intern_new(frame, objects)).ok_or(DropCause::FrameLimit)?;
        self.tables.stacks.intern(callers, frame).ok_or(DropCause::StackLimit)
    }

    /// Interns a frame that is not known by its words. Code may be compiled anew for each run. Some
    /// calls have a method entry of their own, or a scope in its place, and a frame that was
    /// captured while it was written may have any object there. Interned by such a word, each call
    /// would be another frame, and the object would be kept.
    fn intern_new(&mut self, frame: RawFrame, objects: ObjectWords<'_>) -> Option<FrameId> {
        let frame = self.in_first_code(frame, objects);
        let method = match Method::of(&frame, objects) {
            Some(method) => self.tables.frames.method(method.identity, frame.code, method.entry),
            None if frame.operand == RawFrame::INTERPRETED => frame.method,
            None => 0,
        };
        self.tables.frames.intern(RawFrame { method, ..frame })
    }

    /// Returns the frame, moved to the code that was compiled first from the same text.
    fn in_first_code(&mut self, frame: RawFrame, objects: ObjectWords<'_>) -> RawFrame {
        if frame.code == 0 || self.tables.frames.keeps(frame.code) {
            return frame;
        }
        let Some((identity, code)) = identity::of_code(&frame, objects) else { return frame };
        let first = self.tables.frames.code(identity, code);
        let place = |pc: u64| pc.wrapping_sub(code.instructions).wrapping_add(first.instructions);
        let pc = if frame.pc == 0 { 0 } else { place(frame.pc) };
        // Other text of the same length, at the same place, may have other instructions.
        if frame.operand != 0 && !identity::is_same_instruction(frame.pc, pc) {
            return frame;
        }
        RawFrame { code: first.address, pc, ..frame }
    }
}

/// Returns whether the thread, the calling one, is known to have no frames, or none any more.
pub fn has_no_frames(record: &ThreadRecord) -> bool {
    let frames = |layout| ControlFrames::of(layout, record.structure(), ObjectWords::Unread);
    Layout::proved().is_some_and(|layout| frames(layout).is_none_or(|frames| frames.depth() == 0))
}
