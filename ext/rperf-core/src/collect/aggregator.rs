//! The aggregator: equal stacks are merged, so that memory depends on the program and not on the time.

use std::hash::{BuildHasher, Hash};

use hashbrown::{DefaultHashBuilder, HashMap, HashTable};

use super::buffer::{BufferedStack, SampleBuffer};
use super::counters::{DropCause, Drops};
use super::snapshot::{Snapshot, SnapshotSample};
use crate::ids::{FrameId, LabelSetId, NativeId, StackId, ThreadSeq};
use crate::state::VmState;
use crate::time::Nanos;

/// How much the aggregator may hold.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Frames of all distinct stacks together.
    pub stack_frames: usize,
    /// Distinct (stack, thread, labels), or raw samples.
    pub samples: usize,
}

impl Default for Limits {
    fn default() -> Self {
        // 128 MiB of frames, some 200 MiB of samples: far above what programs reach.
        Self { stack_frames: 32 << 20, samples: 4 << 20 }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    stack: StackId,
    state: VmState,
    thread: ThreadSeq,
    labels: LabelSetId,
    native: NativeId,
}

#[derive(Clone, Copy, Debug, Default)]
struct Value {
    weight: Nanos,
    count: u64,
}

impl Value {
    /// The ticks that were merged before they came here (a long C method meets many at one place), each with an equal
    /// part of the weight: how the clock stood at each is not known any more.
    fn ticks(self) -> impl Iterator<Item = Self> {
        let count = self.count.max(1);
        let (part, rest) = (self.weight.0 / count, self.weight.0 % count);
        (0..count).map(move |index| Self {
            weight: Nanos(part + u64::from(index < rest)),
            count: self.count.min(1),
        })
    }
}

/// Merges the samples of buffers.
#[derive(Debug)]
pub struct Aggregator {
    stacks: StackTable,
    samples: Samples,
    limits: Limits,
    drops: Drops,
}

#[derive(Debug)]
enum Samples {
    Merged(HashMap<Key, Value>),
    Raw(Vec<(Key, Value)>),
}

impl Samples {
    fn len(&self) -> usize {
        match self {
            Self::Merged(map) => map.len(),
            Self::Raw(list) => list.len(),
        }
    }

    fn clear(&mut self) {
        match self {
            Self::Merged(map) => map.clear(),
            Self::Raw(list) => list.clear(),
        }
    }
}

impl Aggregator {
    /// An empty aggregator; with `merge` false every sample is kept by itself.
    pub fn new(merge: bool, limits: Limits) -> Self {
        let samples = if merge { Samples::Merged(HashMap::new()) } else { Samples::Raw(Vec::new()) };
        Self { stacks: StackTable::default(), samples, limits, drops: Drops::default() }
    }

    /// Takes all samples of a buffer in.
    pub fn aggregate(&mut self, buffer: &SampleBuffer) {
        self.aggregate_native(buffer, |_| Some(NativeId::NONE));
    }

    /// Takes all samples of a buffer in. `function` says which native function an instruction belongs to, so that
    /// samples are merged by function: a stack with the thousand instructions of one loop is one sample. `None`: it
    /// cannot be known; that is counted, and the sample goes without.
    pub fn aggregate_native(
        &mut self,
        buffer: &SampleBuffer,
        mut function: impl FnMut(u64) -> Option<NativeId>,
    ) {
        let mut known: HashMap<BufferedStack, StackId> = HashMap::new();
        for (record, frames) in buffer.samples() {
            let value = Value { weight: record.weight, count: u64::from(record.count) };
            let native = if record.ip == 0 { Some(NativeId::NONE) } else { function(record.ip) };
            if native.is_none() {
                self.drops.add(DropCause::UnknownNative, value.count, Nanos::ZERO);
            }
            let interned = match known.get(&record.stack) {
                Some(stack) => Some(*stack),
                None => self.stacks.intern_stack(frames, self.limits.stack_frames),
            };
            let Some(stack) = interned else {
                self.drops.add(DropCause::StackLimit, value.count, value.weight);
                continue;
            };
            known.insert(record.stack, stack);
            let key = Key {
                stack,
                state: record.state,
                thread: record.thread,
                labels: record.labels,
                native: native.unwrap_or_default(),
            };
            match self.samples {
                Samples::Merged(_) => self.add(key, value),
                Samples::Raw(_) => value.ticks().for_each(|tick| self.add(key, tick)),
            }
        }
    }

