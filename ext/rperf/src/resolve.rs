//! Names for what was collected: from raw frames to a profile. Once a session (or snapshot), in a Ruby method.

use std::collections::HashMap;

use magnus::Ruby;
use rperf_core::collect::{DropCause, Drops, Leaves, RawFrame, SnapshotSample, TornStacks};
use rperf_core::ids::{FrameId, LabelSetId, LocationId, NativeId};
use rperf_core::profile::{Builder, Counters, Meta, Profile};
use rperf_core::state::VmState;

use crate::sampler::SamplerKind;
use crate::session::Collected;
use crate::vm::call_sites::CallSites;
use crate::vm::instructions::{Instructions, SYNTHESISED_PATH};
use crate::vm::names::{self, FrameName};
use crate::vm::threads::ruby_description;

/// The path of what is not a place in a program, such as the mark of a stack that was cut off.
const SYNTHETIC_PATH: &str = "<rperf>";

/// Names everything that `collected` refers to. `own`: where rperf's own Ruby files are: `own.rb` and those below
/// `own/`, of which `own/facade.rb` has the interface. What they do at the leaf (starting, stopping, labelling) is charged to their caller; what the program does
/// below them (a block of `Rperf.start`, the program's own `_fork`) keeps only the frames of the interface.
///
/// No lock is held while the VM is asked for names.
pub fn profile(ruby: &Ruby, collected: &Collected, own: &str) -> Profile {
    let torn = torn_stacks(ruby, collected);
    let mut resolver = Resolver {
        ruby,
        collected,
        own,
        places: vec![None; collected.frames.len()],
        natives: vec![None; collected.natives.len()],
        instructions: Instructions::default(),
        builder: Builder::new(meta(ruby, collected, &torn)),
        drops: collected.drops.clone(),
    };
    resolver.add_samples(&torn);
    let Resolver { mut builder, drops, .. } = resolver;
    *builder.counters_mut() = counters(collected, drops);
    let profile = builder.build();
    if !collected.settings.config.aggregate {
        return profile;
    }
    // Different positions of one line, and rperf's own frames, have become the same place.
    let mut merged = profile.into_merged();
    merged.count_distinct();
    merged
}

/// What a raw frame stands for.
#[derive(Clone, Debug)]
struct Place {
    location: LocationId,
    /// A leaf for the specialised instruction that ran, where the frame is the innermost.
    leaf: Option<LocationId>,
    /// Whose code it is.
    owner: Owner,
}

/// Whose code a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    /// The program's, or a library's.
    Program,
    /// Ruby's: a method without a file.
    Core,
    /// rperf's, in what the program calls: it is shown where it calls the program's code.
    Interface,
    /// rperf's, never shown.
    Inside,
}

impl Owner {
    fn of(name: &FrameName, own: &str) -> Self {
        let in_file = name.path.strip_prefix(own);
        if matches!(in_file, Some(".rb" | "/facade.rb")) {
            Self::Interface
        } else if name.label.starts_with("Rperf::Native.")
            || in_file.is_some_and(|rest| rest.starts_with('/'))
        {
            Self::Inside
        } else if name.path == names::C_METHOD_PATH {
            Self::Core
        } else {
            Self::Program
        }
    }
}

/// How many of the innermost frames are rperf's own work: its frames, and the C methods that they call.
fn own_work(places: &[Place]) -> usize {
    let mut own = 0;
    while let Some(caller) = places[own..].iter().position(|place| place.owner != Owner::Core) {
        if places[own + caller].owner == Owner::Program {
            break;
        }
        own += caller + 1;
    }
    own
}

/// The stacks that never were: some that were read from outside, which the watch of task clocks does, too.
fn torn_stacks<'a>(ruby: &Ruby, collected: &'a Collected) -> TornStacks<'a> {
    let Collected { settings, snapshot, frames, .. } = collected;
    if settings.kind != SamplerKind::Tick {
        return TornStacks::default();
    }
    let mut sites = CallSites::default();
    TornStacks::of(&snapshot.samples, frames, |link| sites.can_call(ruby, link))
}

struct Resolver<'a> {
    ruby: &'a Ruby,
    collected: &'a Collected,
    own: &'a str,
    places: Vec<Option<Place>>,
    natives: Vec<Option<LocationId>>,
    instructions: Instructions,
    builder: Builder,
    drops: Drops,
}

