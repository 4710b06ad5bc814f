//! Profiles with a further comment and a label.

use rperf_core::ids::{LabelSetId, ThreadSeq};
use rperf_core::profile::{Builder, Label, LabelValue, Profile};
use rperf_core::state::Mode;
use rperf_core::time::Nanos;

use crate::fixture::{self, frame};

fn label(key: &str, text: &str) -> Label {
    Label { key: key.to_owned(), value: LabelValue::Text(text.to_owned()) }
}

/// A sample without labels, and one with these.
fn profile(labels: Vec<Label>) -> Profile {
    let mut builder = Builder::new(fixture::meta(Mode::Wall));
    let leaf = frame(&mut builder, "a.rb", "A#a", 1, 1);
    let set = builder.intern_label_set(&labels);
    builder.push(&[leaf], Nanos(10), 1, ThreadSeq(1), LabelSetId(0));
    builder.push(&[leaf], Nanos(20), 1, ThreadSeq(1), set);
    builder.build()
}

#[test]
fn every_sample_has_the_label_once_and_keeps_its_others() {
    let marked = profile(vec![label("endpoint", "GET /"), label("recording", "old")]).marked(
        "why".to_owned(),
        "recording",
        "slow",
    );
    let labels: Vec<_> = marked
        .samples
        .iter()
        .map(|sample| (sample.weight.0, &marked.label_sets[sample.label_set.index()]))
        .collect();
    let mark = label("recording", "slow");
    assert_eq!(labels, [(10, &vec![mark.clone()]), (20, &vec![label("endpoint", "GET /"), mark])]);
    assert_eq!(marked.meta.comments.last().map(String::as_str), Some("why"));
}
