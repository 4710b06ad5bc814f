//! Conversion of a data hash to a profile. The user may have changed the hash: samples filtered,
//! plain Arrays in place of rperf's classes, weights scaled.

use std::sync::Arc;

use magnus::r_hash::ForEach;
use magnus::value::ReprValue;
use magnus::{Error, RArray, RHash, Ruby, Value};
use rperf_core::ids::LabelSetId;
use rperf_core::profile::{
    Builder, Counters, Label, LabelValue, Meta, Period, Process, Profile, Thread, ValueType, ValueTypes,
};
use rperf_core::state::Mode;
use rperf_core::time::Nanos;
use rperf_core::work::Ledger;

use super::data_hash::is_own;
use super::field::Field;
use super::{ledger, samples_from, thread_tables};

/// Returns the profile that `data` describes. Raises ArgumentError with one sentence if it
/// describes none.
pub fn data_hash(ruby: &Ruby, data: RHash) -> Result<Profile, Error> {
    let reader = Reader { ruby, data };
    let samples = reader.samples()?;
    let mut builder = Builder::new(reader.meta()?);
    *builder.counters_mut() = reader.counters()?;
    let label_sets = reader.label_sets(&mut builder)?;
    samples_from::add_all(ruby, &mut builder, &label_sets, samples)?;
    let mut profile = builder.build();
    profile.threads = reader.threads()?;
    profile.processes = reader.processes()?;
    profile.ledger = Arc::new(reader.ledger()?);
    let wrong =
        |problem| Error::new(ruby.exception_arg_error(), format!("the data cannot be used: {problem}"));
    profile.check_threads().map_err(wrong)?;
    Ok(profile)
}

/// Returns the figures about a process in a Hash. Raises ArgumentError with one sentence for a
/// value that is not a figure.
pub fn stat(ruby: &Ruby, hash: RHash) -> Result<Vec<(String, serde_json::Value)>, Error> {
    pairs(hash, |key, value| {
        let key = Field { ruby, place: &"a key of the data's stat", value: key }.symbol()?;
        let value = Field { ruby, place: &format_args!("{key} of the data's stat"), value }.plain()?;
        Ok((key, value))
    })
}

/// Description of a valid table of the data, for errors.
const HASHES: &str = "an Array of Hashes";

struct Reader<'a> {
    ruby: &'a Ruby,
    data: RHash,
}

