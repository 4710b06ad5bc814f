//! The frame table: raw frames to small numbers.

use hashbrown::hash_map::Entry;
use hashbrown::{HashMap, HashSet};

use crate::ids::FrameId;

/// A frame as it was captured, not named yet.
///
/// `method` and `code` are addresses of VM objects that stay alive and in place for as long as the
/// table has them: whoever owns the table marks and pins them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RawFrame {
    /// What names the frame: a method entry or an instruction sequence.
    pub method: u64,
    /// The instruction sequence that ran (0 for a C method).
    pub code: u64,
    /// Where in it, in words, or the line where `code` is 0; 0 where unknown.
    pub position: u32,
    /// What a specialised instruction worked on, for a leaf; 0 for none. The VM room defines the numbers, below
    /// [`UNSETTLED`](Self::UNSETTLED).
    pub operand: u16,
}

impl RawFrame {
    /// Stands at the outer end of a stack for the frames that were cut off there.
    pub const TRUNCATED: Self = Self { method: 0, code: 0, position: 0, operand: 0 };
    /// In [`operand`](Self::operand): a leaf that may be named by another moment than its caller's position: see
    /// [`Leaves`](super::Leaves).
    pub const UNSETTLED: u16 = 1 << 15;
    /// A leaf of which nothing is known but that it was a C method.
    pub const SOME_C_METHOD: Self = Self { method: 0, code: 0, position: 0, operand: Self::UNSETTLED };
    /// In the place of a frame that was forgotten: refers to nothing.
    pub const VACANT: Self = Self::TRUNCATED;

    /// Whether the leaf may be named by another moment.
    pub fn is_unsettled(&self) -> bool {
        self.operand & Self::UNSETTLED != 0
    }

    /// The same frame as a leaf that may be named by another moment.
    pub fn unsettled(self) -> Self {
        Self { operand: self.operand | Self::UNSETTLED, ..self }
    }

    /// The same frame without that mark.
    pub fn settled(self) -> Self {
        Self { operand: self.operand & !Self::UNSETTLED, ..self }
    }
}

/// Interns raw frames. Ids are dense; those of frames that were [forgotten](FrameTable::retain) are given away again.
#[derive(Clone, Debug, Default)]
pub struct FrameTable {
    ids: HashMap<RawFrame, FrameId>,
    /// The method that each instruction sequence was first seen in.
    methods: HashMap<u64, u64>,
    frames: Vec<RawFrame>,
    /// Ids that are nobody's.
    free: Vec<FrameId>,
    limit: usize,
}

impl FrameTable {
    /// A table for at most `limit` frames.
    pub fn new(limit: usize) -> Self {
        Self {
            ids: HashMap::with_capacity(4096),
            methods: HashMap::with_capacity(4096),
            frames: Vec::with_capacity(4096),
            free: Vec::new(),
            limit,
        }
    }

    /// The frame's id, or `None` when the table is full. Allocates only when a new frame makes it grow.
    pub fn intern_frame(&mut self, frame: RawFrame) -> Option<FrameId> {
        match self.ids.entry(frame) {
            Entry::Occupied(entry) => Some(*entry.get()),
            Entry::Vacant(entry) => {
                let id = match self.free.pop() {
                    Some(id) => id,
                    None if self.frames.len() >= self.limit => return None,
                    None => {
                        self.frames.push(RawFrame::VACANT);
                        FrameId::from(self.frames.len() - 1)
                    }
                };
                self.frames[id.index()] = frame;
                learn(&mut self.methods, frame);
                Some(*entry.insert(id))
            }
        }
    }

    /// The method that an instruction sequence was first seen in, where it was in one.
    pub fn method_of(&self, code: u64) -> Option<u64> {
        self.methods.get(&code).copied()
    }

