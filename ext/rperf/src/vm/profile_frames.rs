//! `rb_profile_thread_frames`: the public way to walk a thread's frames, at a safepoint only.

use rperf_core::collect::RawFrame;

use super::context::Gvl;
use super::threads::RubyThread;

/// Maximum number of frames of a stack. Deeper stacks are cut at the root, and marked as truncated.
pub const MAX_DEPTH: usize = 10_000;

/// Number of frames of a walk: one more than a stack has, so that a deeper one is noticed.
const WALKED: usize = MAX_DEPTH + 1;

/// Buffers for one walk.
pub struct ProfileFrames {
    frames: Vec<rb_sys::VALUE>,
    lines: Vec<i32>,
}

impl Default for ProfileFrames {
    /// Reserves the buffers (120 KB).
    fn default() -> Self {
        Self { frames: vec![0; WALKED], lines: vec![0; WALKED] }
    }
}

impl ProfileFrames {
    /// Returns the frames of the calling thread, or of a living one off the GVL, leaf first. A line
    /// of 0 is unknown.
    pub fn walk(&mut self, _gvl: Gvl<'_>, thread: RubyThread) -> impl ExactSizeIterator<Item = RawFrame> {
        let limit = i32::try_from(WALKED).unwrap_or(i32::MAX);
        let (frames, lines) = (self.frames.as_mut_ptr(), self.lines.as_mut_ptr());
        // SAFETY: both buffers hold `limit` elements; the GVL is held, so the thread's frames stay;
        // nothing is allocated.
        let depth = unsafe { rb_sys::rb_profile_thread_frames(thread.value(), 0, limit, frames, lines) };
        let depth = usize::try_from(depth).unwrap_or(0);
        self.frames[..depth].iter().zip(&self.lines[..depth]).map(|(method, line)| RawFrame {
            method: *method,
            code: 0,
            pc: u64::try_from(*line).unwrap_or(0),
            operand: RawFrame::INTERPRETED,
        })
    }
}