impl Reader<'_> {
    /// Returns the result of `read` for the value of a key, or `None` if there is no value.
    fn read<T>(&self, key: &str, read: impl Fn(Field<'_>) -> Result<T, Error>) -> Result<Option<T>, Error> {
        let value: Option<Value> = self.data.lookup(self.ruby.to_symbol(key))?;
        value
            .map(|value| read(Field { ruby: self.ruby, place: &format_args!("the data's {key}"), value }))
            .transpose()
    }

    /// Returns the results of `read` for the pairs of a key's Hash, if there is one. `what`:
    /// description of a valid Hash.
    fn pairs<T>(
        &self,
        key: &str,
        what: &str,
        read: impl FnMut(Value, Value) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        self.read(key, |field| field.hash(what))?.map_or(Ok(Vec::new()), |hash| pairs(hash, read))
    }

    fn field<'a>(&'a self, place: &'a dyn std::fmt::Display, value: Value) -> Field<'a> {
        Field { ruby: self.ruby, place, value }
    }

    /// Returns the results of `read` for the elements of a key's Array, if there is one. `what`:
    /// description of a valid Array. `name`: name of one element.
    fn rows<T>(
        &self,
        key: &str,
        what: &str,
        name: &str,
        read: impl Fn(&Field<'_>) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let rows = self.read(key, |field| field.array(what))?.into_iter().flatten();
        let place = |number| format!("{name} {number} of the data");
        (0..).zip(rows).map(|(number, value)| read(&self.field(&place(number), value))).collect()
    }

    fn threads(&self) -> Result<Vec<Thread>, Error> {
        let mut threads = self.rows("threads", HASHES, "thread", thread_tables::thread)?;
        threads.sort_by_key(|thread| thread.seq);
        Ok(threads)
    }

    fn processes(&self) -> Result<Vec<Process>, Error> {
        self.rows("processes", HASHES, "process", thread_tables::process)
    }

    fn ledger(&self) -> Result<Ledger, Error> {
        let rows = self.rows("ledger", HASHES, "ledger row", ledger::row)?;
        let mut sum = Ledger::default();
        rows.iter().for_each(|row| sum.merge(row));
        Ok(sum)
    }

    fn count(&self, key: &str) -> Result<u64, Error> {
        Ok(self.read(key, |field| field.count())?.unwrap_or(0))
    }

    fn text(&self, key: &str) -> Result<String, Error> {
        Ok(self.read(key, |field| field.text())?.unwrap_or_default())
    }

    /// Returns the samples that the user put into the hash, or else rperf's own; by either key.
    fn samples(&self) -> Result<RArray, Error> {
        let read = |key| self.read(key, |field| field.array("an Array of samples"));
        let message = match (read("aggregated_samples")?.or(read("raw_samples")?), read("samples")?) {
            (Some(samples), None) | (None, Some(samples)) => return Ok(samples),
            (Some(of_mode), Some(samples)) => match (is_own(of_mode), is_own(samples)) {
                (true, false) => return Ok(samples),
                (false, true) => return Ok(of_mode),
                _ if of_mode.equal(samples)? => return Ok(samples),
                _ => {
                    "the data's samples and aggregated_samples (or raw_samples) differ: delete one of the two"
                }
            },
            (None, None) => {
                "the data have no samples: give the Hash that Rperf.stop or Rperf.snapshot returned"
            }
        };
        Err(Error::new(self.ruby.exception_arg_error(), message))
    }

    /// Returns the engine's name. Its key was `sampler:` in rperf 0.1.
    fn engine(&self) -> Result<String, Error> {
        let engine = self.read("engine", |field| field.symbol())?;
        let former = || self.read("sampler", |field| field.symbol());
        engine.map_or_else(former, |engine| Ok(Some(engine))).map(Option::unwrap_or_default)
    }

    fn meta(&self) -> Result<Meta, Error> {
        let raw = self.data.get(self.ruby.to_symbol("raw_samples")).is_some();
        Ok(Meta {
            mode: self.read("mode", |field| mode(&field))?.unwrap_or(Mode::Cpu),
            value_types: self.value_types()?,
            period: self.read("period", |field| period(&field))?,
            frequency: self.read("frequency", |field| field.small())?.unwrap_or(0),
            start_time_ns: self.read("start_time_ns", |field| field.moment())?.unwrap_or(0),
            duration: Nanos(self.count("duration_ns")?),
            aggregated: !raw,
            timeline: self.timeline()?,
            engine: self.engine()?,
            rperf_version: self.text("rperf_version")?,
            ruby_version: self.text("ruby_version")?,
            comments: self
                .read("comments", |field| texts(&field, "an Array of Strings"))?
                .unwrap_or_default(),
            label_units: self.label_units()?,
            stat: self.stat()?,
            ..Meta::default()
        })
    }

    /// Returns all value types, or `value_type` alone if the data have no list. The weight is
    /// `value_type`, or else the last of the list.
    fn value_types(&self) -> Result<ValueTypes, Error> {
        const SHAPE: &str = "an Array of [kind, unit], with the data's value_type among them";
        let chosen = self.read("value_type", |field| value_type(&field))?;
        let all = self.rows("value_types", "an Array of [kind, unit]", "value type", value_type)?;
        let Some(last) = all.len().checked_sub(1) else {
            return Ok(chosen.map(ValueTypes::from).unwrap_or_default());
        };
        let place = chosen.map_or(Some(last), |chosen| all.iter().position(|it| *it == chosen));
        match place {
            Some(place) => Ok(ValueTypes::new(all, place)),
            None => Err(self.read("value_types", |field| Ok(field.must_be(SHAPE)))?.expect("there are some")),
        }
    }

    fn timeline(&self) -> Result<bool, Error> {
        let truth = |field: Field<'_>| field.truth().ok_or_else(|| field.must_be("true or false"));
        Ok(self.read("timeline", truth)?.unwrap_or(false))
    }

    fn label_units(&self) -> Result<Vec<(String, String)>, Error> {
        self.pairs("label_units", "a Hash of Strings", |key, unit| {
            let key = self.field(&"a key of the data's label_units", key).text()?;
            let unit = self.field(&format_args!("the data's unit of {key}"), unit).text()?;
            Ok((key, unit))
        })
    }

    fn stat(&self) -> Result<Vec<(String, serde_json::Value)>, Error> {
        self.read("stat", |field| field.hash("a Hash"))?.map_or(Ok(Vec::new()), |hash| stat(self.ruby, hash))
    }

    fn counters(&self) -> Result<Counters, Error> {
        Ok(Counters {
            sampling_count: self.count("sampling_count")?,
            sampling_time: Nanos(self.count("sampling_time_ns")?),
            hook_time: Nanos(self.count("hook_time_ns")?),
            trigger_count: self.count("trigger_count")?,
            detected_thread_count: self.count("detected_thread_count")?,
            unique_frames: self.count("unique_frames")?,
            unique_stacks: self.count("unique_stacks")?,
            label_overflow_count: self.count("label_overflow_count")?,
            drops: self.drops()?,
        })
    }

    fn drops(&self) -> Result<Vec<(String, u64, Nanos)>, Error> {
        let mut drops =
            self.pairs("dropped", "a Hash of {cause => {samples:, weight_ns:}}", |cause, entry| {
                let cause = self.field(&"a cause of the data's drops", cause).text()?;
                let what = "a Hash of {samples:, weight_ns:}";
                let entry = self.field(&format_args!("the data's drop '{cause}'"), entry).hash(what)?;
                let samples = self.lost(&cause, entry, "samples")?;
                let weight = Nanos(self.lost(&cause, entry, "weight_ns")?);
                Ok((cause, samples, weight))
            })?;
        drops.sort();
        Ok(drops)
    }

    fn lost(&self, cause: &str, entry: RHash, key: &str) -> Result<u64, Error> {
        let value: Option<Value> = entry.lookup(self.ruby.to_symbol(key))?;
        value.map_or(Ok(0), |value| {
            self.field(&format_args!("{key} of the data's drop '{cause}'"), value).count()
        })
    }

    /// Returns the builder's id for each of the data's label sets.
    fn label_sets(&self, builder: &mut Builder) -> Result<Vec<LabelSetId>, Error> {
        let sets = self.read("label_sets", |field| field.array(HASHES))?;
        let mut ids = Vec::new();
        for (number, set) in sets.into_iter().flatten().enumerate() {
            let set = self.field(&format_args!("label set {number} of the data"), set).hash("a Hash")?;
            ids.push(builder.intern_label_set(&self.labels(number, set)?));
        }
        Ok(ids)
    }

    fn labels(&self, number: usize, set: RHash) -> Result<Vec<Label>, Error> {
        pairs(set, |key, value| {
            let key = self.field(&format_args!("a key in label set {number} of the data"), key).key()?;
            let value =
                label_value(&self.field(&format_args!("'{key}' in label set {number} of the data"), value))?;
            Ok(Label { key, value })
        })
    }
}

/// Returns the results of `read` for the pairs of a Hash, in their order.
fn pairs<T>(hash: RHash, mut read: impl FnMut(Value, Value) -> Result<T, Error>) -> Result<Vec<T>, Error> {
    let mut pairs = Vec::new();
    hash.foreach(|key: Value, value: Value| {
        pairs.push(read(key, value)?);
        Ok(ForEach::Continue)
    })?;
    Ok(pairs)
}

fn mode(field: &Field<'_>) -> Result<Mode, Error> {
    let mode = field.symbol().ok().and_then(|name| Mode::from_name(&name));
    mode.ok_or_else(|| field.must_be(&format!("one of :{}", Mode::ALL.map(Mode::name).join(", :"))))
}

fn value_type(field: &Field<'_>) -> Result<ValueType, Error> {
    let pair = texts(field, "two Strings, [kind, unit]")?;
    let [kind, unit] =
        <[String; 2]>::try_from(pair).map_err(|_| field.must_be("two Strings, [kind, unit]"))?;
    Ok(ValueType::new(kind, unit))
}

/// Reads `[kind, unit, length]`.
fn period(field: &Field<'_>) -> Result<Period, Error> {
    let must_be = || field.must_be("[kind, unit, length], two Strings and a whole number");
    let parts = RArray::from_value(field.value).filter(|parts| parts.len() == 3).ok_or_else(must_be)?;
    let [kind, unit, length] =
        [0, 1, 2].map(|index| parts.entry(index).map(|value| Field { value, ..*field }));
    let text = |part: Result<Field<'_>, Error>| part?.text().map_err(|_| must_be());
    let length = length?.count().map_err(|_| must_be())?;
    Ok(Period { value_type: ValueType::new(text(kind)?, text(unit)?), length })
}

fn texts(field: &Field<'_>, what: &str) -> Result<Vec<String>, Error> {
    let texts = field.array(what)?.into_iter();
    texts.map(|value| Field { value, ..*field }.text().map_err(|_| field.must_be(what))).collect()
}

fn label_value(field: &Field<'_>) -> Result<LabelValue, Error> {
    if let Some(number) = field.integer() {
        return Ok(LabelValue::Number(number));
    }
    field.text().map(LabelValue::Text).map_err(|_| field.must_be("a String or a whole number of 64 bits"))
}
