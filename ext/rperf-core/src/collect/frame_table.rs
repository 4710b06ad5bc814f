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
    frames: Vec<RawFrame>,
    limit: usize,
}

impl FrameTable {
    /// A table for at most `limit` frames.
    pub fn new(limit: usize) -> Self {
        Self { ids: HashMap::with_capacity(4096), frames: Vec::with_capacity(4096), limit }
    }

    /// The frame's id, or `None` when the table is full. Allocates only when a new frame makes it grow.
    pub fn intern_frame(&mut self, frame: RawFrame) -> Option<FrameId> {
        match self.ids.entry(frame) {
            Entry::Occupied(entry) => Some(*entry.get()),
            Entry::Vacant(entry) => {
                if self.frames.len() >= self.limit {
                    return None;
                }
                let id = FrameId::from(self.frames.len());
                self.frames.push(frame);
                Some(*entry.insert(id))
            }
        }
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
    fn a_full_table_refuses_new_frames_and_knows_the_old() {
        let mut table = FrameTable::new(1);
        assert_eq!(table.intern_frame(frame(8)), Some(FrameId(0)));
        assert_eq!(table.intern_frame(frame(16)), None);
        assert_eq!(table.intern_frame(frame(8)), Some(FrameId(0)));
    }
}
