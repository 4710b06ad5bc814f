//! Samples to put in, and what came out of them, short enough to compare by eye.

use rperf_core::collect::{Aggregator, SampleBuffer, Snapshot};
use rperf_core::ids::{FrameId, LabelSetId, ThreadSeq};
use rperf_core::state::VmState;
use rperf_core::time::Nanos;

/// One sample; [`sample`] makes the plainest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    pub stack: Vec<u32>,
    pub state: VmState,
    pub thread: u32,
    pub labels: u32,
    pub count: u64,
    pub weight: u64,
}

/// A tick of thread 1, running, without labels.
pub fn sample(stack: &[u32], weight: u64) -> Sample {
    Sample { stack: stack.to_vec(), state: VmState::Running, thread: 1, labels: 0, count: 1, weight }
}

/// These frame ids.
pub fn ids(stack: &[u32]) -> Vec<FrameId> {
    stack.iter().copied().map(FrameId).collect()
}

/// A buffer that holds the samples in this order.
pub fn buffer(samples: &[Sample]) -> SampleBuffer {
    let mut buffer = SampleBuffer::new();
    for sample in samples {
        let stack = buffer.push_stack(&ids(&sample.stack)).expect("room for the stack");
        buffer.push(
            stack,
            sample.state,
            ThreadSeq(sample.thread),
            LabelSetId(sample.labels),
            u32::try_from(sample.count).expect("a small count"),
            Nanos(sample.weight),
        );
    }
    buffer
}

/// Aggregates the samples out of one buffer.
pub fn aggregate(aggregator: &mut Aggregator, samples: &[Sample]) {
    aggregator.aggregate(&buffer(samples));
}

/// The samples of a snapshot, in its order.
pub fn samples_of(snapshot: &Snapshot) -> Vec<Sample> {
    let plain = |sample: &rperf_core::collect::SnapshotSample| Sample {
        stack: sample.stack.iter().map(|id| id.0).collect(),
        state: sample.state,
        thread: sample.thread.0,
        labels: sample.labels.0,
        count: sample.count,
        weight: sample.weight.0,
    };
    snapshot.samples.iter().map(plain).collect()
}
