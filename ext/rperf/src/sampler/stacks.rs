//! The sampler's stacks: frames as captured or as they stand, to ids of the frame table.

use rperf_core::collect::{DropCause, RawFrame, TickFrame, TickInfo};
use rperf_core::ids::FrameId;

use super::{Sampler, StackResult};
use crate::threads::live::LIVE;
use crate::threads::slot::ThreadSlot;
use crate::threads::slot_state::SlotState;
use crate::vm::context::Gvl;
use crate::vm::control_frames::ControlFrames;
use crate::vm::copied::decode_copied;
use crate::vm::decode::{Leaf, Trust, decode};
use crate::vm::layout::Layout;
use crate::vm::profile_frames::MAX_DEPTH;
use crate::vm::ractors;

/// What a walk found, besides the frames themselves.
struct Walk {
    depth: usize,
    /// So many of the outermost frames are those of the tick with the number before.
    shared: usize,
    /// The number of the tick; 0 where it has none.
    number: u64,
    leaf: Leaf,
    /// Outer frames were left out.
    truncated: bool,
    /// The frames stand still: the leaf, too, is what its words say.
    stands: bool,
    /// Frame and name of the leaf are of one moment.
    settled: bool,
}

impl Sampler {
    /// Interns the frames of a tick into `scratch`.
    pub(super) fn intern_tick(
        &mut self,
        gvl: Gvl<'_>,
        slot: &ThreadSlot,
        state: &mut SlotState,
        info: &TickInfo,
        written: usize,
        frame: impl Fn(usize) -> TickFrame,
    ) -> StackResult {
        let live = Layout::proved().and_then(|layout| ControlFrames::of(layout, slot.structure()));
        // Ticks are interpreted before the collector can free what they refer to (see `hooks::gc`), so that the
        // environments of frames which are gone may be followed too; but not where another Ractor may collect.
        let gone = match ractors::only_main() {
            true if info.remote => Trust::Copied,
            true => Trust::Alive,
            false => Trust::Words,
        };
        let trust = |index: usize, frame: &mut TickFrame| {
            let address = |live: &ControlFrames| live.address(info.cfp, index);
            match live.filter(|live| live.stands(address(live), frame)) {
                // The copied word may be another frame's. (Of C methods nothing but that word tells one from another:
                // what stands there now may be the next one.)
                Some(_) if info.remote && frame.pc == 0 => return gone,
                Some(live) if info.remote => frame.method = live.method_at(address(&live)),
                Some(_) => {}
                None => return gone,
            }
            Trust::Stands
        };
        let leaf = Leaf { operands: info.operands, jit: info.jit, other_method: info.other_method };
        let walk = Walk {
            depth: info.shared + written,
            shared: info.shared,
            number: info.number,
            leaf,
            truncated: info.truncated,
            stands: false,
            settled: info.settled,
        };
        self.intern(gvl, state, &walk, frame, trust)
    }

    /// Walks the frames of a thread as they stand now into `scratch`: the calling thread's, or those of a
    /// living thread that is off the GVL.
    pub(super) fn intern_standing(
        &mut self,
        gvl: Gvl<'_>,
        slot: &ThreadSlot,
        state: &mut SlotState,
    ) -> StackResult {
        let Some(layout) = Layout::proved() else {
            return self.intern_public(gvl);
        };
        let frames = ControlFrames::of(layout, slot.structure()).ok_or(DropCause::NoFrames)?;
        let walk = Walk {
            depth: frames.depth().min(MAX_DEPTH),
            shared: 0,
            number: 0,
            leaf: Leaf { operands: [0; 3], jit: frames.top_is_jit(), other_method: 0 },
            truncated: frames.depth() > MAX_DEPTH,
            stands: true,
            settled: true,
        };
        self.intern(gvl, state, &walk, |index| frames.frame(index), |_, _| Trust::Stands)
    }

    /// Walks the calling thread's frames by the VM's public function.
    pub(super) fn intern_public(&mut self, gvl: Gvl<'_>) -> StackResult {
        self.scratch.clear();
        for frame in self.walk.walk(gvl) {
            self.scratch.push(self.frames.intern_frame(frame).ok_or(DropCause::FrameLimit)?);
        }
        if self.scratch.is_empty() { Err(DropCause::NoFrames) } else { Ok(()) }
    }

