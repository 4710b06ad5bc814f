//! Labels on their way to a store.

use rperf_core::ids::ThreadSeq;
use rperf_core::profile::{Builder, Label, LabelValue, Losses, Meta, StoreLimits};
use rperf_core::time::Nanos;

use crate::fixture::text;
use crate::store::wide;

#[test]
fn labels_are_as_every_store_takes_them() {
    let mut builder = Builder::new(Meta::default());
    let long = "é".repeat(1_500);
    let number = Label { key: "age".to_owned(), value: LabelValue::Number(3) };
    let labels = [text("http.route", "x"), text("2nd", "y"), text("no", ""), text("long", &long), number];
    let labels = builder.intern_label_set(&labels);
    builder.push(&[], Nanos(4), 1, ThreadSeq(7), labels);
    let (stored, _) = builder.build().for_store(&wide());
    let cut = &long[..2_048];
    let expected = [text("_2nd", "y"), text("http_route", "x"), text("long", cut)];
    assert_eq!(stored.label_sets[stored.samples[0].label_set.index()], expected);
    assert_eq!(stored.samples[0].thread_seq, ThreadSeq(0));
}

/// The labels of one sample in a store, and the losses.
fn stored_labels(given: &[Label], limits: &StoreLimits) -> (Vec<Label>, Losses) {
    let mut builder = Builder::new(Meta::default());
    let labels = builder.intern_label_set(given);
    builder.push(&[], Nanos(4), 1, ThreadSeq(1), labels);
    let (stored, losses) = builder.build().for_store(limits);
    (stored.label_sets[stored.samples[0].label_set.index()].clone(), losses)
}

#[test]
fn what_is_denied_is_so_by_the_key_in_the_store_too() {
    let given = [text("http.route", "a"), text("trace.id", "b"), text("trace_id", "c"), text("x", "y")];
    for deny in [["http_route", "trace_id"], ["http.route", "trace.id"]] {
        let deny = deny.map(str::to_owned).to_vec();
        let (labels, losses) = stored_labels(&given, &StoreLimits { deny, ..wide() });
        assert_eq!((labels, losses), (vec![text("x", "y")], Losses::default()));
    }
}

#[test]
fn what_is_no_id_of_a_trace_gets_another_key() {
    let (trace, span) = ("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7");
    for (key, id) in [("trace_id", trace), ("trace.id", trace), ("span_id", span)] {
        let (labels, losses) = stored_labels(&[text(key, id)], &wide());
        assert_eq!((labels, losses), (vec![text(&key.replace('.', "_"), id)], Losses::default()));
    }
    let given =
        [text("trace.id", "abc"), text("trace_id", trace), text("span_id", "é"), text("profile_id", span)];
    let (labels, losses) = stored_labels(&given, &wide());
    let expected =
        [text("profile_id_", span), text("span_id_", "é"), text("trace_id", trace), text("trace_id_", "abc")];
    assert_eq!(labels, expected);
    let renamed = ["profile_id", "span_id", "trace.id"].map(|key| (key.to_owned(), 1)).into();
    assert_eq!(losses, Losses { renamed, ..Losses::default() });
    let mut builder = Builder::new(Meta::default());
    for n in 0..30 {
        let labels = builder.intern_label_set(&[text("trace_id", &n.to_string()), text("n", &n.to_string())]);
        builder.push(&[], Nanos(1), 1, ThreadSeq(n), labels);
    }
    let stored = builder.build().for_store(&StoreLimits { values: 40, ..wide() }).0;
    let comment = "renamed: 30 values of label trace_id, which are no ids of traces";
    assert_eq!(stored.meta.comments, [comment]);
}
