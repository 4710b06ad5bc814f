//! All samples with their labels, as in `go tool pprof -traces`.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Serialize;
use serde_json::Value;

use super::scene::Scene;
use super::top::head_text;
use super::weights::name_of;
use super::{Layout, json};
use crate::profile::{LabelUnits, Profile, Sample, SampleLabels};
use crate::unit::{MINIMUM, label};

const SEPARATOR: &str = "-----------+-------------------------------------------------------";

/// `--traces`.
pub(super) fn write(scene: &Scene<'_>) -> String {
    match scene.report.layout {
        Layout::Text => text(scene),
        Layout::Json => json::document(scene, Traces::of(scene.target())),
    }
}

/// The samples that have a stack and are not empty.
fn samples(profile: &Profile) -> impl Iterator<Item = &Sample> {
    profile
        .samples
        .iter()
        .filter(|sample| sample.stack_len > 0 && (sample.weight.0 != 0 || sample.count != 0))
}

fn text(scene: &Scene<'_>) -> String {
    let profile = scene.target();
    let paint = scene.report.paint;
    let mut out = head_text(scene, &scene.head.lines(&scene.notation));
    let separator = format!("{}\n", paint.faint(SEPARATOR));
    for sample in samples(profile) {
        out.push_str(&separator);
        for line in label_lines(profile.labels(sample), LabelUnits::of(profile)) {
            out.push_str(&paint.foreign(&line));
            out.push('\n');
        }
        let weight = sample.weight.0 as i64;
        let mut weight = format!("{:>10}", scene.notation.format(weight));
        for at in profile.stack(sample) {
            let name = paint.foreign(name_of(&profile.function_at(*at).label));
            writeln!(out, "{weight}   {name}").expect("writing to memory cannot fail");
            weight = " ".repeat(10);
        }
    }
    out.push_str(&separator);
    out
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
    samples: Vec<Trace<'a>>,
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

impl<'a> Traces<'a> {
    fn of(profile: &'a Profile) -> Self {
        let frame = |at: &crate::ids::LocationId| {
            let function = profile.function_at(*at);
            Frame {
                name: name_of(&function.label),
                path: &function.path,
                line: profile.locations[at.index()].line,
            }
        };
        let trace = |sample: &Sample| Trace {
            weight: sample.weight.0,
            count: sample.count,
            labels: label_values(profile.labels(sample)),
            stack: profile.stack(sample).iter().map(frame).collect(),
        };
        Self { samples: samples(profile).map(trace).collect() }
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
