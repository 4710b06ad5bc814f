//! Reads JSON that rperf wrote.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::fields::{PeriodFields, ValueTypeFields};
use super::tables::{
    Comments, Drops, Functions, LabelSets, LabelUnits, LedgerRows, Locations, Moments, Processes, SampleRow,
    Samples, Stat, Threads, TypeList, Values,
};
use super::{FORMAT, NAME};
use crate::format::DecodeError;
use crate::format::stack_lists::Stacks;
use crate::ids::{LabelSetId, ThreadSeq};
use crate::profile::{Counters, Meta, Profile, Sample, ValueType, ValueTypes};
use crate::state::Mode;
use crate::time::Nanos;
use crate::work::Ledger;

/// Maximum size of a `stat` that is read, in bytes. It usually holds a few figures.
const MAX_STAT: usize = 1 << 20;

/// Decodes the profile in this document. Its indices are not checked yet.
pub(in crate::format) fn decode(bytes: &[u8]) -> Result<Profile, DecodeError> {
    let Preview { rperf } = serde_json::from_slice(bytes).map_err(damaged)?;
    match rperf {
        None => return Err(DecodeError::ForeignJson),
        Some(header) if header.format > u64::from(FORMAT) => {
            return Err(DecodeError::NewerJson { format: header.format, known: FORMAT.into() });
        }
        Some(_) => {}
    }
    serde_json::from_slice::<Document<'_>>(bytes).map_err(damaged)?.into_profile()
}

fn damaged(error: serde_json::Error) -> DecodeError {
    DecodeError::json(NAME, &error)
}

/// The part of a document that shows whether the rest can be read.
#[derive(Deserialize)]
struct Preview {
    rperf: Option<Header>,
}

#[derive(Deserialize)]
struct Header {
    format: u64,
}

#[derive(Deserialize)]
struct Document<'text> {
    #[serde(borrow)]
    meta: MetaFields<'text>,
    #[serde(default)]
    counters: CounterFields,
    functions: Functions,
    locations: Locations,
    label_sets: LabelSets,
    #[serde(default)]
    threads: Threads,
    #[serde(default)]
    processes: Processes,
    stacks: Stacks,
    samples: Samples,
    values: Option<Values>,
    moments_ns: Option<Moments>,
    #[serde(default)]
    ledger: LedgerRows,
}

#[derive(Deserialize)]
struct MetaFields<'text> {
    mode: String,
    value_type: Option<ValueTypeFields<'static>>,
    #[serde(default)]
    value_types: TypeList,
    period: Option<PeriodFields<'static>>,
    #[serde(default)]
    frequency: u32,
    #[serde(default)]
    start_time_ns: i64,
    #[serde(default)]
    duration_ns: u64,
    #[serde(default)]
    aggregated: bool,
    /// Named "sampler" in rperf 0.1.
    #[serde(default, alias = "sampler")]
    engine: String,
    #[serde(default)]
    rperf_version: String,
    #[serde(default)]
    ruby_version: String,
    #[serde(default)]
    comments: Comments,
    #[serde(default)]
    label_units: LabelUnits,
    #[serde(borrow)]
    stat: Option<&'text RawValue>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct CounterFields {
    sampling_count: u64,
    sampling_time_ns: u64,
    hook_time_ns: u64,
    trigger_count: u64,
    detected_thread_count: u64,
    unique_frames: u64,
    unique_stacks: u64,
    label_overflow_count: u64,
    dropped: Drops,
}

impl Document<'_> {
    fn into_profile(self) -> Result<Profile, DecodeError> {
        let meta = Meta { timeline: self.moments_ns.is_some(), ..self.meta.into_meta()? };
        let columns = Columns {
            stacks: &self.stacks,
            values: self.values.map(|values| values.0),
            chosen: meta.value_types.index(),
            moments: self.moments_ns.map(|moments| moments.0),
        };
        Ok(Profile {
            meta,
            counters: self.counters.into_counters(),
            ledger: Arc::new(ledger(&self.ledger)?),
            functions: self.functions.0,
            locations: self.locations.0,
            label_sets: self.label_sets.0,
            threads: self.threads.0,
            processes: self.processes.0,
            samples: columns.samples(&self.samples.0)?,
            stacks: self.stacks.list,
        })
    }
}

fn ledger(rows: &LedgerRows) -> Result<Ledger, DecodeError> {
    let mut ledger = Ledger::default();
    for (number, row) in rows.0.iter().enumerate() {
        let wrong = || DecodeError::damaged(NAME, format_args!("row {number} of its ledger makes no sense"));
        row.add_to(&mut ledger).ok_or_else(wrong)?;
    }
    Ok(ledger)
}

