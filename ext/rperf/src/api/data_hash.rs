//! From a profile to the data hash of the guide (chapter 4.3).
//!
//! Samples and frames are Arrays of the classes `Rperf::Sample` and `Rperf::Frame`, which carry what the
//! guide's form has no place for: how many ticks, on which lines, and where a function starts. Samples
//! are merged by method, as the guide says; the lines are kept as variants of a sample.

use std::collections::HashMap;

use magnus::value::ReprValue;
use magnus::{Class, Error, Module, RArray, RClass, RHash, RModule, Ruby, Value};
use rperf_core::ids::{FunctionId, LabelSetId, LocationId, ThreadSeq};
use rperf_core::profile::{LabelValue, Profile, Sample};
use rperf_core::time::Nanos;

/// The data hash of a profile.
pub fn build(ruby: &Ruby, profile: &Profile) -> Result<RHash, Error> {
    let rperf: RModule = ruby.class_object().const_get("Rperf")?;
    let builder =
        Builder { ruby, profile, sample: rperf.const_get("Sample")?, frame: rperf.const_get("Frame")? };
    builder.build()
}

struct Builder<'a> {
    ruby: &'a Ruby,
    profile: &'a Profile,
    sample: RClass,
    frame: RClass,
}

/// One entry of the hash: samples with the same methods, thread and labels.
#[derive(Default)]
struct Entry {
    functions: Vec<FunctionId>,
    thread: ThreadSeq,
    labels: LabelSetId,
    weight: Nanos,
    count: u64,
    /// The same stack on different lines.
    variants: Vec<(Vec<LocationId>, Nanos, u64)>,
}

