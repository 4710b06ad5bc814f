//! From a data hash to a profile. The hash may have been changed by its user: samples filtered, plain Arrays
//! instead of ours, weights scaled.

use std::collections::HashMap;

use magnus::{Error, Object, RArray, RHash, RString, Ruby, Symbol, TryConvert, Value};
use rperf_core::ids::{FunctionId, LabelSetId, ThreadSeq};
use rperf_core::profile::{Builder, Label, LabelValue, Meta, Profile, ValueType};
use rperf_core::state::Mode;
use rperf_core::time::Nanos;

use crate::vm::names::utf8;

/// The profile that `data` describes. Raises ArgumentError where it describes none.
pub fn data_hash(ruby: &Ruby, data: RHash) -> Result<Profile, Error> {
    read(ruby, data).map_err(|error| no_profile(ruby, error))
}

/// What is of the wrong kind makes no profile; all other errors speak for themselves.
fn no_profile(ruby: &Ruby, error: Error) -> Error {
    let is_kind =
        error.is_kind_of(ruby.exception_type_error()) || error.is_kind_of(ruby.exception_range_error());
    if !is_kind {
        return error;
    }
    wrong(
        ruby,
        &format!(
            "the data make no profile ({error}): give the Hash that Rperf.stop or Rperf.snapshot returned"
        ),
    )
}

fn read(ruby: &Ruby, data: RHash) -> Result<Profile, Error> {
    let reader = Reader { ruby, data };
    let samples = reader.samples()?;
    let mut builder = Builder::new(reader.meta()?);
    *builder.counters_mut() = reader.counters()?;
    let label_sets = reader.label_sets(&mut builder)?;
    Samples { ruby, builder: &mut builder, label_sets, functions: HashMap::new() }.add_all(samples)?;
    Ok(builder.build())
}

/// A copy of a String's bytes.
pub fn bytes(string: RString) -> Vec<u8> {
    crate::vm::names::bytes(string)
}

struct Reader<'a> {
    ruby: &'a Ruby,
    data: RHash,
}

