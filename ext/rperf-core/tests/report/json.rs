//! The JSON of each view.

use rperf_core::query::QueryOptions;
use rperf_core::report::{Layout, Limits, ReportOptions, View};
use serde_json::{Value, json};

use crate::fixture;
use crate::support::{shop, text, view};

fn document(options: ReportOptions) -> Value {
    let text = text(&shop(), &ReportOptions { layout: Layout::Json, ..options });
    serde_json::from_str(&text).expect("it is JSON")
}

#[test]
fn every_view_begins_alike() {
    let views = [
        ("top", View::Top),
        ("tree", View::Tree),
        ("peek", View::Peek("Shop".to_owned())),
        ("traces", View::Traces),
        ("labels", View::Labels),
        ("comments", View::Comments),
        ("method", View::Method("Shop#price".to_owned())),
        ("source", View::Source("shop.rb".to_owned())),
    ];
    for (name, it) in views {
        let query = QueryOptions { focus: Some("Shop".to_owned()), ..QueryOptions::default() };
        let document = document(ReportOptions { query, ..view(it) });
        assert_eq!(document["rperf_report"], 1);
        assert_eq!(document["view"], name);
        assert_eq!((&document["type"], &document["unit"]), (&json!("cpu"), &json!("nanoseconds")));
        assert_eq!((&document["total"], &document["filters"]), (&json!(100_000_000), &json!(["focus=Shop"])));
        assert_eq!(document["comments"][0], "rperf 0.1.0");
        assert_eq!(document["time_ns"], 1_772_000_000_123_456_789u64);
    }
}

#[test]
fn functions() {
    let limits = Limits { count: Some(1), fraction: None };
    let top = document(ReportOptions { limits, ..view(View::Top) });
    assert_eq!(top["functions"], json!([{"name": "Shop#price", "flat": 50_000_000, "cum": 70_000_000}]));
    assert_eq!(top["function_count"], 6);
    let peek = document(view(View::Peek("price".to_owned())));
    let callers = json!([{"name": "block in Shop#total", "weight": 70_000_000}]);
    let callees = json!([{"name": "Tax#add", "weight": 20_000_000}]);
    assert_eq!(
        peek["functions"],
        json!([{"name": "Shop#price", "flat": 50_000_000, "cum": 70_000_000, "callers": callers, "callees": callees}])
    );
}

#[test]
fn functions_of_several_files_that_count_as_one() {
    let mut profile = shop();
    profile.functions[2].label = "Shop#price".to_owned();
    let options = |it| ReportOptions { layout: Layout::Json, ..view(it) };
    let first = |it| {
        let document: Value = serde_json::from_str(&text(&profile, &options(it))).expect("it is JSON");
        document["functions"][0].clone()
    };
    let peek = first(View::Peek("price".to_owned()));
    assert_eq!((&peek["name"], &peek["file_count"]), (&json!("Shop#price"), &json!(2)));
    assert_eq!(first(View::Tree).get("file_count"), None);
}

#[test]
fn anonymous_methods_are_told_apart() {
    let mut profile = shop();
    for (at, path) in [(1, "/srv/app/x.rb"), (4, "/srv/app/y.rb")] {
        profile.functions[at].label = "#<Class>#call".to_owned();
        profile.functions[at].path = path.to_owned();
    }
    let options = ReportOptions { layout: Layout::Json, ..view(View::Top) };
    let top: Value = serde_json::from_str(&text(&profile, &options)).expect("it is JSON");
    let functions = top["functions"].as_array().expect("it is a list");
    let names: Vec<_> = functions.iter().filter_map(|function| function["name"].as_str()).collect();
    assert!(names.contains(&"#<Class>#call /srv/app/y.rb:6"), "{names:?}");
    assert!(names.contains(&"#<Class>#call /srv/app/x.rb:2"), "{names:?}");
    let piped = text(&profile, &view(View::Top));
    assert!(piped.contains("  #<Class>#call\n"), "it is pprof's: {piped}");
}

#[test]
fn a_profile_without_samples() {
    let options = ReportOptions { layout: Layout::Json, ..view(View::Top) };
    let top: Value = serde_json::from_str(&text(&fixture::empty(), &options)).expect("it is JSON");
    assert_eq!((&top["total"], &top["functions"]), (&json!(0), &json!([])));
}

#[test]
fn samples_and_labels() {
    let options = ReportOptions { layout: Layout::Json, ..view(View::Traces) };
    let traces: Value = serde_json::from_str(&text(&fixture::mixed(), &options)).expect("it is JSON");
    let sample = &traces["samples"][2];
    assert_eq!((&sample["weight"], &sample["count"]), (&json!(13_900_000), &json!(14)));
    let labels = json!({
        "endpoint": ["GET /api/users"], "request": ["abc-123"],
        "thread": ["main"], "thread_seq": [1], "native_thread_id": [4711],
        "process": ["ruby mixed.rb --öl"], "pid": [4711], "ppid": [4700],
    });
    assert_eq!(sample["labels"], labels);
    assert_eq!(sample["stack"][1], json!({"name": "Object#cpu_work", "path": "mixed.rb", "line": 4}));
    let options = ReportOptions { layout: Layout::Json, ..view(View::Labels) };
    let labels: Value = serde_json::from_str(&text(&fixture::mixed(), &options)).expect("it is JSON");
    let values = json!([{"name": "abc-123", "weight": 17_100_000}]);
    let labels = labels["labels"].as_array().expect("it is a list");
    assert!(labels.contains(&json!({"key": "request", "weight": 17_100_000, "values": values})));
}

#[test]
fn methods_and_files() {
    let methods = document(view(View::Method("Shop#price".to_owned())));
    let method = &methods["methods"][0];
    assert_eq!(method["places"], json!([{"path": "app/shop.rb", "start_line": 6}]));
    let line = json!({"line": 7, "flat": 50_000_000, "cum": 70_000_000, "text": "    item * 3"});
    assert_eq!(method["files"][0]["lines"][1], line);
    let files = document(view(View::Source("tax.rb".to_owned())));
    assert_eq!(
        files["files"],
        json!([{
            "path": "/gems/tax/tax.rb",
            "note": "the file cannot be shown: there is no such file here",
            "lines": [{"line": 22, "flat": 20_000_000, "cum": 20_000_000}]
        }])
    );
}
