//! Conversion of collected samples to a profile: raw frames get their names. It runs once for each
//! session or snapshot, in a Ruby method.
//!
//! Only the names need the GVL. The profile is built from them without it.

mod comments;
mod naming;
mod object_labels;
mod value_types;

use std::sync::Arc;

use hashbrown::{HashMap, HashSet};
use magnus::{Error, Module, Ruby};
use rperf_core::collect::{
    Age, DropCause, Drops, InUse, Labelling, RawFrame, SampleKey, SnapshotSample, StackTable, Time, Values,
};
use rperf_core::ids::{FrameId, KindId, LabelSetId, LocationId, NativeId, StackId, ThreadSeq};
use rperf_core::profile::{
    Builder, Counters, INSTRUCTION_PATH, Meta, OWN_PATH, Period, Profile, Sample, StackRange, TRUNCATED,
    Thread, ValueType, ValueTypes,
};
use rperf_core::state::{Mode, VmState};
use rperf_core::time::Nanos;

use crate::config::EngineKind;
use crate::engine::native_leaves::NativeShares;
use crate::sampler::{KnownFrame, KnownNames, sampler};
use crate::session::{Collected, Totals, totals};
use crate::vm::class_names::{KindName, kind_name};
use crate::vm::layout::Layout;
use crate::vm::slices::{Pace, Slices};
pub use comments::NATIVE_LEAVES;
use comments::comments;
use naming::{Names, Owner};
use object_labels::{age_labels, is_called_alike, kind_labels, label_units};
use value_types::value_types;

/// Returns a profile for each mode, in the order of the modes, with names for everything in
/// `collected`. The profiles share names, labels and threads. `own`: path of rperf's own Ruby
/// files, which are `own.rb` and the files below `own/`. Their work at the leaf (starting,
/// stopping, labelling) is charged to their caller. If they call the program (a block of
/// `Rperf.start`, the program's own `_fork`), only their frames are left out.
///
/// No lock is held while the VM is asked for names. For errors see
/// [`without_gvl`](crate::vm::without_gvl::without_gvl).
pub fn profiles(ruby: &Ruby, mut collected: Collected, own: &str, pace: Pace) -> Result<Vec<Profile>, Error> {
    let small = pace.for_stacks(collected.work_lengths());
    let used = small.aside(ruby, || {
        collected.sort();
        naming::used_frames(&collected)
    })?;
    let collected = &collected;
    let mut slices = Slices::begin(ruby, pace);
    let version: String = ruby.class_object().const_get("RUBY_DESCRIPTION").unwrap_or_default();
    let names = Names::ask(ruby, collected, own, &used, &mut slices)?;
    let kind = |kind| collected.names.kind(kind).cloned().unwrap_or_else(|| Arc::new(kind_name(ruby, kind)));
    let kinds: Vec<_> = collected.snapshot.kinds.iter().map(kind).collect();
    if collected.wants_names {
        let kinds = collected.snapshot.kinds.iter().copied().zip(kinds.iter().cloned()).collect();
        let known_names = KnownNames { frames: names.known(&collected.frames), kinds };
        if let Some(sampler) = sampler().as_mut() {
            sampler.keep_known_names(known_names);
        }
    }
    let modes = &collected.settings.config.modes;
    let build = |mode: &Mode| build(collected, &names, &kinds, meta(collected, *mode, version.clone()));
    small.aside(ruby, || modes.iter().map(build).collect())
}

fn build(collected: &Collected, names: &Names, kinds: &[Arc<KindName>], meta: Meta) -> Profile {
    let mode = meta.mode;
    let counted = collected.counted(mode);
    let mut resolver = Resolver {
        collected,
        names,
        kinds,
        natives: collected.natives.clone(),
        locations: vec![None; collected.frames.len()],
        stacks: HashMap::new(),
        label_sets: HashMap::new(),
        builder: Builder::new(meta),
        drops: Drops::default(),
    };
    resolver.add_label_sets();
    match mode.clock() {
        Some(clock) => resolver.add_times(&collected.snapshot.times[clock], collected.settings.blames(mode)),
        None => resolver.add_values(mode),
    }
    let Resolver { mut builder, mut drops, .. } = resolver;
    if collected.is_over {
        totals::add(&Totals { drops: drops.clone(), ..Totals::default() });
    }
    drops.merge(&counted.drops);
    *builder.counters_mut() = counters(collected, mode, drops);
    let mut profile = builder.build();
    profile.ledger.clone_from(&collected.ledger);
    if collected.settings.config.merges_samples(mode) {
        // Samples may have become equal: a line has several positions, and rperf's frames are gone.
        profile.merge_samples();
        profile.count_distinct();
    }
    profile
}

