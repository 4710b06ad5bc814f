//! All samples as text, for people.

use std::collections::BTreeMap;

use super::labels::LabelTexts;
use super::samples;
use crate::parts::Parts;
use crate::profile::{LabelUnits, Profile, Sample, SampleLabels, name_of};
use crate::report::around;
use crate::report::scene::Scene;
use crate::unit::{MINIMUM, label};

const SEPARATOR: &str = "-----------+-------------------------------------------------------";

/// Empty column of weights, beside all frames but the leaf.
const NO_WEIGHT: &str = "          ";

pub(super) fn write(scene: &Scene<'_>, parts: &mut Parts<'_>) {
    let profile = scene.target();
    let paint = scene.report.paint;
    let lines = lines(scene, profile);
    let separator = format!("{}\n", paint.faint(SEPARATOR));
    let mut labels = LabelTexts::new(|labels| {
        let lines = label_lines(labels, LabelUnits::of(profile));
        let line = |line: &String| {
            let (key, value) = line.split_at(line.find(":  ").map_or(0, |at| at + 3));
            format!("{}{}\n", paint.foreign(key), paint.value(value, key.chars().count()))
        };
        lines.iter().map(line).collect()
    });
    let head = match paint.is_terminal() {
        true => around::above(scene, &scene.notation),
        false => scene.head.lines(&scene.notation),
    };
    parts.push(around::head_text(scene, &head));
    for (number, sample) in samples(profile).enumerate() {
        if parts.are_unwanted() {
            return;
        }
        // On a terminal, as few lines as possible come before the first stack.
        if number > 0 || !paint.is_terminal() {
            parts.push(&separator);
        }
        parts.push(labels.of(profile, sample));
        parts.push(format!("{:>10}", scene.notation.format(sample.weight.0 as i64)));
        write_stack(profile, sample, &lines, parts);
    }
    parts.push(&separator);
}

/// Returns the text line of each function.
fn lines(scene: &Scene<'_>, profile: &Profile) -> Vec<String> {
    let name = |label| scene.report.paint.name(name_of(label), NO_WEIGHT.len() + 3);
    profile.functions.iter().map(|function| format!("{NO_WEIGHT}   {}\n", name(&function.label))).collect()
}

/// Writes the frames of a sample. Its weight has been written in front of the first frame.
fn write_stack(profile: &Profile, sample: &Sample, lines: &[String], parts: &mut Parts<'_>) {
    let mut written = NO_WEIGHT.len();
    for at in profile.stack(sample) {
        let line = &lines[profile.locations[at.index()].function.index()];
        parts.push(&line[written..]);
        written = 0;
    }
}

/// Returns a line for each key: text labels first, then numeric labels, each group sorted.
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
