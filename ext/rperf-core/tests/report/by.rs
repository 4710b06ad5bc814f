//! `--by KEY`.

use std::borrow::Cow;
use std::sync::Arc;

use rperf_core::ids::{LabelSetId, ThreadSeq};
use rperf_core::profile::{Builder, Label, LabelValue, Profile, state_totals};
use rperf_core::query::{Query, QueryOptions};
use rperf_core::report::{Layout, ReportOptions, Terminal, View};
use rperf_core::state::{Mode, VmState};
use rperf_core::time::Nanos;
use rperf_core::work::{Figures, Kind};
use serde_json::Value;

use crate::fixture::{frame, meta};
use crate::support::{text, view, write};

/// Two endpoints, and time without one.
fn server() -> Profile {
    let mut builder = Builder::new(meta(Mode::Wall));
    let mut method = |name: &str| frame(&mut builder, "app.rb", name, 1, 2);
    let [query, render, main] = ["Db#query", "View#render", "<main>"].map(&mut method);
    let states = VmState::ALL.map(|state| {
        state.path().zip(state.label()).map(|(path, label)| frame(&mut builder, path, label, 0, 0))
    });
    let mut label = |value: &str| {
        let value = LabelValue::Text(value.to_owned());
        builder.intern_label_set(&[Label { key: "endpoint".to_owned(), value }])
    };
    let [list, show] = ["GET /posts", "GET /posts/:id"].map(&mut label);
    let mut push = |labels: LabelSetId, state: VmState, method, millis: u64| {
        let stack: Vec<_> = states[state as usize].into_iter().chain([method, main]).collect();
        builder.push(&stack, Nanos(millis * 1_000_000), 1, ThreadSeq(1), labels);
    };
    push(list, VmState::Running, render, 25);
    push(list, VmState::CpuWait, render, 5);
    push(list, VmState::GvlBlocked, query, 20);
    push(list, VmState::GvlWait, render, 10);
    push(show, VmState::Running, query, 70);
    push(show, VmState::GvlBlocked, query, 50);
    push(show, VmState::GcMark, render, 15);
    push(show, VmState::GcSweep, render, 5);
    push(LabelSetId(0), VmState::Running, main, 100);
    builder.build()
}

fn by(key: &str) -> ReportOptions {
    view(View::By(key.to_owned()))
}

#[test]
fn each_value_has_a_row_with_what_it_did() {
    let expected = "\
     total  share    running   runnable   GVL wait    blocked  collector  endpoint        heaviest method
     140ms 70.00%       70ms          0          0       50ms       20ms  GET /posts/:id  Db#query (85.71%)
      60ms 30.00%       25ms        5ms       10ms       20ms          0  GET /posts      View#render (66.67%)
     100ms      -      100ms          0          0          0          0  (not set)       <main> (100%)
";
    let report = text(&server(), &by("endpoint"));
    assert!(report.ends_with(expected), "{report}");
}

#[test]
fn a_label_that_is_the_leaf_changes_no_state() {
    let totals = |tagleaf: &str| {
        let query = QueryOptions { tagleaf: Some(tagleaf.to_owned()), ..QueryOptions::default() };
        let document = text(&server(), &ReportOptions { query, layout: Layout::Json, ..by("endpoint") });
        let document: Value = serde_json::from_str(&document).expect("it is JSON");
        ["running", "runnable", "gvl_wait", "blocked", "collector"]
            .map(|state| document["values"][0][state].as_u64().expect("it is a number") / 1_000_000)
    };
    assert_eq!(totals(""), [70, 0, 0, 50, 20]);
    assert_eq!(["endpoint", "thread_seq,endpoint"].map(totals), [totals(""); 2]);
    let options = QueryOptions { tagleaf: Some("endpoint".to_owned()), ..QueryOptions::default() };
    let query = Query::parse(&options).expect("the key makes sense");
    let shown = query.apply(Cow::Owned(server())).profile;
    assert_eq!((shown.tick_count(), shown.event_count()), (server().tick_count(), server().event_count()));
    assert_eq!(state_totals(&shown), state_totals(&server()));
}

