//! Writes JSON.

use hashbrown::HashMap;
use serde::{Serialize, Serializer};

use super::fields::{DropFields, FunctionFields, PeriodFields, ProcessFields, ThreadFields, ValueTypeFields};
use super::{FORMAT, LedgerRow};
use crate::parts::Parts;
use crate::profile::{Function, Label, LabelValue, Location, Meta, Process, Profile, Sample, Thread};
use crate::time::Nanos;

/// Writes the document, in one line with a line break at its end.
pub(in crate::format) fn write(profile: &Profile, out: &mut Parts<'_>) {
    let stacks = Stacks::of(profile);
    let several = profile.meta.value_types.are_several();
    let document = Document {
        rperf: Header { format: FORMAT, version: env!("CARGO_PKG_VERSION") },
        meta: MetaFields::of(&profile.meta),
        counters: CounterFields::of(profile),
        functions: List(&profile.functions, FunctionFields::of),
        locations: List(&profile.locations, |location| (location.function.0, location.line)),
        label_sets: List(&profile.label_sets, |labels| Map(labels, |it| (&it.key, LabelScalar(&it.value)))),
        threads: List(&profile.threads, ThreadFields::of),
        processes: List(&profile.processes, ProcessFields::of),
        stacks: &stacks,
        samples: Samples { samples: &profile.samples, stacks: &stacks },
        values: several.then_some(List(&profile.samples, |sample| &*sample.values)),
        moments_ns: profile.meta.timeline.then_some(List(&profile.samples, |sample| sample.moment.0)),
        ledger: LedgerRow::all(&profile.ledger).collect(),
    };
    out.push_json(&document);
    out.push("\n");
}

#[derive(Serialize)]
struct Document<'p> {
    rperf: Header,
    meta: MetaFields<'p>,
    counters: CounterFields<'p>,
    functions: List<'p, Function, FunctionFields<'p>>,
    locations: List<'p, Location, (u32, u32)>,
    label_sets: List<'p, Vec<Label>, Map<'p, Label, LabelScalar<'p>>>,
    #[serde(skip_serializing_if = "List::is_empty")]
    threads: List<'p, Thread, ThreadFields<'p>>,
    #[serde(skip_serializing_if = "List::is_empty")]
    processes: List<'p, Process, ProcessFields<'p>>,
    stacks: &'p Stacks<'p>,
    samples: Samples<'p>,
    /// The values of each sample, where samples have several.
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<List<'p, Sample, &'p [u64]>>,
    /// The moment at which each sample was taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    moments_ns: Option<List<'p, Sample, u64>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ledger: Vec<LedgerRow<'p>>,
}

#[derive(Serialize)]
struct Header {
    format: u32,
    version: &'static str,
}

#[derive(Serialize)]
struct MetaFields<'p> {
    mode: &'static str,
    value_type: Option<ValueTypeFields<'p>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    value_types: Vec<ValueTypeFields<'p>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    period: Option<PeriodFields<'p>>,
    frequency: u32,
    start_time_ns: i64,
    duration_ns: u64,
    aggregated: bool,
    engine: &'p str,
    rperf_version: &'p str,
    ruby_version: &'p str,
    comments: &'p [String],
    /// Only profiles of other producers have label units; rperf's own labels have none.
    #[serde(skip_serializing_if = "Map::is_empty")]
    label_units: Map<'p, (String, String), &'p str>,
    stat: Map<'p, (String, serde_json::Value), &'p serde_json::Value>,
}

