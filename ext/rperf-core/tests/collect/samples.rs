//! Samples to put in, and what came out of them, short enough to compare by eye.

use rperf_core::collect::{
    Aggregator, Counted, DropCause, Drops, FrameTable, Labelling, RawFrame, SampleKey, Snapshot,
    SnapshotSample, StackTable, Time,
};
use rperf_core::ids::{KindId, LabelSetId, StackId, ThreadSeq, WorkId};
use rperf_core::state::{ByClock, VmState};
use rperf_core::time::Nanos;

/// One sample; [`sample`] makes the plainest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The outermost frame first.
    pub stack: Vec<u32>,
    pub state: VmState,
    pub thread: u32,
    pub labels: u32,
    /// The unit of work.
    pub work: u32,
    pub count: u64,
    pub weight: u64,
}

/// A tick of thread 1, running, without labels.
pub fn sample(stack: &[u32], weight: u64) -> Sample {
    Sample { stack: stack.to_vec(), state: VmState::Running, thread: 1, labels: 0, work: 0, count: 1, weight }
}

/// How many samples, ticks of samples, and nanoseconds.
pub fn sums(samples: &[Sample]) -> (u64, u64) {
    let add = |(count, weight), sample: &Sample| (count + sample.count, weight + sample.weight);
    samples.iter().fold((0, 0), add)
}

/// What each table holds at most.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub frames: usize,
    pub stacks: usize,
    pub samples: usize,
}

impl Limits {
    /// More than any test needs.
    pub const NONE: Self = Self { frames: 1 << 20, stacks: 1 << 20, samples: 1 << 20 };
}

/// The tables of a session, filled as a session does.
pub struct Collector {
    frames: FrameTable,
    stacks: StackTable,
    pub aggregator: Aggregator,
    merges: bool,
    drops: Drops,
}

impl Collector {
    pub fn new(merge: bool, limits: Limits) -> Self {
        Self {
            frames: FrameTable::new(limits.frames),
            stacks: StackTable::new(limits.stacks),
            aggregator: Aggregator::new(merge, limits.samples),
            merges: merge,
            drops: Drops::default(),
        }
    }

    /// One that merges, with room for all.
    pub fn merging() -> Self {
        Self::new(true, Limits::NONE)
    }

    pub fn add(&mut self, samples: &[Sample]) {
        for sample in samples {
            let time = Time::new(Nanos(sample.weight), sample.count);
            match self.intern(&sample.stack) {
                Err(cause) => self.drops.add(cause, time.count, time.weight),
                Ok(stack) => {
                    let thread = ThreadSeq(sample.thread);
                    let labels = Labelling { set: LabelSetId(sample.labels), work: WorkId(sample.work) };
                    let key = SampleKey { stack, state: sample.state, thread, labels, kind: KindId::NONE };
                    self.aggregator.add(key, time, Nanos::ZERO);
                }
            }
        }
    }

    /// Begins a period.
    pub fn clear(&mut self) {
        self.aggregator.drain();
        self.aggregator.counted = Counted::default();
    }

    fn intern(&mut self, stack: &[u32]) -> Result<StackId, DropCause> {
        stack.iter().try_fold(StackTable::EMPTY, |callers, number| {
            let frame = RawFrame { method: u64::from(*number), ..RawFrame::default() };
            let frame = self.frames.intern(frame).ok_or(DropCause::FrameLimit)?;
            self.stacks.intern(callers, frame).ok_or(DropCause::StackLimit)
        })
    }

    /// The samples: merged ones in the order of their keys.
    pub fn samples(&self) -> Vec<Sample> {
        let snapshot = self.snapshot();
        snapshot.times.cpu.iter().map(|sample| self.plain(&snapshot, sample)).collect()
    }

    pub fn snapshot(&self) -> Snapshot {
        let mut cpu = self.aggregator.samples();
        if self.merges {
            cpu.sort_unstable_by_key(|sample| sample.key);
        }
        Snapshot {
            times: ByClock { cpu, wall: Vec::new() },
            stacks: self.stacks.nodes().clone(),
            ..Snapshot::default()
        }
    }

    fn plain(
        &self,
        snapshot: &Snapshot,
        SnapshotSample { key, amount: Time { weight, count, .. }, .. }: &SnapshotSample,
    ) -> Sample {
        let number = |method: u64| u32::try_from(method).expect("a number of a test");
        let frames = snapshot.stacks.frames(key.stack);
        let mut stack: Vec<_> =
            frames.map(|frame| number(self.frames.frames()[frame.index()].method)).collect();
        stack.reverse();
        let SampleKey { state, thread, labels, .. } = *key;
        let Labelling { set, work } = labels;
        let (thread, labels, work) = (thread.0, set.0, work.0);
        Sample { stack, state, thread, labels, work, count: *count, weight: weight.0 }
    }

    /// All that did not fit: cause, ticks, nanoseconds.
    pub fn drops(&self) -> Vec<(String, u64, u64)> {
        let mut drops = self.drops.clone();
        drops.merge(&self.aggregator.counted.drops);
        drops.to_list().into_iter().map(|(cause, count, weight)| (cause, count, weight.0)).collect()
    }
}