#[test]
fn without_a_row_for_what_is_not_set_where_all_has_the_label() {
    let query = QueryOptions { tagfocus: Some("endpoint=GET /posts$".to_owned()), ..QueryOptions::default() };
    let report = text(&server(), &ReportOptions { query, ..by("endpoint") });
    assert!(report.contains("60ms   100%") && !report.contains("(not set)"), "{report}");
}

#[test]
fn units_of_work_have_columns_of_their_own() {
    let mut profile = server();
    let unit = |millis: u64| Figures { units: 1, wall: Nanos(millis * 1_000_000), ..Figures::default() };
    for (name, millis) in [("GET /posts", 20), ("GET /posts", 40), ("GET /fast", 1)] {
        Arc::make_mut(&mut profile.ledger).add(Kind::Request, name, "endpoint", &unit(millis));
    }
    Arc::make_mut(&mut profile.ledger).add(Kind::Job, "GET /posts/:id", "job", &unit(5));
    let report = text(&profile, &by("endpoint"));
    let expected = "\
     total  share    running   runnable   GVL wait    blocked  collector      units       mean        p95  endpoint        heaviest method
     140ms 70.00%       70ms          0          0       50ms       20ms          -          -          -  GET /posts/:id  Db#query (85.71%)
      60ms 30.00%       25ms        5ms       10ms       20ms          0          2       30ms    39.91ms  GET /posts      View#render (66.67%)
         0     0%          0          0          0          0          0          1        1ms        1ms  GET /fast    \x20
     100ms      -      100ms          0          0          0          0          -          -          -  (not set)       <main> (100%)
";
    assert!(report.ends_with(expected), "{report}");
    let report = text(&profile, &ReportOptions { layout: Layout::Json, ..by("endpoint") });
    let document: serde_json::Value = serde_json::from_str(&report).expect("it is JSON");
    let posts = &document["values"][1];
    assert_eq!(
        (&posts["units"], &posts["errors"], &posts["mean_ns"]),
        (&2.into(), &0.into(), &30_000_000.into())
    );
    assert_eq!(document["values"][0].get("units"), None);
    assert_eq!(
        (&document["values"][2]["name"], &document["values"][2]["units"]),
        (&"GET /fast".into(), &1.into())
    );
    let query = QueryOptions { tagfocus: Some("endpoint=GET /posts$".to_owned()), ..QueryOptions::default() };
    let report = text(&profile, &ReportOptions { query, ..by("endpoint") });
    assert!(report.contains(" GET /posts ") && !report.contains("GET /fast"), "{report}");
}

#[test]
fn units_that_no_tick_has_met_have_rows_where_no_sample_has_the_label() {
    let mut profile = Builder::new(meta(Mode::Cpu)).build();
    let unit = Figures { units: 3, ..Figures::default() };
    Arc::make_mut(&mut profile.ledger).add(Kind::Request, "GET /health", "endpoint", &unit);
    let report = text(&profile, &by("endpoint"));
    assert!(report.lines().any(|line| line.contains("  3 ") && line.contains("GET /health")), "{report}");
}

#[test]
fn rows_are_as_wide_as_the_terminal() {
    let mut profile = server();
    let long = "GET /admin/customers/:customer_id/orders/:id Admin::OrdersController#show";
    Arc::make_mut(&mut profile.ledger).add(Kind::Request, long, "endpoint", &Figures::default());
    for columns in [80, 100, 120, 150, 190] {
        let terminal = Some(Terminal { colour: false, columns: Some(columns) });
        let report = text(&profile, &ReportOptions { terminal, ..by("endpoint") });
        let widths = || report.lines().map(|line| line.trim_end().chars().count());
        assert!(widths().all(|width| width <= columns), "{columns}: {report}");
        assert_eq!(report.contains("runnable"), columns >= 190, "{columns}: {report}");
        assert_eq!(report.contains("  heaviest method\n"), columns >= 100, "{columns}: {report}");
        assert!(report.contains("      units       mean        p95  endpoint"), "{columns}: {report}");
        assert!(report.contains("rsController#show"), "{report}");
    }
    let terminal = Some(Terminal { colour: false, columns: Some(80) });
    let report = text(&server(), &ReportOptions { terminal, ..by("endpoint") });
    assert!(report.contains("  share    running    blocked  endpoint        heaviest method\n"), "{report}");
}

