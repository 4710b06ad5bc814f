//! Samples for scripts.
//!
//! The layout is that of all JSON of reports, but written by hand: with serde each frame is some
//! thirty calls.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::labels::LabelTexts;
use super::samples;
use crate::parts::Parts;
use crate::profile::{Function, Profile, Sample, SampleLabels};
use crate::report::json;
use crate::report::scene::Scene;
use crate::report::weights::name_of;

pub(super) fn write(scene: &Scene<'_>, parts: &mut Parts<'_>) {
    json::write_with_list(scene, "samples", parts, |parts| write_samples(scene.target(), parts));
}

/// The elements of the list.
fn write_samples(profile: &Profile, parts: &mut Parts<'_>) {
    let frames: Vec<String> = profile.functions.iter().map(frame).collect();
    let mut labels = LabelTexts::new(|labels| pretty(&by_key(labels), "      "));
    let mut before = "\n    {";
    for sample in samples(profile) {
        if parts.are_unwanted() {
            return;
        }
        parts.push(before);
        before = ",\n    {";
        parts.push("\n      \"weight\": ");
        parts.push_number(sample.weight.0);
        parts.push(",\n      \"count\": ");
        parts.push_number(sample.count);
        parts.push(",\n      \"labels\": ");
        parts.push(labels.of(profile, sample));
        parts.push(",\n      \"stack\": [");
        write_stack(profile, sample, &frames, parts);
        parts.push("\n      ]\n    }");
    }
}

/// The frames, the leaf first.
fn write_stack(profile: &Profile, sample: &Sample, frames: &[String], parts: &mut Parts<'_>) {
    let mut before = BETWEEN.len();
    for at in profile.stack(sample) {
        let location = profile.locations[at.index()];
        parts.push(&frames[location.function.index()][before..]);
        parts.push_number(location.line);
        before = 0;
    }
    if before == 0 {
        parts.push(END);
    }
}

/// The end of a frame, and what is between two.
const END: &str = "\n        }";
const BETWEEN: &str = "\n        },";

/// A frame of a function up to its line, behind another frame.
fn frame(function: &Function) -> String {
    let (name, path) = (pretty(name_of(&function.label), ""), pretty(&function.path, ""));
    format!(
        "{BETWEEN}\n        {{\n          \"name\": {name},\n          \"path\": {path},\n          \"line\": "
    )
}

/// JSON whose lines stand this far to the right. No text in it has a line break.
fn pretty<Fields: Serialize + ?Sized>(fields: &Fields, indent: &str) -> String {
    let text = serde_json::to_string_pretty(fields).expect("numbers and texts can be written as JSON");
    text.replace('\n', &format!("\n{indent}"))
}

/// Lists, since a key may come twice.
fn by_key(labels: SampleLabels<'_>) -> BTreeMap<&str, Vec<Value>> {
    let mut keys: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for (key, text) in labels.texts() {
        keys.entry(key).or_default().push(text.into());
    }
    for (key, number) in labels.numbers() {
        keys.entry(key).or_default().push(number.into());
    }
    keys
}
