//! Profiles with a further comment and a label.

use rperf_core::ids::{LabelSetId, ThreadSeq};
use rperf_core::profile::{Builder, Label, LabelValue, Profile, Thread};
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
    let mut marked = profile(vec![label("endpoint", "GET /"), label("recording", "old")]);
    marked.mark("why".to_owned(), "recording", "slow");
    let labels: Vec<_> = marked
        .samples
        .iter()
        .map(|sample| (sample.weight.0, &marked.label_sets[sample.label_set.index()]))
        .collect();
    let mark = label("recording", "slow");
    assert_eq!(labels, [(10, &vec![mark.clone()]), (20, &vec![label("endpoint", "GET /"), mark])]);
    assert_eq!(marked.meta.comments.last().map(String::as_str), Some("why"));
}

#[test]
fn samples_of_a_thread_with_a_label_get_another() {
    let mut profile = profile(vec![label("endpoint", "GET /")]);
    let thread = |seq, native_id| Thread { seq: ThreadSeq(seq), native_id, ..Thread::default() };
    profile.threads = vec![thread(1, 77), thread(2, 78)];
    let elsewhere = profile.samples[1].clone();
    profile.samples.push(elsewhere);
    profile.samples[2].thread_seq = ThreadSeq(2);
    let marked = profile.marked_where(77, &label("endpoint", "GET /"), "unit", "slow");
    let labels: Vec<_> =
        marked.samples.iter().map(|sample| marked.label_sets[sample.label_set.index()].clone()).collect();
    let endpoint = label("endpoint", "GET /");
    assert_eq!(labels, [vec![], vec![endpoint.clone(), label("unit", "slow")], vec![endpoint]]);
}