#[test]
fn states_without_time_leave_their_place_to_the_heaviest_method() {
    let mut profile = server();
    // As in mode cpu: the other states have no time.
    let stacks = profile.stacks.clone();
    profile.samples.retain(|sample| stacks[sample.stack_start as usize].index() < 3);
    let label = "ActiveRecord::ConnectionAdapters::PostgreSQLAdapter#exec_cache";
    profile
        .functions
        .iter_mut()
        .filter(|it| it.label == "Db#query")
        .for_each(|it| it.label = label.to_owned());
    let unit = Figures { units: 1, ..Figures::default() };
    let long = "GET /admin/customers/:customer_id/orders/:id Admin::OrdersController#show";
    Arc::make_mut(&mut profile.ledger).add(Kind::Request, long, "endpoint", &unit);
    for columns in [80, 105, 111, 130] {
        let terminal = Some(Terminal { colour: false, columns: Some(columns) });
        let report = text(&profile, &ReportOptions { terminal, ..by("endpoint") });
        let heaviest = "  \u{2026}tgreSQLAdapter#exec_cache (100%)\n";
        assert_eq!(report.contains(heaviest), columns > 80, "{columns}: {report}");
        assert!(!report.contains("GVL wait"), "{columns}: {report}");
        assert_eq!(report.contains("      units       mean"), columns != 105, "{columns}: {report}");
        assert!(report.contains("       mean        p95 "), "{columns}: {report}");
        assert_eq!(report.contains("  running "), columns == 130, "{columns}: {report}");
        assert!(report.lines().all(|line| line.trim_end().chars().count() <= columns), "{report}");
    }
    let terminal = Some(Terminal { colour: false, columns: Some(240) });
    let wide = text(&profile, &ReportOptions { terminal, ..by("endpoint") });
    assert!(wide.contains("    running   runnable   GVL wait    blocked  collector      units"), "{wide}");
}

#[test]
fn a_row_without_time_has_no_heaviest_method() {
    let mut profile = server();
    profile.samples.iter_mut().take(4).for_each(|sample| sample.weight = Nanos::ZERO);
    let report = text(&profile, &by("endpoint"));
    assert!(report.lines().any(|line| line.trim_end().ends_with("  GET /posts")), "{report}");
}

#[test]
fn each_row_is_one_line() {
    let mut profile = server();
    for label in profile.label_sets.iter_mut().flatten() {
        label.value = LabelValue::Text("new\nline".to_owned());
    }
    profile.functions[0].label = "a\rb".to_owned();
    let report = text(&profile, &by("endpoint"));
    assert!(report.contains("  new\u{fffd}line   a\u{fffd}b ("), "{report}");
}

#[test]
fn numbers_are_values_too() {
    let report = text(&server(), &by("thread_seq"));
    assert!(report.lines().any(|line| line.contains("300ms   100%") && line.contains("  1 ")), "{report}");
}

#[test]
fn for_scripts_the_same_in_nanoseconds() {
    let report = text(&server(), &ReportOptions { layout: Layout::Json, ..by("endpoint") });
    let document: serde_json::Value = serde_json::from_str(&report).expect("it is JSON");
    assert_eq!((&document["view"], &document["key"]), (&"by".into(), &"endpoint".into()));
    assert_eq!(document["labelled"], 200_000_000);
    let show = serde_json::json!({
        "name": "GET /posts/:id", "total": 140_000_000, "running": 70_000_000, "runnable": 0, "gvl_wait": 0,
        "blocked": 50_000_000, "collector": 20_000_000,
        "heaviest": { "name": "Db#query", "weight": 120_000_000 }
    });
    assert_eq!(document["values"][0], show);
    assert_eq!(
        (&document["not_set"]["name"], &document["not_set"]["total"]),
        (&serde_json::Value::Null, &100_000_000.into())
    );
}

#[test]
fn a_label_that_no_sample_has_is_an_error_that_names_those_there_are() {
    let wrong =
        |profile: &Profile, key: &str| write(profile, &by(key)).expect_err("no such label").to_string();
    assert_eq!(wrong(&server(), "job"), "no sample has a label 'job'; the labels are endpoint, thread_seq");
    let nothing = Builder::new(meta(Mode::Wall)).build();
    assert_eq!(wrong(&nothing, "job"), "no sample has a label 'job', or any other");
}
