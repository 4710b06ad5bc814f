//! All samples as JSON, for scripts.
//!
//! The layout is that of all JSON of reports, but the text is built without serde, which makes
//! about thirty calls for each frame.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::labels::LabelTexts;
use super::samples;
use crate::parts::Parts;
use crate::profile::{Function, Profile, Sample, SampleLabels, name_of};
use crate::report::json;
use crate::report::scene::Scene;

pub(super) fn write(scene: &Scene<'_>, parts: &mut Parts<'_>) {
    json::write_with_list(scene, "samples", parts, |parts| write_samples(scene.target(), parts));
}

/// Writes the elements of the list.
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

/// Writes the frames of a sample, the leaf first.
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

/// End of the last frame of a stack, and text between two frames.
const END: &str = "\n        }";
const BETWEEN: &str = "\n        },";

/// Returns a function's frame up to the line number, with the separator from the frame before.
fn frame(function: &Function) -> String {
    let (name, path) = (pretty(name_of(&function.label), ""), pretty(&function.path, ""));
    format!(
        "{BETWEEN}\n        {{\n          \"name\": {name},\n          \"path\": {path},\n          \"line\": "
    )
}

/// Returns JSON whose lines are indented by `indent`. Texts in JSON have no line breaks.
fn pretty<Fields: Serialize + ?Sized>(fields: &Fields, indent: &str) -> String {
    let text = serde_json::to_string_pretty(fields).expect("numbers and texts can be written as JSON");
    text.replace('\n', &format!("\n{indent}"))
}

/// Returns the values of each label as a list, since a key may occur more than once.
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
