//! Periods: data that is carried from one to the next.
//!
//! The stacks and kinds of living sampled objects are needed in every period. As code and classes
//! they would stay alive, and keep objects alive that belong to them: a class that a request makes,
//! with its methods, would stay for good. So frames and kinds that a snapshot has named are carried
//! as their names, from the end of the following period on.

use std::hash::Hash;
use std::sync::Arc;

use hashbrown::HashMap;
use rperf_core::collect::{Counted, FrameTable, Nodes, ObjectKind, RawFrame, SampleKey, StackTable};
use rperf_core::ids::StackId;

use super::{Sampler, Tables};
use crate::threads::record::ThreadRecord;
use crate::threads::session_state;
use crate::vm::class_names::KindName;
use crate::vm::names::FrameName;

/// Name, line and instruction that are shown of a frame.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct KnownFrame {
    /// Name of its method.
    pub name: Arc<FrameName>,
    /// Line in the method's file; 0 where unknown.
    pub line: u32,
    /// The name of the specialised instruction that ran, where the frame is the innermost.
    pub instruction: Option<String>,
}

/// Names of frames and kinds in the tables, by the numbers that these have in place of words.
#[derive(Clone, Debug, Default)]
pub struct Names {
    frames: Vec<Arc<KnownFrame>>,
    kinds: Vec<Arc<KindName>>,
}

impl Names {
    /// Returns the known name and line of a frame; `None` for one that the VM must be asked for.
    pub fn frame(&self, frame: &RawFrame) -> Option<&Arc<KnownFrame>> {
        frame.name().map(|number| &self.frames[number])
    }

    /// Returns the known name of a kind, likewise.
    pub fn kind(&self, kind: &ObjectKind) -> Option<&Arc<KindName>> {
        kind.name().map(|number| &self.kinds[number])
    }
}

/// Names of frames and kinds that are still known by their words.
#[derive(Debug, Default)]
pub struct KnownNames {
    /// Names of frames.
    pub frames: HashMap<RawFrame, Arc<KnownFrame>>,
    /// Names of kinds.
    pub kinds: HashMap<ObjectKind, Arc<KindName>>,
}

/// Frames and names that have been carried over so far.
#[derive(Default)]
struct Carried {
    frames: HashMap<RawFrame, RawFrame>,
    frame_names: Numbers<KnownFrame>,
    kind_names: Numbers<KindName>,
}

/// Numbers of names. Equal names have one number, also when named in several periods.
type Numbers<Name> = HashMap<Arc<Name>, usize>;

fn number<Name: Eq + Hash>(names: &mut Vec<Arc<Name>>, known: &mut Numbers<Name>, name: &Arc<Name>) -> usize {
    *known.entry(Arc::clone(name)).or_insert_with(|| {
        names.push(Arc::clone(name));
        names.len() - 1
    })
}

impl Sampler {
    /// Keeps names of frames and kinds whose words were kept up to now, if the tables have the
    /// words: these are kept until the period ends. Other words may come to mean something else.
    pub fn keep_known_names(&mut self, mut known_names: KnownNames) {
        known_names.frames.retain(|frame, _| self.tables.frames.id(frame).is_some());
        known_names.kinds.retain(|kind, _| self.tables.kinds.contains(kind));
        self.tables.known_names = known_names;
    }

    /// Begins a period. Samples, stacks and counters are forgotten, but for the stacks of each
    /// thread that may still be charged, and the stacks and kinds of living objects. (A frame is
    /// marked in every collection, so code that ran once would stay for good.) Returns the frames
    /// and the stacks of the period that has ended.
    pub fn begin_period(&mut self) -> (FrameTable, Nodes) {
        // A tick that was captured before, and waits for the lock, is not of the new period.
        session_state::begin_era();
        self.last_tick = None;
        self.times.iter_mut().flatten().for_each(|times| times.aggregator.counted = Counted::default());
        self.values.counted = Counted::default();
        self.forget_ended();
        let previous = std::mem::take(&mut self.tables);
        let mut carried = Carried::default();
        for record in ThreadRecord::all() {
            for place in record.accounts().places() {
                place.stack = place.stack.map(|stack| self.carry_over(&previous, &mut carried, stack));
            }
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
        (previous.frames, previous.stacks.into_nodes())
    }

    /// Interns a stack of the previous tables in those of the period that begins.
    fn carry_over(&mut self, previous: &Tables, carried: &mut Carried, stack: StackId) -> StackId {
        let mut last: Vec<_> = previous.stacks.nodes().frames(stack).collect();
        last.reverse();
        last.into_iter().fold(StackTable::EMPTY, |callers, frame| {
            let frame = previous.frames.frames()[frame.index()];
            let frame = self.carried_frame(previous, carried, frame);
            let frame = self.tables.frames.intern(frame);
            frame.and_then(|frame| self.tables.stacks.intern(callers, frame)).unwrap_or(callers)
        })
    }

    /// Returns the frame, with its name in place of its words where that is known.
    fn carried_frame(&mut self, previous: &Tables, carried: &mut Carried, frame: RawFrame) -> RawFrame {
        let Carried { frames, frame_names, .. } = carried;
        *frames.entry(frame).or_insert_with(|| {
            let name = previous.names.frame(&frame).or_else(|| previous.known_names.frames.get(&frame));
            let number = name.map(|name| number(&mut self.tables.names.frames, frame_names, name));
            number.map_or(frame, RawFrame::named)
        })
    }

    fn carried_kind(&mut self, previous: &Tables, carried: &mut Carried, kind: ObjectKind) -> ObjectKind {
        let name = previous.names.kind(&kind).or_else(|| previous.known_names.kinds.get(&kind));
        let number = name.map(|name| number(&mut self.tables.names.kinds, &mut carried.kind_names, name));
        number.map_or(kind, |number| ObjectKind::named(number, kind.slot))
    }

    /// Returns the names of frames and kinds that have a name in place of words.
    pub fn names(&self) -> Names {
        self.tables.names.clone()
    }
}