/// Returns the number of innermost frames that are rperf's own work: its frames, and the methods of
/// Ruby that they call; also those that call them where the program calls none of them
/// (`Thread.handle_interrupt` at the end of the process).
fn own_work(owners: &[Owner]) -> usize {
    let mut own = 0;
    while let Some(caller) = owners[own..].iter().position(|owner| *owner != Owner::Core) {
        if owners[own + caller] == Owner::Program {
            break;
        }
        own += caller + 1;
    }
    if own > 0 && !owners[own..].contains(&Owner::Program) { owners.len() } else { own }
}

/// Key of the samples that have one stack in the profile.
type Shape = (StackId, VmState, NativeId);

/// Builder of a profile. A location is added with the first stack that shows it, so that no table
/// has entries without samples.
struct Resolver<'a> {
    collected: &'a Collected,
    names: &'a Names,
    kinds: &'a [Arc<KindName>],
    /// Shares of the native functions, with what is owed to each.
    natives: NativeShares,
    /// Locations by frame.
    locations: Vec<Option<LocationId>>,
    /// `None`: nothing of the stack is shown.
    stacks: HashMap<Shape, Option<StackRange>>,
    label_sets: HashMap<(Labelling, KindId, Option<Age>), LabelSetId>,
    builder: Builder,
    drops: Drops,
}

