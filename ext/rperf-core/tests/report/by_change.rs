//! `--by KEY` of a difference.

use std::sync::Arc;

use rperf_core::ids::{LabelSetId, ThreadSeq};
use rperf_core::profile::{Builder, Comparison, Label, LabelValue, Meta, Profile};
use rperf_core::query::QueryOptions;
use rperf_core::report::{Layout, Report, ReportError, ReportOptions, Subject, Surroundings, Terminal, View};
use rperf_core::time::Nanos;
use rperf_core::work::{Figures, Kind};
use serde_json::{Value, json};

use crate::written::write_report;

/// Ticks of two endpoints and of time without one, and so many units of the first one.
fn server(list: u64, show: u64, units: u64) -> Profile {
    let mut builder = Builder::new(Meta { frequency: 1000, ..Meta::default() });
    let function = builder.intern_function("app.rb", "App#call", 0);
    let location = builder.intern_location(function, 1);
    let mut label = |value: &str| {
        let value = LabelValue::Text(value.to_owned());
        builder.intern_label_set(&[Label { key: "endpoint".to_owned(), value }])
    };
    let sets = [label("GET /posts"), label("GET /posts/:id"), LabelSetId(0)];
    for (set, ticks) in sets.into_iter().zip([list, show, 1000]) {
        builder.push(&[location], Nanos(ticks * 1_000_000), ticks, ThreadSeq(1), set);
    }
    let mut profile = builder.build();
    let unit = Figures { units: 1, wall: Nanos(list * 1_000_000 / units), ..Figures::default() };
    (0..units).for_each(|_| {
        Arc::make_mut(&mut profile.ledger).add(Kind::Request, "GET /posts", "endpoint", &unit);
    });
    profile
}

fn written(bases: &[Profile], targets: &[Profile], options: &ReportOptions) -> Result<String, ReportError> {
    let [bases, targets] = [bases, targets].map(|side| side.iter().collect::<Vec<_>>());
    let Comparison { base, target } = Comparison::of(&bases, &targets).expect("they measure the same");
    let report = Report::parse(options).expect("the options make sense");
    let subject = Subject::difference(&base, &target);
    write_report(&report, &subject, Surroundings::default()).map(|written| written.text)
}

fn by(key: &str) -> ReportOptions {
    ReportOptions { view: View::By(key.to_owned()), ..ReportOptions::default() }
}

#[test]
fn a_narrow_terminal_has_fewer_figures_of_units() {
    let sides = [[server(1000, 4000, 10)], [server(4000, 4100, 20)]];
    for (columns, names) in [(80, 0), (110, 1), (130, 2), (200, 3)] {
        let terminal = Some(Terminal { colour: false, columns: Some(columns) });
        let text = written(&sides[0], &sides[1], &ReportOptions { terminal, ..by("endpoint") });
        let text = text.expect("it can be written");
        assert!(text.lines().all(|line| line.chars().count() <= columns), "{text}");
        let shown = ["units", "mean", "p95"].map(|name| text.contains(&format!(" {name} ")));
        assert_eq!(shown, [3, 2, 1].map(|least| names >= least), "{text}");
    }
}

fn json(bases: &[Profile], targets: &[Profile], options: ReportOptions) -> Value {
    let options = ReportOptions { layout: Layout::Json, ..options };
    serde_json::from_str(&written(bases, targets, &options).expect("it can be written")).expect("it is JSON")
}

#[test]
fn each_value_before_and_after_with_its_units() {
    let text = written(&[server(1000, 4000, 10)], &[server(4000, 4100, 20)], &by("endpoint"));
    let text = text.expect("it can be written");
    let expected = [
        "n = 6000 and 9100 ticks: 1 of 2 values changed beyond chance (*)",
        "before      after      change  of all          ±      units      after       mean      after        p95      after  endpoint",
    ];
    assert!(expected.iter().all(|line| text.contains(line)), "{text}");
    let cells = |name: &str| {
        let line = text.lines().find(|line| line.ends_with(&format!("  {name}"))).expect("it has a row");
        line.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    let list = cells("GET /posts");
    assert_eq!(list[..4], ["1s", "4s", "+3s*", "50.00%"], "{text}");
    assert_eq!(list[5..9], ["10", "20", "100ms", "200ms"], "{text}");
    assert_eq!(cells("GET /posts/:id")[5..11], ["-"; 6], "{text}");
    assert_eq!(cells("(not set)")[..3], ["1s", "1s", "0"], "{text}");
}

#[test]
fn for_scripts_the_same_in_nanoseconds() {
    let document = json(&[server(1000, 4000, 10)], &[server(4000, 4100, 20)], by("endpoint"));
    let list = &document["values"][0];
    assert_eq!(
        [&list["name"], &list["before"], &list["after"], &list["change"], &list["beyond_chance"]],
        [
            &json!("GET /posts"),
            &json!(1_000_000_000_u64),
            &json!(4_000_000_000_u64),
            &json!(3_000_000_000_u64),
            &json!(true)
        ]
    );
    assert_eq!(list["units_before"]["units"], 10);
    assert_eq!(list["units_after"]["mean_ns"], 200_000_000);
    assert_eq!(document["values"][1]["units_after"], Value::Null);
    assert_eq!((&document["not_set"]["change"], &document["key"]), (&json!(0), &json!("endpoint")));
}

#[test]
fn several_files_of_a_side_are_their_mean() {
    let base = [server(1000, 4000, 10), server(1100, 4200, 12), server(900, 4100, 11)];
    let document = json(&base, &base, by("endpoint"));
    for row in document["values"].as_array().expect("it has rows") {
        assert_eq!((&row["change"], &row["beyond_chance"]), (&json!(0), &json!(false)));
    }
    let list =
        document["values"].as_array().and_then(|rows| rows.iter().find(|row| row["name"] == "GET /posts"));
    let list = list.expect("it has a row");
    assert_eq!([&list["before"], &list["units_before"]["units"]], [&json!(1_000_000_000_u64), &json!(11)]);
}

#[test]
fn a_filter_keeps_what_it_selects() {
    let query = QueryOptions { tagfocus: Some("endpoint=GET /posts$".to_owned()), ..QueryOptions::default() };
    let document =
        json(&[server(100, 400, 1)], &[server(100, 400, 1)], ReportOptions { query, ..by("endpoint") });
    assert_eq!(document["values"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_label_that_neither_has_is_an_error() {
    let error = written(&[server(100, 400, 1)], &[server(100, 400, 1)], &by("job"));
    let known = ["endpoint", "thread_seq"].map(str::to_owned).to_vec();
    assert_eq!(error, Err(ReportError::NoLabel { key: "job".to_owned(), known }));
}