impl Resolver<'_> {
    fn add_samples(&mut self, torn: &TornStacks<'_>) {
        let states = VmState::ALL.map(|state| {
            let (path, label) = (state.path()?, state.label()?);
            let function = self.builder.intern_function(path, label, 0);
            Some(self.builder.intern_location(function, 0))
        });
        let label_sets = self.label_sets();
        let mut stack = Vec::new();
        let leaves = Leaves::of(&self.collected.snapshot.samples, &self.collected.frames);
        for sample in &self.collected.snapshot.samples {
            stack.clear();
            let state = states[sample.state as usize];
            let places = self.places(sample, &leaves, torn);
            let own_work = own_work(&places);
            let mut program = places[own_work..].iter().filter(|place| place.owner != Owner::Inside).cloned();
            // Innermost: the state, when the thread did not run; else the native function (unless it is rperf's own
            // work that called it), and below it the instruction of the innermost frame.
            let innermost = program.next();
            let native = if own_work == 0 { self.native(sample.native) } else { None };
            stack.extend(state.or(native));
            stack.extend(innermost.as_ref().and_then(|place| place.leaf).filter(|_| state.is_none()));
            stack.extend(innermost.into_iter().chain(program).map(|place| place.location));
            if stack.is_empty() {
                // rperf's own frames are left of a program that ended before a tick met it.
                let cause = if sample.stack.is_empty() { DropCause::NoFrames } else { DropCause::NoTick };
                self.drops.add(cause, sample.count, sample.weight);
                continue;
            }
            let labels = label_sets.get(&sample.labels).copied().unwrap_or_default();
            self.builder.push(&stack, sample.weight, sample.count, sample.thread, labels);
        }
    }

    /// The leaf for a native function; `None` for none.
    fn native(&mut self, id: NativeId) -> Option<LocationId> {
        let index = id.index().checked_sub(1)?;
        let function = self.collected.natives.get(index)?;
        Some(*self.natives[index].get_or_insert_with(|| {
            let function = self.builder.intern_function(&function.path, &function.label, 0);
            self.builder.intern_location(function, 0)
        }))
    }

    /// The session's label sets, also those that no sample has, by the session's numbers.
    fn label_sets(&mut self) -> HashMap<LabelSetId, LabelSetId> {
        let sets = self.collected.labels.sets.iter();
        sets.map(|(id, labels)| (*id, self.builder.intern_label_set(labels))).collect()
    }

    fn places(&mut self, sample: &SnapshotSample, leaves: &Leaves<'_>, torn: &TornStacks<'_>) -> Vec<Place> {
        let unsettled = |id: &FrameId| self.collected.frames[id.index()].is_unsettled();
        let mended = torn.mended(&sample.stack);
        let stack = mended.map_or(&sample.stack, |mended| &mended.stack);
        let (leaf, callers) = match stack.split_first() {
            Some((leaf, callers)) if unsettled(leaf) => (leaves.settle(stack), callers),
            _ => (None, &stack[..]),
        };
        let mut places: Vec<_> = leaf.iter().chain(callers).map(|frame| self.place(*frame)).collect();
        if mended.is_some_and(|mended| mended.is_cut) {
            places.push(self.resolve(RawFrame::TRUNCATED));
        }
        places
    }

    fn place(&mut self, frame: FrameId) -> Place {
        if let Some(place) = &self.places[frame.index()] {
            return place.clone();
        }
        let place = self.resolve(self.collected.frames[frame.index()].settled());
        self.places[frame.index()] = Some(place.clone());
        place
    }

    fn resolve(&mut self, frame: RawFrame) -> Place {
        if frame == RawFrame::TRUNCATED {
            let function = self.builder.intern_function(SYNTHETIC_PATH, "[truncated]", 0);
            return Place {
                location: self.builder.intern_location(function, 0),
                leaf: None,
                owner: Owner::Program,
            };
        }
        let name = names::frame_name(self.ruby, frame.method);
        let function = self.builder.intern_function(&name.path, &name.label, name.start_line);
        let line = if self.collected.settings.config.lines { self.line(frame, &name) } else { 0 };
        let location = self.builder.intern_location(function, line);
        let leaf =
            self.instructions.label(self.ruby, frame.code, frame.position, frame.operand).map(|label| {
                let function = self.builder.intern_function(SYNTHESISED_PATH, &label, 0);
                self.builder.intern_location(function, 0)
            });
        Place { location, leaf, owner: Owner::of(&name, self.own) }
    }

    /// The line in the file that the frame is shown with; 0 where it is unknown, or a line of another file.
    fn line(&self, frame: RawFrame, name: &FrameName) -> u32 {
        match self.collected.settings.kind {
            SamplerKind::Tick if !names::is_of_file(self.ruby, frame.code, &name.path) => 0,
            SamplerKind::Tick => names::line(self.ruby, frame.code, frame.position),
            SamplerKind::Safepoint => frame.position,
        }
    }
}

fn meta(ruby: &Ruby, collected: &Collected, torn: &TornStacks<'_>) -> Meta {
    Meta {
        mode: collected.settings.config.mode,
        frequency: collected.settings.config.frequency,
        start_time_ns: collected.start_time_ns,
        duration: collected.duration,
        aggregated: collected.settings.config.aggregate,
        sampler: collected.settings.kind.name().to_owned(),
        rperf_version: env!("CARGO_PKG_VERSION").to_owned(),
        ruby_version: ruby_description(ruby),
        comments: comments(collected, torn),
        ..Meta::default()
    }
}

fn comments(collected: &Collected, torn: &TornStacks<'_>) -> Vec<String> {
    let mut comments = vec![format!("timer: {}", collected.settings.ticked())];
    if collected.settings.config.native {
        // Only who captures stacks at the tick knows which instruction it interrupted.
        let known = collected.settings.kind == SamplerKind::Tick;
        comments.push(format!("native: {}", if known { "yes" } else { "not with this sampler" }));
    }
    if collected.settings.config.defer {
        comments.push("deferred: Rperf.profile blocks only".to_owned());
    }
    let (torn, cut) = torn.ticks();
    if torn > 0 {
        comments.push(format!("torn stacks: {torn} ticks mended, {cut} of them without callers"));
    }
    comments
}

fn counters(collected: &Collected, mut drops: Drops) -> Counters {
    drops.merge(&collected.snapshot.drops);
    Counters {
        sampling_count: collected.sampling_count,
        sampling_time: collected.sampling_time,
        trigger_count: collected.trigger_count,
        detected_thread_count: collected.thread_count,
        label_overflow_count: collected.labels.overflow_count,
        drops: drops.to_list(),
        ..Counters::default()
    }
}
