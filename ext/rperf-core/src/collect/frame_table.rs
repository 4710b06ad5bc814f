//! The frame table: raw frames to small numbers.

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;

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
    /// What a specialised instruction worked on, for a leaf; 0 for none. The VM room defines the numbers.
    pub operand: u16,
}

impl RawFrame {
    /// Stands at the outer end of a stack for the frames that were cut off there.
    pub const TRUNCATED: Self = Self { method: 0, code: 0, position: 0, operand: 0 };
}

/// Interns raw frames. Ids are dense and count up; the table only grows.
#[derive(Clone, Debug, Default)]
pub struct FrameTable {
    ids: HashMap<RawFrame, FrameId>,
    /// The method that each instruction sequence was first seen in.
    methods: HashMap<u64, u64>,
    frames: Vec<RawFrame>,
    limit: usize,
}

impl FrameTable {
    /// A table for at most `limit` frames.
    pub fn new(limit: usize) -> Self {
        Self {
            ids: HashMap::with_capacity(4096),
            methods: HashMap::with_capacity(4096),
            frames: Vec::with_capacity(4096),
            limit,
        }
    }

    /// The frame's id, or `None` when the table is full. Allocates only when a new frame makes it grow.
    pub fn intern_frame(&mut self, frame: RawFrame) -> Option<FrameId> {
        match self.ids.entry(frame) {
            Entry::Occupied(entry) => Some(*entry.get()),
            Entry::Vacant(entry) => {
                if self.frames.len() >= self.limit {
                    return None;
                }
                if frame.method != frame.code && frame.code != 0 {
                    self.methods.entry(frame.code).or_insert(frame.method);
                }
                let id = FrameId::from(self.frames.len());
                self.frames.push(frame);
                Some(*entry.insert(id))
            }
        }
    }

    /// The method that an instruction sequence was first seen in, where it was in one.
    pub fn method_of(&self, code: u64) -> Option<u64> {
        self.methods.get(&code).copied()
    }

    /// All frames; [`FrameId`] is the index.
    pub fn frames(&self) -> &[RawFrame] {
        &self.frames
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
    fn a_full_table_refuses_new_frames_and_knows_the_old() {
        let mut table = FrameTable::new(1);
        assert_eq!(table.intern_frame(frame(8)), Some(FrameId(0)));
        assert_eq!(table.intern_frame(frame(16)), None);
        assert_eq!(table.intern_frame(frame(8)), Some(FrameId(0)));
    }
}