    fn add(&mut self, key: Key, value: Value) {
        let full = self.samples.len() >= self.limits.samples;
        let entry = match &mut self.samples {
            Samples::Raw(list) if !full => {
                list.push((key, value));
                return;
            }
            Samples::Merged(map) if !full => Some(map.entry(key).or_default()),
            Samples::Merged(map) => map.get_mut(&key),
            Samples::Raw(_) => None,
        };
        match entry {
            Some(total) => {
                total.weight += value.weight;
                total.count += value.count;
            }
            None => self.drops.add(DropCause::StackLimit, value.count, value.weight),
        }
    }

    /// A copy of everything so far, in an order that depends only on the samples.
    pub fn take_snapshot(&self) -> Snapshot {
        let sample = |(key, value): (&Key, &Value)| SnapshotSample {
            stack: self.stacks.stack(key.stack).to_vec(),
            state: key.state,
            thread: key.thread,
            labels: key.labels,
            native: key.native,
            weight: value.weight,
            count: value.count,
        };
        let samples = match &self.samples {
            Samples::Raw(list) => list.iter().map(|(key, value)| sample((key, value))).collect(),
            Samples::Merged(map) => {
                let mut entries: Vec<_> = map.iter().collect();
                entries.sort_unstable_by_key(|(key, _)| {
                    (key.stack, key.state, key.thread, key.labels, key.native)
                });
                entries.into_iter().map(sample).collect()
            }
        };
        Snapshot { samples, drops: self.drops.clone(), unique_stacks: self.stacks.len() }
    }

    /// Forgets all samples, stacks and drops; memory is kept for the next ones.
    pub fn clear(&mut self) {
        self.samples.clear();
        self.stacks.clear();
        self.drops = Drops::default();
    }
}

/// Interns stacks: each distinct one is stored once, as ids in one long list.
#[derive(Debug, Default)]
struct StackTable {
    ids: HashTable<StackId>,
    /// Where each stack starts in `frames`, and its hash.
    spans: Vec<(u32, u32, u64)>,
    frames: Vec<FrameId>,
    hasher: DefaultHashBuilder,
}

impl StackTable {
    fn intern_stack(&mut self, stack: &[FrameId], limit: usize) -> Option<StackId> {
        let hash = self.hasher.hash_one(stack);
        let (spans, frames) = (&self.spans, &self.frames);
        let known = self.ids.find(hash, |id| {
            let (start, len, _) = spans[id.index()];
            &frames[start as usize..][..len as usize] == stack
        });
        if let Some(id) = known {
            return Some(*id);
        }
        if self.frames.len() + stack.len() > limit {
            return None;
        }
        let id = StackId::from(self.spans.len());
        let start = u32::try_from(self.frames.len()).ok()?;
        self.spans.push((start, u32::try_from(stack.len()).ok()?, hash));
        self.frames.extend_from_slice(stack);
        let spans = &self.spans;
        self.ids.insert_unique(hash, id, |id| spans[id.index()].2);
        Some(id)
    }

    fn stack(&self, id: StackId) -> &[FrameId] {
        let (start, len, _) = self.spans[id.index()];
        &self.frames[start as usize..][..len as usize]
    }

    fn len(&self) -> usize {
        self.spans.len()
    }

    fn clear(&mut self) {
        self.ids.clear();
        self.spans.clear();
        self.frames.clear();
    }
}
