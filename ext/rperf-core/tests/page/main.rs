//! The page's data: what the document says must be the profile again.

use std::borrow::Cow;
use std::sync::Arc;

use rperf_core::ids::{LabelSetId, ProcessId, ThreadSeq};
use rperf_core::page::{PageOptions, Source, page};
use rperf_core::profile::{
    Builder, CONFIDENCE, Comparison, Label, LabelValue, Meta, Process, Profile, Thread, ValueType, ValueTypes,
};
use rperf_core::query::{Query, QueryOptions};
use rperf_core::state::Mode;
use rperf_core::time::Nanos;
use rperf_core::work::{Figures, Kind};
use serde_json::{Value, json};

/// A sample as people would write it: frames from the root to the leaf, weight, thread, labels.
type Row = (Vec<String>, u64, u64, Vec<String>);

fn profile(stacks: &[(&[(&str, u32)], u64)]) -> Profile {
    let mut builder = Builder::new(Meta { mode: Mode::Wall, ..Meta::default() });
    let request = builder.intern_label_set(&[
        Label { key: "endpoint".to_owned(), value: LabelValue::Text("/a".to_owned()) },
        Label { key: "pid".to_owned(), value: LabelValue::Number(-7) },
    ]);
    for (number, (frames, weight)) in (1u32..).zip(stacks) {
        let leaf_first: Vec<_> = frames
            .iter()
            .rev()
            .map(|(name, line)| {
                let function = builder.intern_function("a.rb", name, 0);
                builder.intern_location(function, *line)
            })
            .collect();
        let labels = if number % 2 == 0 { request } else { LabelSetId(0) };
        builder.push(&leaf_first, Nanos(*weight), 1, ThreadSeq(number), labels);
    }
    builder.build()
}

fn document(target: &Profile, base: Option<&Profile>, options: &PageOptions) -> Value {
    let text = page(target, base, options).expect("the profile can be shown");
    serde_json::from_str(&text).expect("the document is JSON")
}

fn number(value: &Value) -> usize {
    value.as_u64().expect("a number") as usize
}

/// The frames of each node of the tree, from its parents and locations.
fn paths(document: &Value) -> Vec<Vec<String>> {
    let strings = &document["strings"];
    let name = |location: usize| {
        let function = number(&document["locations"]["function"][location]);
        let label = &strings[number(&document["functions"]["label"][function])];
        format!("{}:{}", label.as_str().expect("a name"), document["locations"]["line"][location])
    };
    let tree = &document["tree"];
    let mut path = Vec::new();
    let mut paths = vec![Vec::new()];
    for (location, up) in
        tree["location"].as_array().into_iter().flatten().zip(tree["up"].as_array().into_iter().flatten())
    {
        path.truncate(path.len() - number(up));
        path.push(name(number(location)));
        paths.push(path.clone());
    }
    paths
}

fn rows(document: &Value, side: &str) -> Vec<Row> {
    let paths = paths(document);
    let samples = &document[side]["samples"];
    let text = |index: &Value| document["strings"][number(index)].as_str().expect("a text").to_owned();
    (0..samples["node"].as_array().map_or(0, Vec::len))
        .map(|row| {
            let labels = &document["label_sets"][number(&samples["label_set"][row])];
            let labels = labels.as_array().expect("a set").iter();
            (
                paths[number(&samples["node"][row])].clone(),
                samples["weight"][row].as_u64().expect("a weight"),
                samples["thread"][row].as_u64().expect("a thread"),
                labels.map(|pair| format!("{}={}", text(&pair[0]), text(&pair[1]))).collect(),
            )
        })
        .collect()
}

fn row(frames: &[&str], weight: u64, thread: u64, labels: &[&str]) -> Row {
    let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
    (texts(frames), weight, thread, texts(labels))
}

#[test]
fn has_every_sample_in_its_order() {
    let target = profile(&[
        (&[("main", 1), ("work", 2)], 10),
        (&[("main", 1), ("work", 3), ("parse", 9)], 20),
        (&[], 30),
        (&[("main", 1), ("work", 2)], 40),
    ]);
    let document = document(&target, None, &PageOptions::default());
    assert_eq!(
        rows(&document, "target"),
        [
            row(&["main:1", "work:2"], 10, 1, &[]),
            row(&["main:1", "work:3", "parse:9"], 20, 2, &["endpoint=/a", "pid=-7"]),
            row(&[], 30, 3, &[]),
            row(&["main:1", "work:2"], 40, 4, &["endpoint=/a", "pid=-7"]),
        ]
    );
    assert_eq!(document["tree"]["location"].as_array().map(Vec::len), Some(4));
    assert_eq!(document["base"], Value::Null);
    assert_eq!(document["target"]["meta"]["kind"], "wall");
    assert_eq!(document["states"][0], json!({"label": "[GVL blocked]", "path": "<GVL>"}));
}