    /// Interns the frames of a walk (0 is the leaf) into `scratch`, outermost first and then turned round: the
    /// outer frames are mostly those of the thread's last sample.
    fn intern(
        &mut self,
        gvl: Gvl<'_>,
        state: &mut SlotState,
        walk: &Walk,
        frame: impl Fn(usize) -> TickFrame,
        trust: impl Fn(usize, &mut TickFrame) -> Trust,
    ) -> StackResult {
        self.scratch.clear();
        state.forget_words(LIVE.collections());
        self.add_shared(state, walk)?;
        state.cache.begin();
        // A truncated stack lacks its outermost frames: the cache would not be aligned.
        if walk.truncated {
            state.cache.clear();
        }
        for index in (0..walk.depth - walk.shared).rev() {
            let words = frame(index);
            let position = walk.depth - 1 - index;
            let id = match state.cache.get(position) {
                Some((known, id)) if index > 0 && *known == words => id,
                _ if index == 0 && walk.stands && state.standing_leaf.0 == words => state.standing_leaf.1,
                _ => {
                    let leaf = (index == 0).then_some(walk.leaf);
                    let mut frame = words;
                    let raw = match trust(index, &mut frame) {
                        Trust::Copied => decode_copied(gvl, &frame, leaf, |code| self.frames.method_of(code)),
                        trust => decode(gvl, &frame, trust, leaf),
                    };
                    let raw = if index == 0 && !walk.settled { unsettled(&frame, raw) } else { raw };
                    let id = raw.map(|raw| self.intern_frame(raw)).transpose()?;
                    state.cache.truncate(position);
                    if index > 0 {
                        state.cache.push(words, id);
                    } else if walk.stands {
                        state.standing_leaf = (words, id);
                    }
                    id
                }
            };
            self.scratch.extend(id);
        }
        if !walk.truncated {
            state.cache.complete(walk.number);
        }
        self.scratch.reverse();
        if walk.truncated {
            let mark = self.intern_frame(RawFrame::TRUNCATED)?;
            self.scratch.push(mark);
        }
        if self.scratch.is_empty() { Err(DropCause::NoFrames) } else { Ok(()) }
    }

    /// Puts the outer frames of a tick that has not brought them into `scratch`: those of the tick before, which was
    /// interpreted just before. (Where it was not, with Ractors, nothing is known of the stack.)
    fn add_shared(&mut self, state: &SlotState, walk: &Walk) -> StackResult {
        if walk.shared > 0 {
            let ids = state.cache.of_tick(walk.number - 1, walk.shared).ok_or(DropCause::NoFrames)?;
            self.scratch.extend(ids.iter().flatten());
        }
        Ok(())
    }

    /// A period is over whose samples have these stacks: forgets all other frames, but for those that threads go on
    /// with. (A frame is marked in every collection, and code that ran once would stay for good.) The buffer must be
    /// empty.
    pub fn forget_frames<'a>(&mut self, stacks: impl Iterator<Item = &'a [FrameId]>) {
        let mut in_use = vec![false; self.frames.frames().len()];
        stacks.flatten().for_each(|frame| in_use[frame.index()] = true);
        for slot in ThreadSlot::all() {
            slot.state().frames().for_each(|frame| in_use[frame.index()] = true);
        }
        self.frames.retain(|frame| in_use[frame.index()]);
    }

    fn intern_frame(&mut self, frame: RawFrame) -> Result<FrameId, DropCause> {
        self.frames.intern_frame(frame).ok_or(DropCause::FrameLimit)
    }
}

/// A leaf that was seen in motion: also where it is known of it only that it was a C method.
fn unsettled(frame: &TickFrame, raw: Option<RawFrame>) -> Option<RawFrame> {
    match raw {
        Some(raw) => Some(raw.unsettled()),
        None => (frame.pc == 0).then_some(RawFrame::SOME_C_METHOD),
    }
}

/// Whether the thread, which is the calling one, is known to have no frames yet, or any more.
pub fn has_no_frames(slot: &ThreadSlot) -> bool {
    let frames = |layout| ControlFrames::of(layout, slot.structure());
    Layout::proved().is_some_and(|layout| frames(layout).is_none_or(|frames| frames.depth() == 0))
}
