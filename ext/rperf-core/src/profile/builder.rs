//! Builds a profile: interns names, locations, label sets and stacks, and appends samples.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashMap, HashTable};

use super::plain_names::plain_name;
use super::{Counters, Function, Label, Location, Meta, Process, Profile, Sample, StackTable, Thread};
use crate::ids::{FunctionId, LabelSetId, LocationId, ProcessId, ThreadSeq};
use crate::time::Nanos;

/// A stack that a builder has interned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StackRange {
    start: u32,
    len: u32,
}

/// Builds a [`Profile`].
///
/// Equal functions, locations, label sets and stacks are stored once. Samples are kept as they are
/// pushed: [`Profile::merged`] merges the equal ones.
pub struct Builder {
    profile: Profile,
    hasher: DefaultHashBuilder,
    functions: HashTable<FunctionId>,
    locations: HashMap<Location, LocationId>,
    label_sets: HashMap<Vec<Label>, LabelSetId>,
    processes: HashMap<Process, ProcessId>,
    stacks: StackTable,
}

impl Builder {
    /// Creates a builder for a profile with this metadata.
    pub fn new(meta: Meta) -> Self {
        Self {
            profile: Profile::new(meta),
            hasher: DefaultHashBuilder::default(),
            functions: HashTable::new(),
            locations: HashMap::new(),
            label_sets: HashMap::from_iter([(Vec::new(), LabelSetId(0))]),
            processes: HashMap::new(),
            stacks: StackTable::new(),
        }
    }

    /// Returns the counters, to be filled in.
    pub fn counters_mut(&mut self) -> &mut Counters {
        &mut self.profile.counters
    }

    /// Returns the metadata, to be completed.
    pub fn meta_mut(&mut self) -> &mut Meta {
        &mut self.profile.meta
    }

    /// Interns the function with this path, name and start line (0 if unknown). Parts of the name
    /// that differ from process to process are in [`Function::raw_label`] only.
    pub fn intern_function(&mut self, path: &str, name: &str, start_line: u32) -> FunctionId {
        let label = plain_name(name, path);
        let id = self.intern_plain(path, &label, start_line);
        if label != name {
            self.note_raw_label(id, name);
        }
        id
    }

    /// Interns a function of another profile. A raw label that does not fit the label is left out.
    pub fn copy_function(&mut self, function: &Function) -> FunctionId {
        let Function { path, label, raw_label, start_line } = function;
        let id = self.intern_function(path, label, *start_line);
        if raw_label != label && plain_name(raw_label, path) == *label {
            self.note_raw_label(id, raw_label);
        }
        id
    }

    /// Notes a raw label of a function. The first one stays.
    fn note_raw_label(&mut self, id: FunctionId, raw: &str) {
        let known = &mut self.profile.functions[id.index()].raw_label;
        if known.is_empty() {
            known.push_str(raw);
        }
    }

    fn intern_plain(&mut self, path: &str, label: &str, start_line: u32) -> FunctionId {
        let hasher = &self.hasher;
        let functions = &mut self.profile.functions;
        let hash = hasher.hash_one((path, label, start_line));
        let same = |id: &FunctionId| {
            let function = &functions[id.index()];
            function.start_line == start_line && function.label == label && function.path == path
        };
        if let Some(id) = self.functions.find(hash, same) {
            return *id;
        }
        let id = FunctionId::from(functions.len());
        functions.push(Function {
            label: label.to_owned(),
            raw_label: String::new(),
            path: path.to_owned(),
            start_line,
        });
        self.functions.insert_unique(hash, id, |id| {
            let function = &functions[id.index()];
            hasher.hash_one((function.path.as_str(), function.label.as_str(), function.start_line))
        });
        id
    }

    /// Interns the location at this line (0 if unknown) of a function.
    pub fn intern_location(&mut self, function: FunctionId, line: u32) -> LocationId {
        let location = Location { function, line };
        let locations = &mut self.profile.locations;
        *self.locations.entry(location).or_insert_with(|| {
            locations.push(location);
            LocationId::from(locations.len() - 1)
        })
    }

    /// Interns the set of these labels. Their order does not matter. If a key has two values, both
    /// labels stay.
    pub fn intern_label_set(&mut self, labels: &[Label]) -> LabelSetId {
        let mut labels = labels.to_vec();
        labels.sort();
        labels.dedup();
        if let Some(id) = self.label_sets.get(&labels) {
            return *id;
        }
        let id = LabelSetId::from(self.profile.label_sets.len());
        self.profile.label_sets.push(labels.clone());
        self.label_sets.insert(labels, id);
        id
    }

    /// Interns a process.
    pub fn intern_process(&mut self, process: &Process) -> ProcessId {
        let processes = &mut self.profile.processes;
        *self.processes.entry_ref(process).or_insert_with(|| {
            processes.push(process.clone());
            ProcessId::from(processes.len() - 1)
        })
    }

