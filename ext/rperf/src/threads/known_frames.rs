//! The frames of a thread's last stack, with their ids: most of a stack does not change from one to the next.

use rperf_core::collect::TickFrame;
use rperf_core::ids::FrameId;

/// All but the leaf of the last stack, by position: the outermost is 0.
#[derive(Debug)]
pub struct KnownFrames {
    frames: Vec<TickFrame>,
    /// None where a frame could not be decoded.
    ids: Vec<Option<FrameId>>,
    /// The number of the tick whose frames these are; 0 where they are others', or not all of them.
    tick: u64,
}

impl KnownFrames {
    /// None yet.
    pub fn new() -> Self {
        Self { frames: Vec::with_capacity(128), ids: Vec::with_capacity(128), tick: 0 }
    }

    /// Forgets them all.
    pub fn clear(&mut self) {
        self.begin();
        self.truncate(0);
    }

    /// Another stack is compared with them from now on: until it is [complete](Self::complete) they are no tick's.
    pub fn begin(&mut self) {
        self.tick = 0;
    }

    /// They are those of the tick with this number.
    pub fn complete(&mut self, tick: u64) {
        self.tick = tick;
    }

    /// The ids of the `count` outermost frames of the tick with this number; `None` where they are not known any more.
    pub fn of_tick(&self, tick: u64, count: usize) -> Option<&[Option<FrameId>]> {
        self.ids.get(..count).filter(|_| tick != 0 && self.tick == tick)
    }

    /// The frame at a position.
    pub fn get(&self, position: usize) -> Option<(&TickFrame, Option<FrameId>)> {
        Some((self.frames.get(position)?, *self.ids.get(position)?))
    }

    /// Forgets those from a position on.
    pub fn truncate(&mut self, position: usize) {
        self.frames.truncate(position);
        self.ids.truncate(position);
    }

    /// Adds the next frame.
    pub fn push(&mut self, frame: TickFrame, id: Option<FrameId>) {
        self.frames.push(frame);
        self.ids.push(id);
    }

    /// All ids.
    pub fn ids(&self) -> impl Iterator<Item = FrameId> {
        self.ids.iter().filter_map(|id| *id)
    }
}