/// The columns beside the rows of samples, and the stacks that the rows refer to.
struct Columns<'a> {
    stacks: &'a Stacks,
    /// The values of each sample, where samples have several.
    values: Option<Vec<Box<[u64]>>>,
    /// The index of the value that is the weight.
    chosen: usize,
    /// The moment of each sample, where samples have moments.
    moments: Option<Vec<Nanos>>,
}

impl Columns<'_> {
    fn samples(mut self, rows: &[SampleRow]) -> Result<Vec<Sample>, DecodeError> {
        check_len(rows, self.values.as_deref(), "lists of values")?;
        check_len(rows, self.moments.as_deref(), "moments")?;
        rows.iter().enumerate().map(|(index, row)| self.sample(index, row)).collect()
    }

    fn sample(&mut self, index: usize, row: &SampleRow) -> Result<Sample, DecodeError> {
        let (stack, weight, count, thread_seq, label_set) = *row;
        let range = self.stacks.ranges.get(stack as usize).copied();
        let (stack_start, stack_len) = range.ok_or_else(|| {
            DecodeError::damaged(NAME, format_args!("sample {index} refers to a stack that does not exist"))
        })?;
        let values =
            self.values.as_mut().map(|values| std::mem::take(&mut values[index])).unwrap_or_default();
        Ok(Sample {
            stack_start,
            stack_len,
            weight: Nanos(values.get(self.chosen).copied().unwrap_or(weight)),
            values,
            count,
            thread_seq: ThreadSeq(thread_seq),
            label_set: LabelSetId(label_set),
            moment: self.moments.as_ref().map_or(Nanos::ZERO, |moments| moments[index]),
        })
    }
}

/// Checks that a column, if there is one, has an entry for each sample.
fn check_len<T>(rows: &[SampleRow], column: Option<&[T]>, name: &str) -> Result<(), DecodeError> {
    let (samples, entries) = (rows.len(), column.map_or(rows.len(), <[T]>::len));
    if samples == entries {
        return Ok(());
    }
    Err(DecodeError::damaged(NAME, format_args!("it has {samples} samples and {entries} {name}")))
}

impl MetaFields<'_> {
    fn into_meta(self) -> Result<Meta, DecodeError> {
        let mode = Mode::from_name(&self.mode).ok_or_else(|| {
            let modes = Mode::ALL.map(Mode::name).join(", ");
            DecodeError::damaged(NAME, format_args!("its mode {:?} is none of {modes}", self.mode))
        })?;
        Ok(Meta {
            mode,
            value_types: value_types(self.value_type, self.value_types.0)?,
            period: self.period.map(PeriodFields::period),
            frequency: self.frequency,
            start_time_ns: self.start_time_ns,
            duration: Nanos(self.duration_ns),
            aggregated: self.aggregated,
            timeline: false,
            engine: self.engine,
            rperf_version: self.rperf_version,
            ruby_version: self.ruby_version,
            comments: self.comments.0,
            label_units: self.label_units.0,
            stat: self.stat.map_or(Ok(Vec::new()), |raw| stat(raw.get()))?,
            ..Meta::default()
        })
    }
}

/// Returns the value types: `all`, or only `weight` where that list is empty.
fn value_types(weight: Option<ValueTypeFields<'_>>, all: Vec<ValueType>) -> Result<ValueTypes, DecodeError> {
    let weight = weight.map(ValueTypeFields::value_type);
    if all.is_empty() {
        return Ok(weight.map(ValueTypes::from).unwrap_or_default());
    }
    let chosen = all.iter().position(|it| Some(it) == weight.as_ref());
    let chosen =
        chosen.ok_or_else(|| DecodeError::damaged(NAME, "its value_type is none of its value_types"))?;
    Ok(ValueTypes::new(all, chosen))
}

fn stat(text: &str) -> Result<Vec<(String, serde_json::Value)>, DecodeError> {
    if text.len() > MAX_STAT {
        return Err(DecodeError::damaged(NAME, format_args!("its stat has more than {MAX_STAT} bytes")));
    }
    serde_json::from_slice::<Stat>(text.as_bytes()).map(|stat| stat.0).map_err(damaged)
}

impl CounterFields {
    fn into_counters(self) -> Counters {
        Counters {
            sampling_count: self.sampling_count,
            sampling_time: Nanos(self.sampling_time_ns),
            hook_time: Nanos(self.hook_time_ns),
            trigger_count: self.trigger_count,
            detected_thread_count: self.detected_thread_count,
            unique_frames: self.unique_frames,
            unique_stacks: self.unique_stacks,
            label_overflow_count: self.label_overflow_count,
            drops: self.dropped.0,
        }
    }
}
