//! The sample buffer: samples wait here until the worker aggregates them.

use crate::ids::{FrameId, LabelSetId, ThreadSeq};
use crate::state::VmState;
use crate::time::Nanos;

/// One sample of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleRecord {
    /// Its stack.
    pub stack: BufferedStack,
    /// What the thread did.
    pub state: VmState,
    /// The thread.
    pub thread: ThreadSeq,
    /// Its labels at the time.
    pub labels: LabelSetId,
    /// How many ticks it stands for.
    pub count: u32,
    /// The time.
    pub weight: Nanos,
    /// The native instruction that was interrupted; 0 where unknown.
    pub ip: u64,
}

/// Samples and their frames, in memory that was reserved beforehand.
#[derive(Debug)]
pub struct SampleBuffer {
    frames: Vec<FrameId>,
    records: Vec<SampleRecord>,
    /// The last stacks that were put in, and which of them the next one replaces.
    recent: [BufferedStack; RECENT],
    oldest: usize,
    max_frames: usize,
    max_records: usize,
}

/// A stack that was put into a buffer and may get several samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct BufferedStack {
    start: u32,
    len: u32,
}

/// Loops have a handful of stacks: so many are compared with the next one, and need not come again.
const RECENT: usize = 16;

impl SampleBuffer {
    /// Room for this much without allocating.
    pub const FRAMES: usize = 131_072;
    /// Room for so many samples without allocating.
    pub const RECORDS: usize = 16_384;
    /// When so many samples wait, it is time to hand the buffer over.
    pub const HANDOFF_RECORDS: usize = 10_000;
    /// Or so many frames: memory that is used for the first time is dear, and this much stays in the processor's cache.
    pub const HANDOFF_FRAMES: usize = 16_384;

    /// An empty buffer. It grows (and allocates) only when the worker is behind, up to 16 times its size.
    pub fn new() -> Self {
        Self {
            frames: Vec::with_capacity(Self::FRAMES),
            records: Vec::with_capacity(Self::RECORDS),
            recent: Default::default(),
            oldest: 0,
            max_frames: Self::FRAMES * 16,
            max_records: Self::RECORDS * 16,
        }
    }

    /// Puts a stack (leaf first) in, unless it came just before, or `None` when the buffer is full.
    pub fn push_stack(&mut self, frames: &[FrameId]) -> Option<BufferedStack> {
        if self.records.len() + 4 > self.max_records {
            return None;
        }
        if let Some(same) = self.recent.iter().find(|stack| self.frames_of(**stack) == frames) {
            return Some(*same);
        }
        if self.frames.len() + frames.len() > self.max_frames {
            return None;
        }
        let start = u32::try_from(self.frames.len()).ok()?;
        let stack = BufferedStack { start, len: u32::try_from(frames.len()).ok()? };
        self.frames.extend_from_slice(frames);
        self.recent[self.oldest] = stack;
        self.oldest = (self.oldest + 1) % RECENT;
        Some(stack)
    }

    fn frames_of(&self, BufferedStack { start, len }: BufferedStack) -> &[FrameId] {
        &self.frames[start as usize..][..len as usize]
    }

    /// Adds a sample of a stack that [`push_stack`](Self::push_stack) put into this buffer.
    pub fn push(
        &mut self,
        stack: BufferedStack,
        state: VmState,
        thread: ThreadSeq,
        labels: LabelSetId,
        count: u32,
        weight: Nanos,
    ) {
        self.records.push(SampleRecord { stack, state, thread, labels, count, weight, ip: 0 });
    }

    /// Adds a sample of a running thread whose ticks interrupted the native instructions `ips`: to each goes an
    /// equal part of weight and count. How the clock stood at each is not known any more. One sample without an
    /// instruction where `ips` is empty, or the buffer has no room for all.
    pub fn push_native(
        &mut self,
        stack: BufferedStack,
        thread: ThreadSeq,
        labels: LabelSetId,
        count: u32,
        weight: Nanos,
        ips: &[usize],
    ) {
        if ips.is_empty() || self.records.len() + ips.len() > self.max_records {
            return self.push(stack, VmState::Running, thread, labels, count, weight);
        }
        let parts = ips.len() as u64;
        let part = |whole: u64, index: u64| whole / parts + u64::from(index < whole % parts);
        for (index, ip) in (0..).zip(ips) {
            let (count, weight) = (part(count.into(), index) as u32, Nanos(part(weight.0, index)));
            self.push(stack, VmState::Running, thread, labels, count, weight);
            self.records.last_mut().expect("just pushed").ip = *ip as u64;
        }
    }

    /// Whether the buffer should be handed over.
    pub fn is_due(&self) -> bool {
        self.records.len() >= Self::HANDOFF_RECORDS || self.frames.len() >= Self::HANDOFF_FRAMES
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Whether native instructions are known for any of its samples.
    pub fn has_ips(&self) -> bool {
        self.records.iter().any(|record| record.ip != 0)
    }

    /// Its samples, each with its stack.
    pub fn samples(&self) -> impl Iterator<Item = (&SampleRecord, &[FrameId])> {
        self.records.iter().map(|record| (record, self.frames_of(record.stack)))
    }

    /// Empties it, and gives back what it grew by.
    pub fn clear(&mut self) {
        self.frames.clear();
        self.records.clear();
        self.recent = Default::default();
        self.frames.shrink_to(Self::FRAMES);
        self.records.shrink_to(Self::RECORDS);
    }
}

impl Default for SampleBuffer {
    fn default() -> Self {
        Self::new()
    }
}