#[test]
fn names_that_a_filter_left_out_are_nowhere_in_it() {
    let whole = profile(&[
        (&[("main", 1), ("secret_work", 2)], 10),
        (&[("main", 1), ("secret_work", 3)], 20),
        (&[("main", 1), ("shown", 4)], 30),
    ]);
    let options = QueryOptions {
        ignore: Some("secret".to_owned()),
        tagignore: Some("endpoint=/a".to_owned()),
        ..QueryOptions::default()
    };
    let query = Query::parse(&options).expect("the filters make sense");
    let filtered = query.apply(Cow::Borrowed(&whole)).profile;
    let text = page(&filtered, None, &PageOptions::default()).expect("the profile can be shown");
    assert!(!text.contains("secret") && !text.contains("endpoint"), "{text}");
    let document = document(&filtered, None, &PageOptions::default());
    assert_eq!(rows(&document, "target"), [row(&["main:1", "shown:4"], 30, 3, &[])]);
}

#[test]
fn frames_of_labels_are_there_once_and_are_no_code() {
    let whole = profile(&[(&[("main", 1)], 10), (&[("main", 1)], 20)]);
    let options = QueryOptions { tagleaf: Some("endpoint".to_owned()), ..QueryOptions::default() };
    let query = Query::parse(&options).expect("the filters make sense");
    let shown = query.apply(Cow::Borrowed(&whole)).profile;
    let again = query.apply(Cow::Borrowed(&shown)).profile;
    let document = document(&again, None, &PageOptions::default());
    assert_eq!(rows(&document, "target")[1].0, ["main:1", "/a:0"]);
    let functions = &document["functions"];
    let origin = |name: &str| {
        let is_it =
            |label: &Value| document["strings"][number(label)].as_str().is_some_and(|text| text == name);
        let row = functions["label"].as_array().and_then(|labels| labels.iter().position(is_it));
        number(&functions["origin"][row.expect("the function is there")])
    };
    assert_eq!(["main", "/a"].map(origin), [0, 4]);
}

#[test]
fn threads_and_processes_that_have_samples_are_in_it() {
    let mut whole = profile(&[(&[("main", 1)], 10), (&[("main", 1)], 20), (&[("work", 1)], 30)]);
    let process = |pid, command: &str| Process { pid, ppid: 1, command: command.to_owned() };
    whole.processes = vec![process(7, "gone"), process(8, "ruby /srv/shop/here")];
    let thread = |seq, name: &str, process| Thread {
        seq: ThreadSeq(seq),
        name: name.to_owned(),
        native_id: 100 + seq,
        process: Some(ProcessId(process)),
    };
    whole.threads = vec![thread(1, "left out", 0), thread(3, "puma srv tp 001", 1)];
    let options = QueryOptions { focus: Some("work".to_owned()), ..QueryOptions::default() };
    let query = Query::parse(&options).expect("the filter makes sense");
    let filtered = query.apply(Cow::Borrowed(&whole)).profile;
    let target = &document(&filtered, None, &PageOptions::default())["target"];
    let title = "puma srv tp 001 (thread 3, pid 8)";
    let known = json!({"seq": 3, "name": "puma srv tp 001", "title": title, "native_id": 103, "process": 0});
    assert_eq!(target["threads"], json!([known]));
    let known = json!({"pid": 8, "ppid": 1, "command": "ruby here", "title": "ruby here (pid 8, parent 1)"});
    assert_eq!(target["processes"], json!([known]));
    let labels = &document(&whole, None, &PageOptions::default())["label_sets"];
    assert_eq!(labels.as_array().map(Vec::len), Some(3), "processes are told apart: {labels}");
}

#[test]
fn what_threads_waited_for_is_a_label_that_the_page_adds() {
    let mut whole = waiting(10, 20);
    let labels = |document: &Value| rows(document, "target").into_iter().map(|row| row.3).collect::<Vec<_>>();
    let shown = document(&whole, None, &PageOptions::default());
    assert_eq!(labels(&shown), [vec!["wait=queue".to_owned()], Vec::new()]);
    assert_eq!(shown["added_labels"], json!(["wait"]));
    let own = Label { key: "wait".to_owned(), value: LabelValue::Text("for work".to_owned()) };
    whole.label_sets.push(vec![own]);
    whole.samples[1].label_set = LabelSetId(1);
    let shown = document(&whole, None, &PageOptions::default());
    assert_eq!(labels(&shown), [Vec::new(), vec!["wait=for work".to_owned()]], "as in --by");
    assert_eq!(shown["added_labels"], json!([]));
}

