//! Periods: what is carried from one to the next.
//!
//! What sampled objects that live are shown with goes on from period to period. As code and classes
//! it would be kept alive for them, and keep them alive where they belong to it: a class that a
//! request makes, with its methods, would stay for good. So what a snapshot has named is carried as
//! its name, from the end of the following period on.

use std::hash::Hash;
use std::sync::Arc;

use hashbrown::HashMap;
use rperf_core::collect::{FrameTable, Nodes, ObjectKind, ObjectKinds, RawFrame, SampleKey, StackTable};
use rperf_core::ids::StackId;

use super::times::Times;
use super::{Counted, KIND_LIMIT, Sampler};
use crate::threads::record::ThreadRecord;
use crate::threads::session_state;
use crate::vm::class_names::KindName;
use crate::vm::names::FrameName;

/// What is shown of a frame.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct KnownFrame {
    /// Its method.
    pub name: Arc<FrameName>,
    /// In the method's file; 0 where unknown.
    pub line: u32,
    /// The name of the specialised instruction that ran, where the frame is the innermost.
    pub instruction: Option<String>,
}

/// Names by the numbers that frames and kinds of these tables have instead of words.
#[derive(Clone, Debug, Default)]
pub struct Names {
    frames: Vec<Arc<KnownFrame>>,
    kinds: Vec<Arc<KindName>>,
}

impl Names {
    /// What is shown of a frame; `None` for one that the VM must be asked for.
    pub fn frame(&self, frame: &RawFrame) -> Option<&Arc<KnownFrame>> {
        frame.name().map(|number| &self.frames[number])
    }

    /// The name of a kind, likewise.
    pub fn kind(&self, kind: &ObjectKind) -> Option<&Arc<KindName>> {
        kind.name().map(|number| &self.kinds[number])
    }
}

/// The number of a name. Each has one: what is named in another period is called the same.
fn number<Name: Eq + Hash>(
    names: &mut Vec<Arc<Name>>,
    known: &mut HashMap<Arc<Name>, usize>,
    name: &Arc<Name>,
) -> usize {
    *known.entry(Arc::clone(name)).or_insert_with(|| {
        names.push(Arc::clone(name));
        names.len() - 1
    })
}

/// Names of frames and kinds that are still known by their words.
#[derive(Debug, Default)]
pub struct KnownNames {
    /// Of frames.
    pub frames: HashMap<RawFrame, Arc<KnownFrame>>,
    /// Of kinds.
    pub kinds: HashMap<ObjectKind, Arc<KindName>>,
}

/// What the period before had.
struct PreviousPeriod {
    frames: FrameTable,
    stacks: Nodes,
    kinds: ObjectKinds,
    names: Names,
    known_names: KnownNames,
}

/// What has been carried over so far.
#[derive(Default)]
struct Carried {
    frames: HashMap<RawFrame, RawFrame>,
    frame_names: HashMap<Arc<KnownFrame>, usize>,
    kind_names: HashMap<Arc<KindName>, usize>,
}

impl Sampler {
    /// Names of frames and kinds, whose words have been kept up to now. Those that the tables have
    /// will be kept until the period ends; the words of others may come to mean something else.
    pub fn keep_known_names(&mut self, mut known_names: KnownNames) {
        known_names.frames.retain(|frame, _| self.frames.id(frame).is_some());
        known_names.kinds.retain(|kind, _| self.kinds.contains(kind));
        self.known_names = known_names;
    }

    /// A new period begins with so many living threads: samples, stacks and counts are forgotten,
    /// but for the last stack of each thread, which may still be charged, and for what objects that
    /// live are shown with. (A frame is marked in every collection, and code that ran once would
    /// stay for good.) Returns the frames and the stacks of the period that has ended.
    pub fn begin_period(&mut self, living: usize) -> (FrameTable, Nodes) {
        // A tick that was captured before, and waits for the lock, does not belong to this period.
        session_state::begin_era();
        self.gone = (self.next_seq - 1).saturating_sub(u32::try_from(living).unwrap_or(u32::MAX));
        self.last_tick = None;
        self.times.iter_mut().flatten().for_each(Times::begin_period);
        self.values_counted = Counted::default();
        self.values.clear();
        self.forget_ended();
        let (frames, stacks) = self.take_tables();
        let previous = PreviousPeriod {
            frames,
            stacks,
            kinds: std::mem::replace(&mut self.kinds, ObjectKinds::new(KIND_LIMIT)),
            names: std::mem::take(&mut self.names),
            known_names: std::mem::take(&mut self.known_names),
        };
        let mut carried = Carried::default();
        for record in ThreadRecord::all() {
            let accounts = &mut *record.accounts();
            accounts.last_stack = self.carry_over(&previous, &mut carried, accounts.last_stack);
        }
        let (mut stacks, mut kinds) = (HashMap::new(), HashMap::new());
        self.rename_objects(|sampler, key| {
            let stack = || sampler.carry_over(&previous, &mut carried, key.stack);
            let stack = *stacks.entry(key.stack).or_insert_with(stack);
            let kind = previous.kinds.kinds()[key.kind.index()];
            let kind = || sampler.carried_kind(&previous, &mut carried, kind);
            let kind = *kinds.entry(key.kind).or_insert_with(kind);
            let kind = sampler.intern_kind(kind)?;
            Some(SampleKey { stack, kind, ..key })
        });
        (previous.frames, previous.stacks)
    }

    /// The stack that was one of the tables before, in those of the period that begins.
    fn carry_over(&mut self, previous: &PreviousPeriod, carried: &mut Carried, stack: StackId) -> StackId {
        let mut last: Vec<_> = previous.stacks.frames(stack).collect();
        last.reverse();
        last.into_iter().fold(StackTable::EMPTY, |callers, frame| {
            let frame = previous.frames.frames()[frame.index()];
            let frame = self.carried_frame(previous, carried, frame);
            let frame = self.frames.intern(frame);
            frame.and_then(|frame| self.stacks.intern(callers, frame)).unwrap_or(callers)
        })
    }

    /// The frame, by its name where that is known.
    fn carried_frame(
        &mut self,
        previous: &PreviousPeriod,
        carried: &mut Carried,
        frame: RawFrame,
    ) -> RawFrame {
        let Carried { frames, frame_names, .. } = carried;
        *frames.entry(frame).or_insert_with(|| {
            let name = previous.names.frame(&frame).or_else(|| previous.known_names.frames.get(&frame));
            let number = name.map(|name| number(&mut self.names.frames, frame_names, name));
            number.map_or(frame, RawFrame::named)
        })
    }

    fn carried_kind(
        &mut self,
        previous: &PreviousPeriod,
        carried: &mut Carried,
        kind: ObjectKind,
    ) -> ObjectKind {
        let name = previous.names.kind(&kind).or_else(|| previous.known_names.kinds.get(&kind));
        let number = name.map(|name| number(&mut self.names.kinds, &mut carried.kind_names, name));
        number.map_or(kind, |number| ObjectKind::named(number, kind.slot))
    }

    /// The names of what is known by them.
    pub fn names(&self) -> Names {
        self.names.clone()
    }
}