impl Reader<'_> {
    fn get<T: TryConvert>(&self, key: &str) -> Result<Option<T>, Error> {
        self.data.lookup(self.ruby.to_symbol(key))
    }

    fn number(&self, key: &str) -> Result<u64, Error> {
        Ok(self.get(key)?.unwrap_or(0))
    }

    fn samples(&self) -> Result<RArray, Error> {
        for key in ["aggregated_samples", "raw_samples", "samples"] {
            if let Some(samples) = self.get(key)? {
                return Ok(samples);
            }
        }
        Err(wrong(
            self.ruby,
            "the data have no samples: give the Hash that Rperf.stop or Rperf.snapshot returned",
        ))
    }

    fn meta(&self) -> Result<Meta, Error> {
        let mode = self
            .get::<Symbol>("mode")?
            .map_or(Ok("cpu".into()), |mode| mode.name().map(|name| name.into_owned()))?;
        let raw = self.data.get(self.ruby.to_symbol("raw_samples")).is_some();
        Ok(Meta {
            mode: Mode::from_name(&mode).ok_or_else(|| {
                wrong(self.ruby, &format!("the data's mode must be cpu or wall, not {mode}"))
            })?,
            value_type: self.value_type()?,
            frequency: self.get("frequency")?.unwrap_or(0),
            start_time_ns: self.get("start_time_ns")?.unwrap_or(0),
            duration: Nanos(self.number("duration_ns")?),
            aggregated: !raw,
            sampler: self
                .get::<Symbol>("sampler")?
                .map_or(Ok(String::new()), |name| name.name().map(|name| name.into_owned()))?,
            rperf_version: self.text("rperf_version")?,
            ruby_version: self.text("ruby_version")?,
            comments: self.get::<RArray>("comments")?.map_or_else(Vec::new, |list| {
                list.into_iter().filter_map(RString::from_value).map(utf8).collect()
            }),
            label_units: self.label_units()?,
            stat: self.stat()?,
        })
    }

    fn value_type(&self) -> Result<Option<ValueType>, Error> {
        let Some(pair) = self.get::<RArray>("value_type")? else { return Ok(None) };
        Ok(Some(ValueType::new(utf8(pair.entry(0)?), utf8(pair.entry(1)?))))
    }

    fn text(&self, key: &str) -> Result<String, Error> {
        Ok(self.get::<RString>(key)?.map_or_else(String::new, utf8))
    }

    fn label_units(&self) -> Result<Vec<(String, String)>, Error> {
        let mut units = Vec::new();
        if let Some(hash) = self.get::<RHash>("label_units")? {
            hash.foreach(|key: RString, unit: RString| {
                units.push((utf8(key), utf8(unit)));
                Ok(magnus::r_hash::ForEach::Continue)
            })?;
        }
        Ok(units)
    }

    fn stat(&self) -> Result<Vec<(String, serde_json::Value)>, Error> {
        let mut stat = Vec::new();
        if let Some(hash) = self.get::<RHash>("stat")? {
            hash.foreach(|key: Symbol, value: Value| {
                stat.push((key.name()?.into_owned(), super::json_value::from_ruby(value)));
                Ok(magnus::r_hash::ForEach::Continue)
            })?;
        }
        Ok(stat)
    }

    fn counters(&self) -> Result<rperf_core::profile::Counters, Error> {
        Ok(rperf_core::profile::Counters {
            sampling_count: self.number("sampling_count")?,
            sampling_time: Nanos(self.number("sampling_time_ns")?),
            trigger_count: self.number("trigger_count")?,
            detected_thread_count: self.number("detected_thread_count")?,
            unique_frames: self.number("unique_frames")?,
            unique_stacks: self.number("unique_stacks")?,
            label_overflow_count: self.number("label_overflow_count")?,
            drops: self.drops()?,
        })
    }

    fn drops(&self) -> Result<Vec<(String, u64, Nanos)>, Error> {
        let mut drops = Vec::new();
        if let Some(hash) = self.get::<RHash>("dropped")? {
            hash.foreach(|cause: RString, entry: RHash| {
                let samples: Option<u64> = entry.lookup(self.ruby.to_symbol("samples"))?;
                let weight: Option<u64> = entry.lookup(self.ruby.to_symbol("weight_ns"))?;
                drops.push((utf8(cause), samples.unwrap_or(0), Nanos(weight.unwrap_or(0))));
                Ok(magnus::r_hash::ForEach::Continue)
            })?;
        }
        drops.sort();
        Ok(drops)
    }

    /// The builder's id for each of the data's label sets.
    fn label_sets(&self, builder: &mut Builder) -> Result<Vec<LabelSetId>, Error> {
        let Some(sets) = self.get::<RArray>("label_sets")? else { return Ok(Vec::new()) };
        sets.into_iter()
            .map(|set| {
                let mut labels = Vec::new();
                RHash::try_convert(set)?.foreach(|key: Value, value: Value| {
                    labels.push(Label { key: key.to_string(), value: label_value(value) });
                    Ok(magnus::r_hash::ForEach::Continue)
                })?;
                Ok(builder.intern_label_set(&labels))
            })
            .collect()
    }
}

fn label_value(value: Value) -> LabelValue {
    match magnus::Integer::from_value(value).and_then(|number| number.to_i64().ok()) {
        Some(number) => LabelValue::Number(number),
        None => LabelValue::Text(RString::from_value(value).map_or_else(|| value.to_string(), utf8)),
    }
}

/// The line on which a function starts, where the frame is ours.
fn start_line(frame: RArray) -> u32 {
    frame.ivar_get::<_, Option<u32>>("@start_line").ok().flatten().unwrap_or(0)
}

struct Samples<'a> {
    ruby: &'a Ruby,
    builder: &'a mut Builder,
    label_sets: Vec<LabelSetId>,
    /// By the identity of the frame's Array: data from us share one for each function.
    functions: HashMap<u64, FunctionId>,
}