impl Resolver<'_> {
    /// Adds all label sets, even without samples: their numbers are the same in all profiles.
    fn add_label_sets(&mut self) {
        for set in self.collected.labels.without_work() {
            self.label_set(set.into(), KindId::NONE, None);
        }
    }

    /// Adds samples of time. `blames`: whether the wait that they caused is a second value.
    fn add_times(&mut self, samples: &[SnapshotSample], blames: bool) {
        self.builder.reserve_samples(samples.len());
        for sample in samples {
            let label_set = self.label_set(sample.key.labels, sample.key.kind, None);
            for (native, Time { weight, caused, count }) in self.divided(sample) {
                if let Some(stack) = self.stack((sample.key.stack, sample.key.state, native)) {
                    let (thread_seq, moment) = (sample.key.thread, self.moment(sample));
                    let values: &[_] = if blames { &[weight.0, caused.0] } else { &[] };
                    let values = values.into();
                    let sample =
                        Sample { weight, values, count, thread_seq, label_set, moment, ..Sample::default() };
                    self.builder.push_interned(stack, sample);
                } else {
                    // Only rperf's own frames are left: the program ended before a tick met it.
                    match sample.key.state {
                        // A sample that no tick has counted is lost, too.
                        VmState::Running => self.drops.add(DropCause::NoTick, count.max(1), weight),
                        VmState::CpuWait => self.drops.add(DropCause::NoTick, 0, weight), // Of the same tick.
                        // This is measured time of rperf itself, before or after the program.
                        _ => {}
                    }
                }
            }
        }
        self.add_threads(samples.iter().map(|sample| sample.key.thread));
    }

    fn add_values(&mut self, mode: Mode) {
        let snapshot = &self.collected.snapshot;
        let types = value_types(self.collected, mode);
        for sample in &snapshot.values {
            self.add_value(sample.key, None, sample.amount, &types);
        }
        for InUse { key, age, objects, bytes } in &snapshot.in_use {
            let values = Values { values: [0, 0, *objects, *bytes], count: 0 };
            self.add_value(*key, Some(*age), values, &types);
        }
        let in_use = snapshot.in_use.iter().map(|in_use| in_use.key.thread);
        self.add_threads(snapshot.values.iter().map(|sample| sample.key.thread).chain(in_use));
    }

    fn add_value(&mut self, key: SampleKey, age: Option<Age>, amount: Values, types: &ValueTypes) {
        let SampleKey { stack, state, thread, labels, kind } = key;
        let labels = self.label_set(labels, kind, age);
        let Values { values, count } = amount;
        // rperf's own work, before and after the program's, has no stack.
        if let Some(stack) = self.stack((stack, state, NativeId::NONE)) {
            let weight = Nanos(values[types.index()]);
            let values = values[..types.list_len()].into();
            let (thread_seq, label_set) = (thread, labels);
            let sample = Sample { weight, values, count, thread_seq, label_set, ..Sample::default() };
            self.builder.push_interned(stack, sample);
        }
    }

    /// Returns the moment of the sample since the profile's start, at most the profile's end: ticks
    /// continue while a snapshot is taken.
    fn moment(&self, sample: &SnapshotSample) -> Nanos {
        if self.collected.settings.config.timeline {
            (sample.moment - self.collected.period.begun.wall).min(self.collected.period.duration())
        } else {
            Nanos::ZERO
        }
    }

    fn add_threads(&mut self, seen: impl Iterator<Item = ThreadSeq>) {
        let seen: HashSet<ThreadSeq> = seen.collect();
        let process = &self.collected.process;
        for thread in self.collected.threads.iter().filter(|thread| seen.contains(&thread.seq)) {
            let known = Some(self.builder.intern_process(process));
            let mut thread = Thread { process: known, ..thread.clone() };
            // The kernel gives a process and its first thread the same number.
            if thread.name.is_empty() && thread.native_id == process.pid {
                "main".clone_into(&mut thread.name);
            }
            self.builder.push_thread(thread);
        }
    }

    /// Divides a sample of a running thread among the native functions that ran for its leaf.
    fn divided(&mut self, sample: &SnapshotSample) -> Vec<(NativeId, Time)> {
        let Collected { snapshot, frames, .. } = self.collected;
        let Time { weight, caused, count } = sample.amount;
        let leaf = snapshot.stacks.split(sample.key.stack).map(|(_, leaf)| frames[leaf.index()]);
        let Some(leaf) = leaf.filter(|_| sample.key.state == VmState::Running) else {
            return vec![(NativeId::NONE, sample.amount)];
        };
        let parts = self.natives.divide(&leaf, [weight.0, caused.0, count]).into_iter();
        let parts = parts.map(|(native, [weight, caused, count])| {
            (native, Time { weight: Nanos(weight), caused: Nanos(caused), count })
        });
        parts.filter(|(_, time)| *time != Time::default()).collect()
    }

    /// Returns the label set of samples with these labels, of objects of this kind and age.
    fn label_set(&mut self, labelling: Labelling, kind: KindId, age: Option<Age>) -> LabelSetId {
        let Self { collected, builder, label_sets, kinds, .. } = self;
        let intern = || {
            let mut labels = collected.labels.labels(labelling);
            if kind != KindId::NONE {
                labels.retain(|label| !is_called_alike(label));
                let slot = collected.snapshot.kinds[kind.index()].slot;
                labels.extend(kind_labels(&kinds[kind.index()], slot));
            }
            labels.extend(age.into_iter().flat_map(age_labels));
            builder.intern_label_set(&labels)
        };
        *label_sets.entry((labelling, kind, age)).or_insert_with(intern)
    }

    fn stack(&mut self, shape: Shape) -> Option<StackRange> {
        if let Some(known) = self.stacks.get(&shape) {
            return *known;
        }
        let locations = self.shown(shape);
        let stack = (!locations.is_empty()).then(|| self.builder.intern_stack(&locations));
        self.stacks.insert(shape, stack);
        stack
    }

    /// Returns the locations that are shown of a stack. If the thread did not run, the innermost is
    /// its state. Otherwise it is the native function (unless rperf's own work called it), followed
    /// by the instruction of the innermost frame.
    fn shown(&mut self, (stack, state, native): Shape) -> Vec<LocationId> {
        if stack == StackTable::EMPTY && state == VmState::Running {
            return vec![self.synthetic(OWN_PATH, "[no Ruby code]")];
        }
        let frames = self.collected.snapshot.stacks.frames(stack);
        let frames: Vec<_> = frames.filter(|frame| self.is_shown(*frame)).collect();
        let owners: Vec<_> = frames.iter().map(|frame| self.names.owner(*frame)).collect();
        let own_work = own_work(&owners);
        if own_work > 0 && own_work == frames.len() {
            return Vec::new();
        }
        let program = (own_work..frames.len()).filter(|at| owners[*at] != Owner::Own);
        let program: Vec<_> = program.map(|at| frames[at]).collect();

        let mut shown = Vec::new();
        if let (Some(path), Some(label)) = (state.path(), state.label()) {
            shown.push(self.synthetic(path, label));
        } else {
            let (natives, names) = (&self.collected.natives.functions, self.names);
            let native = native.index().checked_sub(1).filter(|_| own_work == 0);
            if let Some(native) = native.and_then(|index| natives.get(index)) {
                shown.push(self.synthetic(&native.path, &native.label));
            }
            let innermost = program.first().and_then(|innermost| names.name(*innermost));
            if let Some(instruction) = innermost.and_then(|name| name.instruction.as_deref()) {
                shown.push(self.synthetic(INSTRUCTION_PATH, instruction));
            }
        }
        shown.extend(program.into_iter().map(|frame| self.location(frame)));
        shown
    }

    /// Whether a frame is shown: it has a name, or is synthetic, such as the mark of a cut stack.
    fn is_shown(&self, frame: FrameId) -> bool {
        self.names.name(frame).is_some() || self.collected.frames[frame.index()].is_synthetic()
    }

    fn location(&mut self, frame: FrameId) -> LocationId {
        if let Some(known) = self.locations[frame.index()] {
            return known;
        }
        let location = match self.names.name(frame) {
            Some(KnownFrame { name, line, .. }) => {
                let function = self.builder.intern_function(&name.path, &name.label, name.start_line);
                self.builder.intern_location(function, *line)
            }
            None => self.synthetic(
                OWN_PATH,
                match self.collected.frames[frame.index()] {
                    RawFrame::NATIVE_THREAD => "[native thread]",
                    RawFrame::NO_HOLDER => "[no holder]",
                    // It represents callers that are unknown.
                    _ => TRUNCATED,
                },
            ),
        };
        *self.locations[frame.index()].insert(location)
    }

    fn synthetic(&mut self, path: &str, label: &str) -> LocationId {
        let function = self.builder.intern_function(path, label, 0);
        self.builder.intern_location(function, 0)
    }
}

