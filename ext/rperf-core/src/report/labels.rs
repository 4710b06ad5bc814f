//! The labels with the weight of each value, as in `go tool pprof -tags`.

use std::collections::BTreeMap;

use serde::Serialize;

use super::json::Weighed;
use super::notation::Notation;
use super::scene::Scene;
use super::{Layout, json};
use crate::profile::{LabelUnits, Profile, SampleLabels};
use crate::unit::{label, share};

/// Weight by key and value.
type Keys<'p> = BTreeMap<&'p str, BTreeMap<String, i64>>;

/// Writes the view `--labels`.
pub(super) fn write(scene: &Scene<'_>) -> String {
    let keys = collect(scene.target(), &scene.report.unit);
    match scene.report.layout {
        Layout::Text => keys.iter().map(|(key, values)| block(scene, key, values)).collect(),
        Layout::Json => json::document(scene, Labels { labels: keys.iter().map(Key::of).collect() }),
    }
}

pub(super) fn collect<'p>(profile: &'p Profile, unit: &str) -> Keys<'p> {
    let units = LabelUnits::of(profile);
    let mut keys = Keys::new();
    for sample in profile.samples.iter().filter(|sample| sample.stack_len > 0) {
        let weight = sample.weight.0 as i64;
        for (key, value) in as_texts(profile.labels(sample), units, unit) {
            *keys.entry(key).or_default().entry(value).or_default() += weight;
        }
    }
    keys
}

/// Returns the labels of a sample as texts: text labels first, then numeric labels in `unit`.
pub(super) fn as_texts<'p>(
    labels: SampleLabels<'p>,
    units: LabelUnits<'p>,
    unit: &str,
) -> impl Iterator<Item = (&'p str, String)> {
    let texts = labels.texts().map(|(key, text)| (key, text.to_owned()));
    let numbers = labels.numbers();
    texts.chain(numbers.map(move |(key, number)| (key, label(number, units.inferred(key), unit))))
}

/// Returns the values, the heaviest first.
fn sorted(values: &BTreeMap<String, i64>) -> Vec<(&str, i64)> {
    let mut sorted: Vec<_> = values.iter().map(|(value, weight)| (value.as_str(), *weight)).collect();
    // The sort is stable: values of equal weight stay in the order of their names.
    sorted.sort_by_key(|(_, weight)| std::cmp::Reverse(*weight));
    sorted
}

/// Formats a key with its values, followed by an empty line.
fn block(scene: &Scene<'_>, key: &str, values: &BTreeMap<String, i64>) -> String {
    let paint = scene.report.paint;
    let total: i64 = values.values().sum();
    let rows: Vec<_> = sorted(values)
        .into_iter()
        .map(|(value, weight)| (figures(&scene.notation, weight, total), value, weight))
        .collect();
    let key = format!("{key}:");
    let key_width = key.chars().count() + 1;
    let width = rows.iter().map(|(figures, ..)| figures.chars().count()).max().unwrap_or(0) + 1;
    let mut out =
        format!(" {} Total {}\n", paint.heading(&paint.foreign(&key)), scene.notation.one_decimal(total));
    for (figures, value, weight) in rows {
        let value = paint.value(value, key_width + width + 1);
        let figures = format!("{figures:>width$}");
        let figures = paint.by_share(&figures, weight, total);
        out.push_str(&format!("{:key_width$}{figures} {value}\n", ""));
    }
    out.push('\n');
    out
}

fn figures(notation: &Notation, weight: i64, total: i64) -> String {
    let weight_text = notation.one_decimal(weight);
    match total {
        1.. => format!("{weight_text} ({}):", share(weight, total)),
        _ => format!("{weight_text}:"),
    }
}

#[derive(Serialize)]
struct Labels<'a> {
    labels: Vec<Key<'a>>,
}

#[derive(Serialize)]
struct Key<'a> {
    key: &'a str,
    weight: i64,
    values: Vec<Weighed<'a>>,
}

impl<'a> Key<'a> {
    fn of((key, values): (&&'a str, &'a BTreeMap<String, i64>)) -> Self {
        let weighed = |(name, weight)| Weighed { name, weight };
        Self { key, weight: values.values().sum(), values: sorted(values).into_iter().map(weighed).collect() }
    }
}
