//! Stacks: from captured frames to ids of the stack table.

use rperf_core::collect::{CapturedFrame, DropCause, RawFrame, StackCache, StackTable};
use rperf_core::ids::{FrameId, StackId};

use super::{Sampler, StackResult};
use crate::threads::accounts::ThreadAccounts;
use crate::threads::record::ThreadRecord;
use crate::threads::session_state::{self, Counter};
use crate::vm::code;
use crate::vm::context::Gvl;
use crate::vm::control_frames::ControlFrames;
use crate::vm::interpretation::standing_frame;
use crate::vm::layout::Layout;
use crate::vm::method::Method;
use crate::vm::profile_frames::MAX_DEPTH;
use crate::vm::remote::stack::Captured;

/// The method of a frame, where it has one.
type MethodOf = fn(&RawFrame) -> Option<Method>;

impl Sampler {
    /// Interns what the poller has captured of the thread with these accounts in this era.
    pub fn intern_captured(
        &mut self,
        accounts: &mut ThreadAccounts,
        captured: &Captured,
        era: u64,
    ) -> StackResult {
        let Captured { frames, is_cut, jit, operand } = captured;
        let raw = |frame: &CapturedFrame, is_leaf: bool| {
            frame.raw(frame.method, is_leaf && *jit, if is_leaf { *operand } else { 0 })
        };
        if !is_cut {
            return self.intern(&mut accounts.cache, era, frames, raw, Method::of_captured);
        }
        Counter::Cut.add(1);
        let leaf = frames.last().ok_or(DropCause::NoFrames)?;
        self.intern_raw([RawFrame::TRUNCATED, raw(leaf, true)], Method::of_captured)
    }

    /// Interns the frames of a thread as they stand: the calling thread's, or those of a living
    /// thread that is off the GVL.
    pub(super) fn intern_standing(
        &mut self,
        gvl: Gvl<'_>,
        record: &ThreadRecord,
        accounts: &mut ThreadAccounts,
    ) -> StackResult {
        self.intern_own(gvl, record, accounts, false)
    }

    /// The same. `has_line`: the calling thread allocates or calls a method of ours, so its
    /// innermost frame says which line it has come to, also under YJIT (`gc_validate_pc` in gc.c).
    pub(super) fn intern_own(
        &mut self,
        gvl: Gvl<'_>,
        record: &ThreadRecord,
        accounts: &mut ThreadAccounts,
        has_line: bool,
    ) -> StackResult {
        let Some(layout) = Layout::proved() else {
            return self.intern_public(gvl);
        };
        let frames = ControlFrames::of(layout, record.structure()).ok_or(DropCause::NoFrames)?;
        let jit = frames.top_is_jit() && !has_line;
        self.intern_frames(accounts, &frames, |frame, is_leaf| standing_frame(gvl, frame, is_leaf && jit))
    }

    /// Interns the frames of the calling thread, which has no GVL: they stay as they were when it
    /// gave that up, but for objects that move.
    pub(super) fn intern_outside(
        &mut self,
        record: &ThreadRecord,
        accounts: &mut ThreadAccounts,
    ) -> StackResult {
        let frames =
            Layout::proved().and_then(|layout| ControlFrames::in_handler(layout, record.structure()));
        let frames = frames.ok_or(DropCause::NoFrames)?;
        self.intern_frames(accounts, &frames, |frame, _| frame.raw(frame.method, false, 0))
    }

    fn intern_frames(
        &mut self,
        accounts: &mut ThreadAccounts,
        frames: &ControlFrames,
        raw: impl Fn(&CapturedFrame, bool) -> RawFrame,
    ) -> StackResult {
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        scratch.extend((0..frames.depth()).rev().map(|index| frames.frame(index)));
        let interned =
            self.intern(&mut accounts.cache, session_state::era(), &scratch, raw, Method::of_standing);
        self.scratch = scratch;
        interned
    }

