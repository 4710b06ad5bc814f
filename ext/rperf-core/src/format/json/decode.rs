//! Reads JSON that rperf wrote.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::tables::{
    Comments, Drops, Functions, LabelSets, LabelUnits, Locations, Moments, Processes, SampleRow, Samples,
    Stat, Threads,
};
use super::{FORMAT, NAME};
use crate::format::DecodeError;
use crate::format::stack_lists::Stacks;
use crate::ids::{LabelSetId, ThreadSeq};
use crate::profile::{Counters, Meta, Profile, Sample, ValueType};
use crate::state::Mode;
use crate::time::Nanos;

/// The largest `stat` that is read, in bytes: it is a handful of figures.
const MAX_STAT: usize = 1 << 20;

/// The profile in this document. Its indices are not checked yet.
pub(in crate::format) fn decode(bytes: &[u8]) -> Result<Profile, DecodeError> {
    let Preview { rperf } = serde_json::from_slice(bytes).map_err(damaged)?;
    match rperf {
        None => return Err(DecodeError::ForeignJson),
        Some(header) if header.format > u64::from(FORMAT) => {
            return Err(DecodeError::NewerJson(header.format));
        }
        Some(_) => {}
    }
    serde_json::from_slice::<Document<'_>>(bytes).map_err(damaged)?.into_profile()
}

fn damaged(error: serde_json::Error) -> DecodeError {
    DecodeError::json(NAME, &error)
}

/// Only what tells whether the rest can be read.
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
    /// rperf 0.1 wrote neither.
    #[serde(default)]
    threads: Threads,
    #[serde(default)]
    processes: Processes,
    stacks: Stacks,
    samples: Samples,
    moments_ns: Option<Moments>,
}

#[derive(Deserialize)]
struct MetaFields<'text> {
    mode: String,
    value_type: Option<ValueTypeFields>,
    #[serde(default)]
    frequency: u32,
    #[serde(default)]
    start_time_ns: i64,
    #[serde(default)]
    duration_ns: u64,
    #[serde(default)]
    aggregated: bool,
    /// Its name was "sampler" in rperf 0.1.
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

#[derive(Deserialize)]
struct ValueTypeFields {
    kind: String,
    unit: String,
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
        let moments = self.moments_ns.map(|moments| moments.0);
        Ok(Profile {
            meta: Meta { timeline: moments.is_some(), ..self.meta.into_meta()? },
            counters: self.counters.into_counters(),
            functions: self.functions.0,
            locations: self.locations.0,
            label_sets: self.label_sets.0,
            threads: self.threads.0,
            processes: self.processes.0,
            samples: samples(&self.samples, &self.stacks, moments.as_deref())?,
            stacks: self.stacks.list,
        })
    }
}

/// The samples, each with its moment where there are moments.
fn samples(
    samples: &Samples,
    stacks: &Stacks,
    moments: Option<&[Nanos]>,
) -> Result<Vec<Sample>, DecodeError> {
    if let Some(moments) = moments.filter(|moments| moments.len() != samples.0.len()) {
        let (samples, moments) = (samples.0.len(), moments.len());
        return Err(DecodeError::damaged(
            NAME,
            format_args!("it has {samples} samples and {moments} moments"),
        ));
    }
    let sample = |(index, row): (usize, &SampleRow)| {
        let (stack, weight, count, thread_seq, label_set) = *row;
        let range = stacks.ranges.get(stack as usize).copied();
        let (stack_start, stack_len) = range.ok_or_else(|| {
            DecodeError::damaged(NAME, format_args!("sample {index} refers to a stack that does not exist"))
        })?;
        Ok(Sample {
            stack_start,
            stack_len,
            weight: Nanos(weight),
            count,
            thread_seq: ThreadSeq(thread_seq),
            label_set: LabelSetId(label_set),
            moment: moments.map_or(Nanos::ZERO, |moments| moments[index]),
        })
    };
    samples.0.iter().enumerate().map(sample).collect()
}

impl MetaFields<'_> {
    fn into_meta(self) -> Result<Meta, DecodeError> {
        let mode = Mode::from_name(&self.mode).ok_or_else(|| {
            DecodeError::damaged(NAME, format_args!("its mode {:?} is neither cpu nor wall", self.mode))
        })?;
        Ok(Meta {
            mode,
            value_type: self.value_type.map(|it| ValueType::new(it.kind, it.unit)),
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
            recordings: Vec::new(),
        })
    }
}

fn stat(text: &str) -> Result<Vec<(String, serde_json::Value)>, DecodeError> {
    if text.len() > MAX_STAT {
        return Err(DecodeError::damaged(NAME, format_args!("its stat has more than {MAX_STAT} bytes")));
    }
    serde_json::from_str::<Stat>(text).map(|stat| stat.0).map_err(damaged)
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
