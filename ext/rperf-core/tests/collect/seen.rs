use rperf_core::collect::{RawFrame, SnapshotSample};
use rperf_core::ids::{FrameId, LabelSetId, NativeId, ThreadSeq};
use rperf_core::state::VmState;
use rperf_core::time::Nanos;

/// Collects stacks (the leaf first), each so many times.
#[derive(Default)]
pub struct Seen {
    pub frames: Vec<RawFrame>,
    pub samples: Vec<SnapshotSample>,
}

impl Seen {
    pub fn new(stacks: &[(&[RawFrame], u64)]) -> Self {
        let mut seen = Self::default();
        for (stack, count) in stacks {
            let stack = seen.ids(stack);
            seen.add(stack, *count);
        }
        seen
    }

    pub fn add(&mut self, stack: Vec<FrameId>, count: u64) {
        self.samples.push(SnapshotSample {
            stack,
            state: VmState::Running,
            thread: ThreadSeq(1),
            labels: LabelSetId(0),
            native: NativeId(0),
            weight: Nanos(count),
            count,
        });
    }

    pub fn ids(&mut self, stack: &[RawFrame]) -> Vec<FrameId> {
        let id = |frame: &RawFrame| {
            let known = self.frames.iter().position(|known| known == frame);
            FrameId::from(known.unwrap_or_else(|| {
                self.frames.push(*frame);
                self.frames.len() - 1
            }))
        };
        stack.iter().map(id).collect()
    }
}