impl Builder<'_> {
    fn build(&self) -> Result<RHash, Error> {
        let hash = self.ruby.hash_new();
        self.add_meta(hash)?;
        let samples = self.samples()?;
        let aggregated = self.profile.meta.aggregated;
        self.set(hash, if aggregated { "aggregated_samples" } else { "raw_samples" }, samples)?;
        self.set(hash, "samples", samples)?;
        if self.profile.label_sets.len() > 1 {
            self.set(hash, "label_sets", self.label_sets()?)?;
        }
        Ok(hash)
    }

    fn add_meta(&self, hash: RHash) -> Result<(), Error> {
        let (meta, counters) = (&self.profile.meta, &self.profile.counters);
        self.set(hash, "mode", self.ruby.to_symbol(meta.mode.name()))?;
        self.set(hash, "frequency", meta.frequency)?;
        self.set(hash, "sampling_count", counters.sampling_count)?;
        self.set(hash, "sampling_time_ns", counters.sampling_time.0)?;
        self.set(hash, "trigger_count", counters.trigger_count)?;
        self.set(hash, "detected_thread_count", counters.detected_thread_count)?;
        self.set(hash, "start_time_ns", meta.start_time_ns)?;
        self.set(hash, "duration_ns", meta.duration.0)?;
        if meta.aggregated {
            self.set(hash, "unique_frames", counters.unique_frames)?;
            self.set(hash, "unique_stacks", counters.unique_stacks)?;
        }
        if counters.label_overflow_count > 0 {
            self.set(hash, "label_overflow_count", counters.label_overflow_count)?;
        }
        self.set(hash, "sampler", self.ruby.to_symbol(meta.sampler.as_str()))?;
        self.set(hash, "dropped", self.drops()?)?;
        self.set(hash, "rperf_version", meta.rperf_version.as_str())?;
        self.set(hash, "ruby_version", meta.ruby_version.as_str())?;
        if !meta.comments.is_empty() {
            self.set(hash, "comments", self.ruby.ary_from_iter(meta.comments.iter().map(String::as_str)))?;
        }
        if !meta.label_units.is_empty() {
            let units = self
                .ruby
                .hash_from_iter(meta.label_units.iter().map(|(key, unit)| (key.as_str(), unit.as_str())));
            self.set(hash, "label_units", units)?;
        }
        if let Some(kind) = &meta.value_type {
            self.set(
                hash,
                "value_type",
                self.ruby.ary_new_from_values(&[
                    self.ruby.str_new(&kind.kind).as_value(),
                    self.ruby.str_new(&kind.unit).as_value(),
                ]),
            )?;
        }
        if !meta.stat.is_empty() {
            let stat = self.ruby.hash_new();
            for (name, value) in &meta.stat {
                stat.aset(self.ruby.to_symbol(name.as_str()), super::json_value::to_ruby(self.ruby, value)?)?;
            }
            self.set(hash, "stat", stat)?;
        }
        Ok(())
    }

    fn set(&self, hash: RHash, key: &str, value: impl magnus::IntoValue) -> Result<(), Error> {
        hash.aset(self.ruby.to_symbol(key), value)
    }

    fn drops(&self) -> Result<RHash, Error> {
        let drops = self.ruby.hash_new();
        for (cause, samples, weight) in &self.profile.counters.drops {
            let entry = self.ruby.hash_new();
            self.set(entry, "samples", *samples)?;
            self.set(entry, "weight_ns", weight.0)?;
            drops.aset(cause.as_str(), entry)?;
        }
        Ok(drops)
    }

    fn label_sets(&self) -> Result<RArray, Error> {
        let list = self.ruby.ary_new_capa(self.profile.label_sets.len());
        for set in &self.profile.label_sets {
            let hash = self.ruby.hash_new();
            for label in set {
                let key = self.ruby.to_symbol(label.key.as_str());
                match &label.value {
                    LabelValue::Text(text) => hash.aset(key, text.as_str())?,
                    LabelValue::Number(number) => hash.aset(key, *number)?,
                }
            }
            hash.freeze();
            list.push(hash)?;
        }
        Ok(list)
    }

    fn samples(&self) -> Result<RArray, Error> {
        let frames = self.frames()?;
        let entries = self.entries();
        let list = self.ruby.ary_new_capa(entries.len());
        for entry in &entries {
            list.push(self.sample_value(entry, frames)?)?;
        }
        Ok(list)
    }

    /// One frozen Array for each function.
    fn frames(&self) -> Result<RArray, Error> {
        let list = self.ruby.ary_new_capa(self.profile.functions.len());
        for function in &self.profile.functions {
            let path = self.ruby.str_new(&function.path);
            let label = self.ruby.str_new(&function.label);
            path.freeze();
            label.freeze();
            let frame: Value = self.frame.new_instance((path, label, function.start_line))?;
            list.push(frame)?;
        }
        Ok(list)
    }

    fn entries(&self) -> Vec<Entry> {
        let merge = self.profile.meta.aggregated;
        let mut entries: Vec<Entry> = Vec::new();
        let mut known: HashMap<(Vec<FunctionId>, ThreadSeq, LabelSetId), usize> = HashMap::new();
        for sample in &self.profile.samples {
            let functions = self.functions(sample);
            let next = entries.len();
            let index = if merge {
                *known.entry((functions.clone(), sample.thread_seq, sample.label_set)).or_insert(next)
            } else {
                next
            };
            if index == next {
                let (thread, labels) = (sample.thread_seq, sample.label_set);
                entries.push(Entry { functions, thread, labels, ..Entry::default() });
            }
            let entry = &mut entries[index];
            entry.weight += sample.weight;
            entry.count += sample.count;
            entry.variants.push((self.profile.stack(sample).to_vec(), sample.weight, sample.count));
        }
        entries
    }

    fn functions(&self, sample: &Sample) -> Vec<FunctionId> {
        let stack = self.profile.stack(sample).iter();
        stack.map(|location| self.profile.locations[location.index()].function).collect()
    }

    fn sample_value(&self, entry: &Entry, frames: RArray) -> Result<Value, Error> {
        let stack = self.ruby.ary_new_capa(entry.functions.len());
        for function in &entry.functions {
            stack.push(frames.entry::<Value>(function.index().cast_signed())?)?;
        }
        self.sample.new_instance((
            stack,
            entry.weight.0,
            entry.thread.0,
            entry.labels.0,
            entry.count,
            self.variants(entry)?,
        ))
    }

    /// `[[lines, weight, count], ...]` with the lines packed as native 32-bit numbers, or nil where none is known.
    fn variants(&self, entry: &Entry) -> Result<Option<RArray>, Error> {
        let line = |location: &LocationId| self.profile.locations[location.index()].line;
        if entry.variants.iter().all(|(stack, ..)| stack.iter().all(|location| line(location) == 0)) {
            return Ok(None);
        }
        let list = self.ruby.ary_new_capa(entry.variants.len());
        for (stack, weight, count) in &entry.variants {
            let lines: Vec<u8> = stack.iter().flat_map(|location| line(location).to_ne_bytes()).collect();
            let variant = self.ruby.ary_new_capa(3);
            variant.push(self.ruby.str_from_slice(&lines))?;
            variant.push(weight.0)?;
            variant.push(*count)?;
            list.push(variant)?;
        }
        Ok(Some(list))
    }
}