impl Samples<'_> {
    fn add_all(&mut self, samples: RArray) -> Result<(), Error> {
        for index in 0..samples.len() {
            let sample: Value = samples.entry(index.cast_signed())?;
            let added = RArray::try_convert(sample).and_then(|sample| self.add(sample));
            added.map_err(|error| self.no_sample(index, &error))?;
        }
        Ok(())
    }

    fn no_sample(&self, index: usize, error: &Error) -> Error {
        let shape = "a sample is [frames, weight, thread_seq, label_set_id]";
        wrong(self.ruby, &format!("sample {index} of the data is none ({error}): {shape}"))
    }

    fn add(&mut self, sample: RArray) -> Result<(), Error> {
        let frames: RArray = sample.entry(0)?;
        let weight: u64 = sample.entry(1).map_err(|_| {
            wrong(self.ruby, "a sample's weight must be a whole number of nanoseconds, 0 or more")
        })?;
        let thread: u32 = sample.entry::<Option<u32>>(2)?.unwrap_or(0);
        let set: usize = sample.entry::<Option<usize>>(3)?.unwrap_or(0);
        let labels = self.label_sets.get(set).copied().unwrap_or_default();
        let count: u64 = sample.ivar_get::<_, Option<u64>>("@count")?.unwrap_or(1);
        let functions = self.functions_of(frames)?;
        for (lines, weight, count) in variants(sample, functions.len(), weight, count)? {
            let line = |index: usize| lines.get(index).copied().unwrap_or(0);
            let stack: Vec<_> = (functions.iter().enumerate())
                .map(|(index, function)| self.builder.intern_location(*function, line(index)))
                .collect();
            self.builder.push(&stack, Nanos(weight), count, ThreadSeq(thread), labels);
        }
        Ok(())
    }

    fn functions_of(&mut self, frames: RArray) -> Result<Vec<FunctionId>, Error> {
        (0..frames.len())
            .map(|index| {
                let frame: Value = frames.entry(index.cast_signed())?;
                self.function(frame)
            })
            .collect()
    }

    fn function(&mut self, frame: Value) -> Result<FunctionId, Error> {
        let identity = crate::vm::threads::identity(frame);
        if let Some(function) = self.functions.get(&identity) {
            return Ok(*function);
        }
        let pair = RArray::from_value(frame)
            .ok_or_else(|| wrong(self.ruby, "a frame must be a pair of path and label"))?;
        let path = pair.entry::<Option<RString>>(0)?.map_or_else(String::new, utf8);
        let label = pair.entry::<Option<RString>>(1)?.map_or_else(String::new, utf8);
        let function = self.builder.intern_function(&path, &label, start_line(pair));
        self.functions.insert(identity, function);
        Ok(function)
    }
}

type Variant = (Vec<u32>, u64, u64);

/// The lines of a sample: those that it carries, if they still add up to its weight.
fn variants(sample: RArray, depth: usize, weight: u64, count: u64) -> Result<Vec<Variant>, Error> {
    let Some(list) = sample.ivar_get::<_, Option<RArray>>("@variants")? else {
        return Ok(vec![(Vec::new(), weight, count)]);
    };
    let mut variants = Vec::with_capacity(list.len());
    for variant in list {
        let variant = RArray::try_convert(variant)?;
        let packed = bytes(variant.entry(0)?);
        let lines: Vec<u32> = packed
            .chunks_exact(4)
            .map(|line| u32::from_ne_bytes([line[0], line[1], line[2], line[3]]))
            .collect();
        variants.push((lines, variant.entry(1)?, variant.entry(2)?));
    }
    let total: u64 = variants.iter().map(|(_, weight, _)| weight).sum();
    let fits = total == weight && variants.iter().all(|(lines, ..)| lines.len() == depth);
    Ok(if fits { variants } else { vec![(Vec::new(), weight, count)] })
}

fn wrong(ruby: &Ruby, message: &str) -> Error {
    Error::new(ruby.exception_arg_error(), message.to_owned())
}