fn meta(collected: &Collected, mode: Mode, ruby_version: String) -> Meta {
    let config = &collected.settings.config;
    let is_timed = mode.is_timed();
    let engine = if is_timed { collected.settings.engine } else { collected.settings.watch };
    Meta {
        mode,
        frequency: if is_timed { config.frequency } else { 0 },
        start_time_ns: collected.period.start_ns,
        duration: collected.period.duration(),
        aggregated: config.merges_samples(mode),
        timeline: config.keeps_moments(mode),
        engine: engine_name(engine).to_owned(),
        rperf_version: env!("CARGO_PKG_VERSION").to_owned(),
        ruby_version,
        comments: comments(collected, mode),
        value_types: value_types(collected, mode),
        period: period(collected, mode),
        label_units: label_units(mode),
        ..Meta::default()
    }
}

/// Returns the engine's name, or `mixed` if the engine has changed during the session.
fn engine_name(engine: EngineKind) -> &'static str {
    if engine == EngineKind::Poll && Layout::is_withdrawn() { "mixed" } else { engine.name() }
}

/// Returns the mean number of objects from one sampled object to the next, at the end of the
/// profile: if there are too many to watch, every second one is given up.
fn period(collected: &Collected, mode: Mode) -> Option<Period> {
    let begun_with = collected.settings.config.interval_of(mode)?;
    let length = collected.object_figures.as_ref().map_or(begun_with, |figures| figures.interval);
    Some(Period { value_type: ValueType::new("objects", "count"), length })
}

/// Returns the counters of a mode. The hooks' time is that of the session, for all of its modes.
fn counters(collected: &Collected, mode: Mode, drops: Drops) -> Counters {
    let is_timed = mode.is_timed();
    Counters {
        sampling_count: collected.counted(mode).taken,
        sampling_time: if is_timed { collected.counts.sampling_time } else { Nanos::ZERO },
        hook_time: collected.counts.hook_time,
        trigger_count: if is_timed { collected.ticks } else { collected.period.objects_allocated() },
        detected_thread_count: collected.threads.len() as u64,
        label_overflow_count: collected.labels.overflow_count,
        drops: drops.to_list(),
        ..Counters::default()
    }
}
