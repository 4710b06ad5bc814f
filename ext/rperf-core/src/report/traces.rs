//! All samples with their labels, as in `go tool pprof -traces`.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};
use serde_json::Value;

use super::scene::Scene;
use super::top::head_text;
use super::weights::name_of;
use super::{Layout, json};
use crate::parts::Parts;
use crate::profile::{LabelUnits, Profile, Sample, SampleLabels};
use crate::unit::{MINIMUM, label};

const SEPARATOR: &str = "-----------+-------------------------------------------------------";

/// `--traces`.
pub(super) fn write(scene: &Scene<'_>, parts: &mut Parts<'_>) {
    match scene.report.layout {
        Layout::Text => text(scene, parts),
        Layout::Json => json::write(scene, Traces { samples: Samples(scene.target()) }, parts),
    }
}

/// The samples that have a stack and are not empty.
fn samples(profile: &Profile) -> impl Iterator<Item = &Sample> {
    profile
        .samples
        .iter()
        .filter(|sample| sample.stack_len > 0 && (sample.weight.0 != 0 || sample.count != 0))
}

fn text(scene: &Scene<'_>, parts: &mut Parts<'_>) {
    let profile = scene.target();
    let paint = scene.report.paint;
    let names: Vec<_> =
        profile.functions.iter().map(|function| paint.foreign(name_of(&function.label))).collect();
    let separator = format!("{}\n", paint.faint(SEPARATOR));
    parts.push(&head_text(scene, &scene.head.lines(&scene.notation)));
    for sample in samples(profile) {
        if parts.are_unwanted() {
            return;
        }
        parts.push(&separator);
        for line in label_lines(profile.labels(sample), LabelUnits::of(profile)) {
            parts.push(&*paint.foreign(&line));
            parts.push("\n");
        }
        let weight = format!("{:>10}", scene.notation.format(sample.weight.0 as i64));
        let mut before = weight.as_str();
        for at in profile.stack(sample) {
            let name = &names[profile.locations[at.index()].function.index()];
            [before, "   ", name, "\n"].into_iter().for_each(|piece| parts.push(piece));
            before = "          ";
        }
    }
    parts.push(&separator);
}

/// A line for each key: those of texts, then those of numbers, each by name.
fn label_lines(labels: SampleLabels<'_>, units: LabelUnits<'_>) -> Vec<String> {
    let texts = labels.texts().map(|(key, text)| (key, text.to_owned()));
    let numbers = labels.numbers().map(|(key, number)| (key, label(number, units.inferred(key), MINIMUM)));
    let mut lines = lines_by_key(texts);
    lines.extend(lines_by_key(numbers));
    lines
}

fn lines_by_key<'p>(labels: impl Iterator<Item = (&'p str, String)>) -> Vec<String> {
    let mut keys: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (key, value) in labels {
        keys.entry(key).or_default().push(value);
    }
    let mut lines: Vec<_> =
        keys.into_iter().map(|(key, values)| format!("{key:>10}:  {}", values.join(" "))).collect();
    lines.sort_unstable();
    lines
}

#[derive(Serialize)]
struct Traces<'a> {
    samples: Samples<'a>,
}

/// A list of samples that is made while it is written.
struct Samples<'a>(&'a Profile);

impl Serialize for Samples<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(samples(self.0).map(|sample| Trace::of(self.0, sample)))
    }
}

#[derive(Serialize)]
struct Trace<'a> {
    weight: u64,
    count: u64,
    /// Lists, since a key may come twice.
    labels: BTreeMap<&'a str, Vec<Value>>,
    /// The leaf first.
    stack: Vec<Frame<'a>>,
}

#[derive(Serialize)]
struct Frame<'a> {
    name: &'a str,
    path: &'a str,
    line: u32,
}

impl<'a> Trace<'a> {
    fn of(profile: &'a Profile, sample: &Sample) -> Self {
        let frame = |at: &crate::ids::LocationId| {
            let function = profile.function_at(*at);
            Frame {
                name: name_of(&function.label),
                path: &function.path,
                line: profile.locations[at.index()].line,
            }
        };
        Self {
            weight: sample.weight.0,
            count: sample.count,
            labels: label_values(profile.labels(sample)),
            stack: profile.stack(sample).iter().map(frame).collect(),
        }
    }
}

fn label_values(labels: SampleLabels<'_>) -> BTreeMap<&str, Vec<Value>> {
    let mut keys: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for (key, text) in labels.texts() {
        keys.entry(key).or_default().push(text.into());
    }
    for (key, number) in labels.numbers() {
        keys.entry(key).or_default().push(number.into());
    }
    keys
}
