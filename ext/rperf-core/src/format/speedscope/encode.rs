//! Writes the file.

use serde::{Serialize, Serializer};

use super::{SCHEMA, TIMELINE};
use crate::format::threads::Thread;
use crate::parts::Parts;
use crate::profile::{Function, Profile, Sample, ValueType, name_of};
use crate::time::Nanos;

/// Writes the document, in one line with a line break at its end.
pub(in crate::format) fn write(profile: &Profile, out: &mut Parts<'_>) {
    let threads = Thread::all(profile);
    let value_type = profile.value_type();
    let document = Document {
        schema: SCHEMA,
        name: format!("rperf ({})", value_type.kind),
        exporter: exporter(profile),
        active_profile_index: Thread::busiest(&threads),
        shared: Shared { frames: profile.functions.iter().map(Frame::of).collect() },
        profiles: threads.iter().map(|thread| ThreadProfile::of(profile, thread, &value_type)).collect(),
    };
    out.push_json(&document);
    out.push("\n");
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'p> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    name: String,
    exporter: String,
    active_profile_index: usize,
    shared: Shared<'p>,
    profiles: Vec<ThreadProfile<'p>>,
}

#[derive(Serialize)]
struct Shared<'p> {
    frames: Vec<Frame<'p>>,
}

#[derive(Serialize)]
struct Frame<'p> {
    name: &'p str,
    #[serde(skip_serializing_if = "str::is_empty")]
    file: &'p str,
    #[serde(skip_serializing_if = "is_unknown")]
    line: u32,
}

/// Takes a reference since serde passes fields by reference.
fn is_unknown(line: &u32) -> bool {
    *line == 0
}

impl<'p> Frame<'p> {
    fn of(function: &'p Function) -> Self {
        Self { name: name_of(&function.label), file: &function.path, line: function.start_line }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ThreadProfile<'p> {
    #[serde(rename = "type")]
    kind: &'static str,
    name: String,
    unit: &'static str,
    start_value: u64,
    end_value: u64,
    samples: Stacks<'p>,
    weights: Vec<u64>,
}

impl<'p> ThreadProfile<'p> {
    fn of(profile: &'p Profile, thread: &Thread<'p>, value_type: &ValueType) -> Self {
        let stretches = stretches(thread);
        Self {
            kind: "sampled",
            name: name(profile, thread),
            unit: unit(value_type),
            start_value: 0,
            end_value: stretches.iter().map(|stretch| stretch.end.0).max().unwrap_or(0),
            weights: stretches.iter().map(|stretch| (stretch.end - stretch.start).0).collect(),
            samples: Stacks { profile, samples: stretches.iter().map(|stretch| stretch.sample).collect() },
        }
    }
}

/// Returns the thread's title, with the command of its process if there are several.
fn name(profile: &Profile, thread: &Thread<'_>) -> String {
    let process = profile.process_of(thread.seq).filter(|_| profile.processes.len() > 1);
    let process = process.map(|process| format!(", {}", process.name())).unwrap_or_default();
    thread.title().to_owned() + &process
}

/// A stretch of a thread's time. `sample` is `None` where nothing was measured.
struct Stretch<'p> {
    start: Nanos,
    end: Nanos,
    sample: Option<&'p Sample>,
}

/// Returns the stretches of the whole time up to the last sample, in their order. Weight for which
/// a sample's own time has no room goes to the last time before it in which nothing was measured.
fn stretches<'p>(thread: &Thread<'p>) -> Vec<Stretch<'p>> {
    let (mut stretches, mut gaps, mut until) = (Vec::new(), Vec::new(), Nanos::ZERO);
    for (sample, (start, end)) in thread.samples.iter().zip(&thread.spans) {
        if *start > until {
            gaps.push((until, *start));
        }
        if end > start || sample.weight == Nanos::ZERO {
            stretches.push(Stretch { start: *start, end: *end, sample: Some(*sample) });
        }
        let mut left = sample.weight - (*end - *start);
        while left > Nanos::ZERO
            && let Some((from, end)) = gaps.pop()
        {
            let start = from.max(end - left);
            if start > from {
                gaps.push((from, start));
            }
            stretches.push(Stretch { start, end, sample: Some(*sample) });
            left = left - (end - start);
        }
        until = *end;
    }
    stretches.extend(gaps.into_iter().map(|(start, end)| Stretch { start, end, sample: None }));
    stretches.sort_by_key(|stretch| stretch.start);
    stretches
}

fn exporter(profile: &Profile) -> String {
    let timeline = if profile.meta.timeline { TIMELINE } else { "" };
    format!("rperf {}{timeline}", env!("CARGO_PKG_VERSION"))
}

/// Returns speedscope's name of the unit.
fn unit(value_type: &ValueType) -> &'static str {
    match value_type.unit.as_str() {
        ValueType::NANOSECONDS => "nanoseconds",
        "bytes" => "bytes",
        _ => "none",
    }
}

/// Stacks as lists of frame numbers, the root first. `None` is a stack without frames.
struct Stacks<'p> {
    profile: &'p Profile,
    samples: Vec<Option<&'p Sample>>,
}

impl Serialize for Stacks<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.samples.iter().map(|sample| {
            let stack = sample.map_or(&[][..], |sample| self.profile.stack(sample)).iter().rev();
            stack.map(|at| self.profile.locations[at.index()].function.0).collect::<Vec<_>>()
        }))
    }
}