    /// Interns the calling thread's frames by the VM's public function.
    pub(super) fn intern_public(&mut self, gvl: Gvl<'_>) -> StackResult {
        let frames: Vec<RawFrame> = self.walk.walk(gvl).collect();
        if frames.is_empty() {
            return Err(DropCause::NoFrames);
        }
        self.intern_raw(frames.into_iter().rev(), Method::of_standing)
    }

    /// Interns a frame that is no thread's.
    pub(super) fn intern_synthetic(&mut self, frame: RawFrame) -> StackResult {
        self.intern_raw([frame], |_| None)
    }

    /// Interns frames, the outermost first.
    fn intern_raw(&mut self, frames: impl IntoIterator<Item = RawFrame>, method: MethodOf) -> StackResult {
        frames
            .into_iter()
            .try_fold(StackTable::EMPTY, |callers, frame| self.intern_on(callers, frame, method))
    }

    /// Interns a frame on top of its callers.
    fn intern_on(&mut self, callers: StackId, frame: RawFrame, method: MethodOf) -> StackResult {
        let known = self.frames.id(&frame);
        let frame = known.or_else(|| self.intern_new(frame, method)).ok_or(DropCause::FrameLimit)?;
        self.stacks.intern(callers, frame).ok_or(DropCause::StackLimit)
    }

    /// Interns a frame that is not known by its words. Code may be compiled anew for each run. Some
    /// calls have a method entry of their own, or a scope in its place, and a frame that was
    /// captured while it was written may have any object there: interned by it, each would be
    /// another frame, and the object would be kept.
    fn intern_new(&mut self, frame: RawFrame, method: MethodOf) -> Option<FrameId> {
        let frame = self.in_first_code(frame);
        let method = match method(&frame) {
            Some(method) => self.frames.method(method.identity, frame.code, method.entry),
            None if frame.operand == RawFrame::INTERPRETED => frame.method,
            None => 0,
        };
        self.frames.intern(RawFrame { method, ..frame })
    }

    /// The same frame in the code that was compiled first from the same text.
    fn in_first_code(&mut self, frame: RawFrame) -> RawFrame {
        if frame.code == 0 || self.frames.keeps(frame.code) {
            return frame;
        }
        let Some((identity, code)) = code::of(&frame) else { return frame };
        let first = self.frames.code(identity, code);
        let place = |pc: u64| pc.wrapping_sub(code.instructions).wrapping_add(first.instructions);
        let pc = if frame.pc == 0 { 0 } else { place(frame.pc) };
        // Other text of the same length, at the same place, may have other instructions.
        if frame.operand != 0 && !code::is_same_instruction(frame.pc, pc) {
            return frame;
        }
        RawFrame { code: first.address, pc, ..frame }
    }

    /// Interns captured frames, the outermost first. `raw` turns one into a raw frame; it is told
    /// whether the frame is the leaf.
    fn intern(
        &mut self,
        cache: &mut StackCache,
        era: u64,
        frames: &[CapturedFrame],
        raw: impl Fn(&CapturedFrame, bool) -> RawFrame,
        method: MethodOf,
    ) -> StackResult {
        if frames.is_empty() {
            return Err(DropCause::NoFrames);
        }
        if let Some(left_out) = frames.len().checked_sub(MAX_DEPTH).filter(|left_out| *left_out > 0) {
            let inner = frames.iter().enumerate().skip(left_out);
            let inner = inner.map(|(index, frame)| raw(frame, index + 1 == frames.len()));
            return self.intern_raw([RawFrame::TRUNCATED].into_iter().chain(inner), method);
        }
        cache.stack(era, frames, |callers, frame, is_leaf| {
            self.intern_on(callers, raw(frame, is_leaf), method)
        })
    }
}

/// Whether the thread, which is the calling one, is known to have no frames yet, or any more.
pub fn has_no_frames(record: &ThreadRecord) -> bool {
    let frames = |layout| ControlFrames::of(layout, record.structure());
    Layout::proved().is_some_and(|layout| frames(layout).is_none_or(|frames| frames.depth() == 0))
}
