//! Conversion of a profile to the data hash that the API hands out, an `Rperf::DataHash`.
//!
//! Samples and frames are Arrays of the classes `Rperf::Sample` and `Rperf::Frame`. They also carry
//! what an Array of rperf 0.9 has no place for: the number of ticks, the lines, and where a
//! function starts. As in 0.9, samples are merged by method; the lines are kept as variants of a
//! sample.

use hashbrown::HashMap;
use magnus::value::ReprValue;
use magnus::{Class, Error, Module, Object, RArray, RClass, RHash, RModule, Ruby, Value};
use rperf_core::ids::{FunctionId, LabelSetId, LocationId, ThreadSeq};
use rperf_core::profile::{Function, LabelValue, Profile, Sample};

use super::{figures, ledger, thread_tables};
use crate::vm::slices::{Pace, Slices};

/// Instance variable by which rperf knows its own Array of samples again.
const MARK: &str = "@rperf_samples";

/// Returns whether rperf made this Array of samples: the user has put none in its place.
pub fn is_own(samples: RArray) -> bool {
    samples.ivar_get::<_, Value>(MARK).is_ok_and(Value::to_bool)
}

/// Returns the data hash of a profile. The work is done in slices, between which other threads run.
pub fn build(ruby: &Ruby, profile: &Profile) -> Result<RHash, Error> {
    let hash = figures::hash(ruby, profile)?;
    let rperf: RModule = ruby.class_object().const_get("Rperf")?;
    let (sample, frame) = (rperf.const_get("Sample")?, rperf.const_get("Frame")?);
    let pace = figures::pace(profile);
    let slices = Slices::begin(ruby, Pace::Sliced);
    Builder { ruby, profile, sample, frame, pace, slices }.add_to(hash)?;
    rperf.const_get::<_, RClass>("DataHash")?.funcall("[]", (hash,))
}

struct Builder<'a> {
    ruby: &'a Ruby,
    profile: &'a Profile,
    sample: RClass,
    frame: RClass,
    pace: Pace,
    slices: Slices<'a>,
}

/// One entry of the hash: samples with the same methods, thread and labels.
struct Entry<'p> {
    functions: Vec<FunctionId>,
    /// Sum of the samples.
    sum: Sample,
    /// The samples: the same stack on different lines.
    variants: Vec<&'p Sample>,
}

impl Builder<'_> {
    fn add_to(mut self, hash: RHash) -> Result<(), Error> {
        let samples = self.samples()?;
        samples.ivar_set(MARK, true)?;
        let key = |name: &str| self.ruby.to_symbol(name);
        hash.aset(
            key(if self.profile.meta.aggregated { "aggregated_samples" } else { "raw_samples" }),
            samples,
        )?;
        hash.aset(key("samples"), samples)?;
        if self.profile.label_sets.len() > 1 {
            hash.aset(key("label_sets"), self.label_sets()?)?;
        }
        if !self.profile.threads.is_empty() {
            hash.aset(key("threads"), thread_tables::threads(self.ruby, &self.profile.threads)?)?;
        }
        if !self.profile.processes.is_empty() {
            hash.aset(key("processes"), thread_tables::processes(self.ruby, &self.profile.processes)?)?;
        }
        if !self.profile.ledger.is_empty() {
            hash.aset(key("ledger"), ledger::rows(self.ruby, &self.profile.ledger)?)?;
        }
        Ok(())
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

    fn samples(&mut self) -> Result<RArray, Error> {
        let frames = self.frames()?;
        let entries = self.pace.aside(self.ruby, || entries(self.profile))?;
        let list = self.ruby.ary_new_capa(entries.len());
        for entry in &entries {
            list.push(self.sample_value(entry, frames)?)?;
            self.slices.piece_done()?;
        }
        Ok(list)
    }

    /// Returns one frozen Array for each function.
    fn frames(&mut self) -> Result<RArray, Error> {
        let list = self.ruby.ary_new_capa(self.profile.functions.len());
        let frozen = |text: &str| {
            let text = self.ruby.str_new(text);
            text.freeze();
            text
        };
        for function in &self.profile.functions {
            let Function { path, label, raw_label, start_line } = function;
            let raw_label = (!raw_label.is_empty()).then(|| frozen(raw_label));
            let frame: Value =
                self.frame.new_instance((frozen(path), frozen(label), *start_line, raw_label))?;
            list.push(frame)?;
            self.slices.piece_done()?;
        }
        Ok(list)
    }

    fn sample_value(&self, entry: &Entry<'_>, frames: RArray) -> Result<Value, Error> {
        let stack = self.ruby.ary_new_capa(entry.functions.len());
        for function in &entry.functions {
            stack.push(frames.entry::<Value>(function.index().cast_signed())?)?;
        }
        self.sample.new_instance((
            stack,
            entry.sum.weight.0,
            entry.sum.thread_seq.0,
            entry.sum.label_set.0,
            entry.sum.count,
            self.variants(entry)?,
            self.profile.meta.timeline.then_some(entry.sum.moment.0),
            self.values(&entry.sum),
        ))
    }

    /// Returns all values, or nil if the sample has only the weight.
    fn values(&self, sample: &Sample) -> Option<RArray> {
        let values = || self.ruby.ary_from_iter(sample.values.iter().copied());
        (!sample.values.is_empty()).then(values)
    }

    /// Returns `[[lines, weight, count, values], ...]` with the lines packed as native 32-bit
    /// numbers, or nil if no line is known.
    fn variants(&self, entry: &Entry<'_>) -> Result<Option<RArray>, Error> {
        let line = |location: &LocationId| self.profile.locations[location.index()].line;
        let stack = |variant: &Sample| self.profile.stack(variant).iter();
        if entry.variants.iter().all(|variant| stack(variant).all(|location| line(location) == 0)) {
            return Ok(None);
        }
        let list = self.ruby.ary_new_capa(entry.variants.len());
        for variant in &entry.variants {
            let lines: Vec<u8> = stack(variant).flat_map(|location| line(location).to_ne_bytes()).collect();
            let row = self.ruby.ary_new_capa(4);
            row.push(self.ruby.str_from_slice(&lines))?;
            row.push(variant.weight.0)?;
            row.push(variant.count)?;
            if let Some(values) = self.values(variant) {
                row.push(values)?;
            }
            list.push(row)?;
        }
        Ok(Some(list))
    }
}

/// Returns the samples, merged by method if they were merged while recording.
fn entries(profile: &Profile) -> Vec<Entry<'_>> {
    let merge = profile.meta.aggregated;
    let mut entries: Vec<Entry<'_>> = Vec::new();
    let mut known: HashMap<(Vec<FunctionId>, ThreadSeq, LabelSetId), usize> = HashMap::new();
    for sample in &profile.samples {
        let functions = functions(profile, sample);
        let next = entries.len();
        let index = if merge {
            *known.entry((functions.clone(), sample.thread_seq, sample.label_set)).or_insert(next)
        } else {
            next
        };
        if index == next {
            entries.push(Entry { functions, sum: sample.clone(), variants: vec![sample] });
        } else {
            entries[index].sum.add(sample);
            entries[index].variants.push(sample);
        }
    }
    entries
}

fn functions(profile: &Profile, sample: &Sample) -> Vec<FunctionId> {
    let stack = profile.stack(sample).iter();
    stack.map(|location| profile.locations[location.index()].function).collect()
}