#[test]
fn both_sides_of_a_comparison_share_their_tables() {
    let target = profile(&[(&[("main", 1), ("new", 2)], 10)]);
    let base = profile(&[(&[("main", 1), ("gone", 2)], 20), (&[("main", 1)], 5)]);
    let options = PageOptions { normalise: true, ..PageOptions::default() };
    let document = document(&target, Some(&base), &options);
    assert_eq!(rows(&document, "target"), [row(&["main:1", "new:2"], 10, 1, &[])]);
    assert_eq!(
        rows(&document, "base"),
        [row(&["main:1", "gone:2"], 20, 1, &[]), row(&["main:1"], 5, 2, &["endpoint=/a", "pid=-7"])]
    );
    assert_eq!(document["functions"]["label"].as_array().map(Vec::len), Some(3));
    assert_eq!(document["normalise"], true);
}

/// Milliseconds by thread: what it is blocked in `waits`, and what it works.
fn waiting(waits: u64, works: u64) -> Profile {
    let mut builder = Builder::new(Meta { mode: Mode::Wall, frequency: 1000, ..Meta::default() });
    let mut frame = |path: &str, name: &str| {
        let function = builder.intern_function(path, name, 0);
        builder.intern_location(function, 0)
    };
    let blocked = frame("<GVL>", "[GVL blocked]");
    let [pop, work, main] = ["Thread::Queue#pop", "work", "main"].map(|name| frame("/srv/app/a.rb", name));
    for (stack, weight, thread) in [(vec![blocked, pop], waits, 2), (vec![work, main], works, 1)] {
        builder.push(&stack, Nanos(weight * 1_000_000), weight, ThreadSeq(thread), LabelSetId(0));
    }
    builder.build()
}

#[test]
fn a_comparison_leaves_idle_threads_out() {
    let (target, base) = (waiting(3000, 2500), waiting(2000, 1000));
    let document = |target: &Profile, base: Option<&Profile>| document(target, base, &PageOptions::default());
    let (rest, base_rest) = target.folded(Some(&base)).expect("a thread is idle");
    let folded = document(&rest, base_rest.as_ref());
    let line =
        "before 1 thread x 2.0s, 2.0s idle, after 1 thread x 3.0s, 3.0s idle folded; --idle shows them";
    assert_eq!(folded["folded"], line);
    let all = document(&target, Some(&base));
    assert_eq!(all["folded"], Value::Null);
    assert_eq!([&folded, &all].map(|it| rows(it, "target").len()), [1, 2]);
    assert_eq!(folded["idle"], Value::Null, "it is not there any more");
    assert_eq!(document(&target, None)["folded"], Value::Null);
}

#[test]
fn idle_samples_are_marked_for_the_page_to_leave_out() {
    let (target, base) = (waiting(3000, 2500), waiting(2000, 1000));
    let document = |base, idle| document(&target, base, &PageOptions { idle, ..PageOptions::default() });
    let idle = |fact: &str, shown: bool| json!({"fact": fact, "with_sleep": true, "shown": shown});
    let alone = document(None, false);
    assert_eq!(alone["idle"], idle("1 thread x 3.0s, 3.0s idle", false));
    assert_eq!(alone["target"]["samples"]["idle"], json!([0, 1, 1]), "idle, then busy");
    let both = document(Some(&base), true);
    assert_eq!(
        both["idle"],
        idle("before 1 thread x 2.0s, 2.0s idle, after 1 thread x 3.0s, 3.0s idle", true)
    );
    assert_eq!(both["base"]["samples"]["idle"], json!([0, 1, 1]));
}

#[test]
fn a_page_without_idle_threads_marks_nothing() {
    let document = document(&waiting(0, 1000), None, &PageOptions::default());
    assert_eq!(document["idle"], Value::Null);
    assert_eq!(document["target"]["samples"].get("idle"), None);
}

#[test]
fn the_page_has_the_units_of_work_whose_names_it_has() {
    let mut profile = profile(&[(&[("main", 1)], 5), (&[("main", 2)], 5)]);
    assert_eq!(document(&profile, None, &PageOptions::default())["target"]["meta"].get("units"), None);
    let unit = Figures { units: 1, errors: 1, wall: Nanos(20_000_000), ..Figures::default() };
    for name in ["/a", "/left-out"] {
        Arc::make_mut(&mut profile.ledger).add(Kind::Request, name, "endpoint", &unit);
    }
    let document = document(&profile, None, &PageOptions::default());
    let rows = document["target"]["meta"]["units"].as_array().expect("there are units");
    assert_eq!(rows.len(), 1);
    assert_eq!([&rows[0]["key"], &rows[0]["name"]], ["endpoint", "/a"]);
    assert_eq!([&rows[0]["units"], &rows[0]["errors"], &rows[0]["mean_ns"]], [1, 1, 20_000_000]);
}