    /// Forgets all frames but those that are in use, which keep their ids.
    pub fn retain(&mut self, in_use: impl Fn(FrameId) -> bool) {
        let Self { ids, methods, frames, free, .. } = self;
        ids.retain(|_, id| {
            let stays = in_use(*id);
            if !stays {
                frames[id.index()] = RawFrame::VACANT;
                free.push(*id);
            }
            stays
        });
        let known: HashSet<(u64, u64)> = ids.keys().map(|frame| (frame.code, frame.method)).collect();
        methods.retain(|code, method| known.contains(&(*code, *method)));
        frames.iter().for_each(|frame| learn(methods, *frame));
    }

    /// All frames; [`FrameId`] is the index. [`RawFrame::VACANT`] where there is none.
    pub fn frames(&self) -> &[RawFrame] {
        &self.frames
    }
}

/// Remembers the method of an instruction sequence, where it is in one.
fn learn(methods: &mut HashMap<u64, u64>, frame: RawFrame) {
    if frame.method != frame.code && frame.code != 0 {
        methods.entry(frame.code).or_insert(frame.method);
    }
}

#[cfg(test)]
mod tests {
    use super::{FrameTable, RawFrame};
    use crate::ids::FrameId;

    fn frame(method: u64) -> RawFrame {
        RawFrame { method, code: method, position: 0, operand: 0 }
    }

    #[test]
    fn equal_frames_get_one_id() {
        let mut table = FrameTable::new(10);
        assert_eq!(table.intern_frame(frame(8)), Some(FrameId(0)));
        assert_eq!(table.intern_frame(frame(16)), Some(FrameId(1)));
        assert_eq!(table.intern_frame(frame(8)), Some(FrameId(0)));
        assert_eq!(table.frames().len(), 2);
    }

    #[test]
    fn code_is_known_by_the_method_that_it_was_first_seen_in() {
        let mut table = FrameTable::new(10);
        for (method, code) in [(8, 24), (16, 24), (32, 32), (40, 0)] {
            table.intern_frame(RawFrame { method, code, position: 0, operand: 0 });
        }
        assert_eq!([24, 32, 0].map(|code| table.method_of(code)), [Some(8), None, None]);
    }

    #[test]
    fn frames_that_are_forgotten_make_room() {
        let mut table = FrameTable::new(3);
        let ids = [8, 16, 24].map(|method| table.intern_frame(frame(method)).expect("room"));
        table.retain(|id| id == ids[1]);
        assert_eq!(table.frames(), [RawFrame::VACANT, frame(16), RawFrame::VACANT]);
        assert_eq!(table.intern_frame(frame(16)), Some(ids[1]));
        for round in 1..100 {
            let new = [32, 40].map(|method| table.intern_frame(frame(round * 100 + method)).expect("room"));
            assert_eq!(table.frames()[new[0].index()], frame(round * 100 + 32));
            assert_eq!(table.intern_frame(frame(48)), None);
            table.retain(|id| id == ids[1]);
        }
    }

    #[test]
    fn the_method_of_code_is_forgotten_with_its_frame() {
        let mut table = FrameTable::new(10);
        let raw = |method, code, position| RawFrame { method, code, position, operand: 0 };
        let first = table.intern_frame(raw(8, 24, 1));
        let other = table.intern_frame(raw(16, 24, 2));
        let same = table.intern_frame(raw(8, 24, 3));
        assert_eq!(table.method_of(24), Some(8));
        table.retain(|id| Some(id) != first);
        assert_eq!(table.method_of(24), Some(8), "another frame has it");
        table.retain(|id| Some(id) != same);
        assert_eq!(table.method_of(24), Some(16), "this is the first that is left");
        table.retain(|id| Some(id) != other);
        assert_eq!(table.method_of(24), None);
    }

    #[test]
    fn a_full_table_refuses_new_frames_and_knows_the_old() {
        let mut table = FrameTable::new(1);
        assert_eq!(table.intern_frame(frame(8)), Some(FrameId(0)));
        assert_eq!(table.intern_frame(frame(16)), None);
        assert_eq!(table.intern_frame(frame(8)), Some(FrameId(0)));
    }
}