impl<'p> MetaFields<'p> {
    fn of(meta: &'p Meta) -> Self {
        let types = &meta.value_types;
        Self {
            mode: meta.mode.name(),
            value_type: types.chosen().map(ValueTypeFields::of),
            value_types: types.all()[..types.list_len()].iter().map(ValueTypeFields::of).collect(),
            period: meta.period.as_ref().map(PeriodFields::of),
            frequency: meta.frequency,
            start_time_ns: meta.start_time_ns,
            duration_ns: meta.duration.0,
            aggregated: meta.aggregated,
            engine: &meta.engine,
            rperf_version: &meta.rperf_version,
            ruby_version: &meta.ruby_version,
            comments: &meta.comments,
            label_units: Map(&meta.label_units, |(key, unit)| (key, unit)),
            stat: Map(&meta.stat, |(key, figure)| (key, figure)),
        }
    }
}

/// A JSON object with its fields in the order in which they were added. Each is made of an entry
/// when it is written.
struct Map<'p, Entry, Value>(&'p [Entry], fn(&'p Entry) -> (&'p str, Value));

impl<Entry, Value> Map<'_, Entry, Value> {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<Entry, Value: Serialize> Serialize for Map<'_, Entry, Value> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(self.1))
    }
}

#[derive(Serialize)]
struct CounterFields<'p> {
    sampling_count: u64,
    sampling_time_ns: u64,
    hook_time_ns: u64,
    trigger_count: u64,
    tick_count: u64,
    event_count: u64,
    detected_thread_count: u64,
    unique_frames: u64,
    unique_stacks: u64,
    label_overflow_count: u64,
    dropped: Map<'p, (String, u64, Nanos), DropFields>,
}

impl<'p> CounterFields<'p> {
    fn of(profile: &'p Profile) -> Self {
        let counters = &profile.counters;
        Self {
            sampling_count: counters.sampling_count,
            sampling_time_ns: counters.sampling_time.0,
            hook_time_ns: counters.hook_time.0,
            trigger_count: counters.trigger_count,
            tick_count: profile.tick_count(),
            event_count: profile.event_count(),
            detected_thread_count: counters.detected_thread_count,
            unique_frames: counters.unique_frames,
            unique_stacks: counters.unique_stacks,
            label_overflow_count: counters.label_overflow_count,
            dropped: Map(&counters.drops, |(cause, samples, weight)| {
                (cause, DropFields { samples: *samples, weight_ns: weight.0 })
            }),
        }
    }
}

/// Rows of a table, each of which is made of an entry when it is written.
struct List<'p, Entry, Row>(&'p [Entry], fn(&'p Entry) -> Row);

impl<Entry, Row> List<'_, Entry, Row> {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<Entry, Row: Serialize> Serialize for List<'_, Entry, Row> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(self.1))
    }
}

struct LabelScalar<'p>(&'p LabelValue);

impl Serialize for LabelScalar<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            LabelValue::Text(text) => serializer.serialize_str(text),
            LabelValue::Number(number) => serializer.serialize_i64(*number),
        }
    }
}

/// The stacks of the samples, in the order of their first use.
struct Stacks<'p> {
    profile: &'p Profile,
    ranges: Vec<(u32, u32)>,
    indices: HashMap<(u32, u32), u32>,
}

impl<'p> Stacks<'p> {
    fn of(profile: &'p Profile) -> Self {
        let mut ranges = Vec::new();
        let mut indices = HashMap::new();
        for sample in &profile.samples {
            let range = (sample.stack_start, sample.stack_len);
            indices.entry(range).or_insert_with(|| {
                ranges.push(range);
                ranges.len() as u32 - 1
            });
        }
        Self { profile, ranges, indices }
    }
}

impl Serialize for Stacks<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.ranges.iter().map(|(start, len)| {
            let start = *start as usize;
            List(&self.profile.stacks[start..start + *len as usize], |location| location.0)
        }))
    }
}

struct Samples<'p> {
    samples: &'p [Sample],
    stacks: &'p Stacks<'p>,
}

impl Serialize for Samples<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.samples.iter().map(|sample| {
            let stack = self.stacks.indices[&(sample.stack_start, sample.stack_len)];
            (stack, sample.weight.0, sample.count, sample.thread_seq.0, sample.label_set.0)
        }))
    }
}