#[test]
fn the_page_knows_what_chance_depends_on() {
    let recordings = [waiting(0, 1000), waiting(0, 1400)];
    let [first, second] = &recordings;
    let Comparison { base, target } =
        Comparison::of(&[first, second], &[first]).expect("they measure the same");
    let document = document(&target, Some(&base), &PageOptions::default());
    assert_eq!(document["chance"]["confidence"], json!(CONFIDENCE));
    assert_eq!(document["base"]["meta"]["recordings"], json!([[2, 1_000_000_000], [4, 1_400_000_000]]));
    assert_eq!(document["target"]["meta"]["recordings"], json!([]));
}

#[test]
fn definitions_of_one_name_are_one_function() {
    let mut builder = Builder::new(Meta::default());
    for start_line in [0, 7, 9] {
        let function = builder.intern_function("a.rb", "f", start_line);
        let location = builder.intern_location(function, 8);
        builder.push(&[location], Nanos(1), 1, ThreadSeq(1), LabelSetId(0));
    }
    let document = document(&builder.build(), None, &PageOptions::default());
    assert_eq!(document["functions"]["line"], json!([7]));
    assert_eq!(document["target"]["samples"]["node"], json!([1, 1, 1]));
}

#[test]
fn sources_and_title_are_in_it() {
    let options = PageOptions {
        title: "</script>".to_owned(),
        sources: vec![Source {
            path: "a.rb".to_owned(),
            state: "read".to_owned(),
            lines: vec![(3, "<b>".to_owned())],
        }],
        ..PageOptions::default()
    };
    let target = profile(&[]);
    let text = page(&target, None, &options).expect("the profile can be shown");
    assert!(!text.contains('<'));
    let document = document(&target, None, &options);
    assert_eq!(document["title"], "</script>");
    assert_eq!(document["sources"], json!([{"path": "a.rb", "state": "read", "lines": [[3, "<b>"]]}]));
}

#[test]
fn a_stack_of_a_million_frames_is_no_problem() {
    let frames = vec![("f", 1); 1_000_000];
    let document = document(&profile(&[(&frames, 1)]), None, &PageOptions::default());
    assert_eq!(document["target"]["samples"]["node"], json!([1_000_000]));
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let target = profile(&[]);
    let base = Profile::new(Meta { mode: Mode::Cpu, ..Meta::default() });
    let error = page(&target, Some(&base), &PageOptions::default()).expect_err("cpu is not wall");
    assert!(error.to_string().contains("measure different things"), "{error}");
}

#[test]
fn all_values_are_columns() {
    let types = ["objects", "space"].map(|kind| ValueType::new(kind, "count"));
    let value_types = ValueTypes::new(types.to_vec(), 1);
    let mut builder = Builder::new(Meta { value_types, ..Meta::default() });
    for values in [[1, 40], [2, 80]] {
        builder.push_values(&[], &values, 1, ThreadSeq(1), LabelSetId(0));
    }
    let document = document(&builder.build(), None, &PageOptions::default());
    let (meta, samples) = (&document["target"]["meta"], &document["target"]["samples"]);
    assert_eq!(meta["value_types"], json!([["objects", "count"], ["space", "count"]]));
    assert_eq!((&meta["kind"], &samples["weight"]), (&json!("space"), &json!([40, 80])));
    assert_eq!(samples["values"], json!([[1, 2], [40, 80]]));
}

/// As on a terminal: see `LabelUnits`.
#[test]
fn numbers_of_labels_have_the_unit_that_is_given_or_that_their_key_says() {
    let mut builder =
        Builder::new(Meta { label_units: vec![("body".to_owned(), "ms".to_owned())], ..Meta::default() });
    let numbers = ["request", "bytes", "ms", "body", "step"].map(|key| (key, LabelValue::Number(4096)));
    let labels = numbers.into_iter().chain([("alignment", LabelValue::Text("16".to_owned()))]);
    let labels: Vec<_> = labels.map(|(key, value)| Label { key: key.to_owned(), value }).collect();
    let set = builder.intern_label_set(&labels);
    builder.push(&[], Nanos(1), 1, ThreadSeq(1), set);
    let document = document(&builder.build(), None, &PageOptions::default());
    let units = &document["target"]["meta"]["label_units"];
    assert_eq!(*units, json!([["body", "ms"], ["bytes", "bytes"], ["ms", "ms"], ["request", "bytes"]]));
}

#[test]
fn only_a_profile_whose_first_value_is_a_time_has_moments() {
    let mut timed = profile(&[(&[("main", 1)], 10), (&[("main", 1)], 5)]);
    timed.meta.timeline = true;
    let moments = |profile: &Profile| {
        document(profile, None, &PageOptions::default())["target"]["samples"]["moment"].clone()
    };
    assert_eq!(moments(&timed), json!([0, 0]));
    assert_eq!(moments(&timed.weighed_by_count(0)), Value::Null);
}