    /// Adds a thread, whose process comes from this builder. Threads must come in the order of
    /// their numbers.
    pub fn push_thread(&mut self, thread: Thread) {
        self.profile.threads.push(thread);
    }

    /// Interns the stack with these locations of this builder, the leaf first, for
    /// [`push_interned`](Self::push_interned).
    pub fn intern_stack(&mut self, stack: &[LocationId]) -> StackRange {
        let (start, len) = self.stacks.intern(&mut self.profile.stacks, stack);
        StackRange { start, len }
    }

    /// Makes room for `samples` samples: the list is allocated once, not copied while it grows.
    pub fn reserve_samples(&mut self, samples: usize) {
        self.profile.samples.reserve_exact(samples);
    }

    /// Appends a sample, with this stack in place of its own. The stack and the label set come from
    /// this builder.
    pub fn push_interned(&mut self, StackRange { start, len }: StackRange, sample: Sample) {
        self.profile.samples.push(Sample { stack_start: start, stack_len: len, ..sample });
    }

    /// Appends a sample to a profile without moments. `stack` has its locations, the leaf first.
    pub fn push(
        &mut self,
        stack: &[LocationId],
        weight: Nanos,
        count: u64,
        thread_seq: ThreadSeq,
        label_set: LabelSetId,
    ) {
        let stack = self.intern_stack(stack);
        self.push_interned(stack, Sample { weight, count, thread_seq, label_set, ..Sample::default() });
    }

    /// Appends a sample with a value for each of the profile's value types, in their order. The
    /// chosen one is its weight.
    ///
    /// # Panics
    ///
    /// If the chosen one is missing.
    pub fn push_values(
        &mut self,
        stack: &[LocationId],
        values: &[u64],
        count: u64,
        thread_seq: ThreadSeq,
        label_set: LabelSetId,
    ) {
        let types = &self.profile.meta.value_types;
        let weight = Nanos(values[types.index()]);
        let values = if types.are_several() { values.into() } else { Box::default() };
        let stack = self.intern_stack(stack);
        let sample = Sample { weight, values, count, thread_seq, label_set, ..Sample::default() };
        self.push_interned(stack, sample);
    }

    /// Returns the profile as pushed, without spare capacity in its lists.
    pub fn build(self) -> Profile {
        let mut profile = self.profile;
        profile.functions.shrink_to_fit();
        profile.locations.shrink_to_fit();
        profile.label_sets.shrink_to_fit();
        profile.stacks.shrink_to_fit();
        profile.samples.shrink_to_fit();
        profile
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::LabelValue;

    fn text(key: &str, value: &str) -> Label {
        Label { key: key.to_owned(), value: LabelValue::Text(value.to_owned()) }
    }

    #[test]
    fn interns_equal_things_once() {
        let mut builder = Builder::new(Meta::default());
        let fib = builder.intern_function("fib.rb", "Object#fib", 2);
        assert_eq!(builder.intern_function("fib.rb", "Object#fib", 2), fib);
        assert_ne!(builder.intern_function("fib.rb", "Object#fib", 3), fib);
        assert_ne!(builder.intern_function("fob.rb", "Object#fib", 2), fib);
        let line = builder.intern_location(fib, 4);
        assert_eq!(builder.intern_location(fib, 4), line);
        assert_ne!(builder.intern_location(fib, 5), line);
        assert_eq!(builder.intern_label_set(&[]), LabelSetId(0));
        let set = builder.intern_label_set(&[text("a", "1"), text("b", "2")]);
        assert_eq!(builder.intern_label_set(&[text("b", "2"), text("a", "1")]), set);
        let profile = builder.build();
        assert_eq!((profile.functions.len(), profile.locations.len(), profile.label_sets.len()), (3, 2, 2));
    }

    #[test]
    fn keeps_samples_apart_but_stores_their_stack_once() {
        let mut builder = Builder::new(Meta::default());
        let function = builder.intern_function("a.rb", "a", 0);
        let leaf = builder.intern_location(function, 1);
        let root = builder.intern_location(function, 2);
        for weight in [5, 7] {
            builder.push(&[leaf, root], Nanos(weight), 1, ThreadSeq(1), LabelSetId(0));
        }
        let profile = builder.build();
        assert_eq!(profile.samples.len(), 2);
        assert_eq!(profile.stacks, [leaf, root]);
        assert_eq!(profile.total(), Nanos(12));
        assert_eq!(profile.stack(&profile.samples[1]), [leaf, root]);
    }

    #[test]
    fn interns_many_functions() {
        let mut builder = Builder::new(Meta::default());
        let names: Vec<String> = (0..5_000).map(|number| format!("method_{number}")).collect();
        let ids: Vec<_> = names.iter().map(|name| builder.intern_function("many.rb", name, 0)).collect();
        let again: Vec<_> = names.iter().map(|name| builder.intern_function("many.rb", name, 0)).collect();
        assert_eq!(ids, again);
        assert_eq!(builder.build().functions.len(), 5_000);
    }
}
