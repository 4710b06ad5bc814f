//! `--leaks`: what is in use, by class and allocating line, with its age.

use rperf_core::ids::{LabelSetId, ThreadSeq};
use rperf_core::profile::{Builder, Kinship, Meta, Period, Profile, ValueType, ValueTypes, merge, survivors};
use rperf_core::query::QueryOptions;
use rperf_core::report::{
    Layout, Limits, Report, ReportError, ReportOptions, Subject, Surroundings, Terminal, View,
};
use rperf_core::time::Nanos;
use serde_json::{Value, json};

use crate::fixture::{self, frame, number};
use crate::heap::{TYPES, heap};
use crate::support::{shop, text, view, write};
use crate::written::write_report;

const MINUTE: i64 = 60_000_000_000;

/// Objects in use: how many minutes they have lived, and collections they have survived.
type InUse = (i64, i64, u64);

/// An hour of a program, told with objects of 100 bytes of which one in ten is sampled: what each
/// line has allocated, and what of that is in use.
fn program(lines: &[(u32, &str, u64, &[InUse])]) -> Profile {
    let types = ValueTypes::new(TYPES.map(|(kind, unit)| ValueType::new(kind, unit)).to_vec(), 3);
    let duration = Nanos(60 * MINUTE as u64);
    let period = Some(Period { value_type: ValueType::new("objects", "count"), length: 10 });
    let mut builder = Builder::new(Meta { value_types: types, duration, period, ..Meta::default() });
    let new = frame(&mut builder, "<C method>", "Class#new", 0, 0);
    for (line, class, allocated, in_use) in lines {
        let at = frame(&mut builder, "/srv/shop/app.rb", "Shop#visit", 1, *line);
        let class = fixture::text("class", class);
        let born = builder.intern_label_set(std::slice::from_ref(&class));
        let push = |builder: &mut Builder, values: [u64; 4], labels: LabelSetId| {
            builder.push_values(&[new, at], &values, 0, ThreadSeq(1), labels);
        };
        push(&mut builder, [*allocated, 100 * allocated, 0, 0], born);
        for (minutes, collections, objects) in *in_use {
            let labels = [class.clone(), number("age", *collections), number("lived", minutes * MINUTE)];
            let labels = builder.intern_label_set(&labels);
            push(&mut builder, [0, 0, *objects, 100 * objects], labels);
        }
    }
    builder.build()
}

/// A leak, a cache that was filled at first, garbage, and what was there before the recording.
fn leaking() -> Profile {
    program(&[
        (3, "Page", 400, &[(55, 64, 400)]),
        (4, "String", 1_000, &[(50, 32, 100), (30, 16, 100), (10, 8, 100)]),
        (5, "String", 100_000, &[(0, 1, 200)]),
        (6, "Route", 0, &[(60, 128, 300), (480, 512, 200)]),
        (7, "Small", 10, &[(30, 4, 1)]),
    ])
}

#[test]
fn several_files_tell_the_ages_that_each_of_them_tells() {
    let (profile, empty) = (leaking(), program(&[]));
    let merged = merge(&[&profile, &empty, &profile], Kinship::Recordings).expect("they are alike");
    let one = survivors(&profile).expect("it has ages");
    for (place, both) in survivors(&merged).expect("they have ages") {
        assert_eq!(both.born, one[&place].born.map(|bytes| 2 * bytes));
        assert_eq!(both.died(), one[&place].died());
    }
}

#[test]
fn what_grows_is_first_and_each_age_is_told() {
    let expected = "\
    in use  share   objects    age     lived   died born: 1/3    2/3    3/3  class   allocated at
   29.30kB 21.41%       300     16     1800s    70%       33%    33%    33%  String  Shop#visit app.rb:4
   48.83kB 35.69%       500    128      1hrs      -      100%     0%     0%  Route   Shop#visit app.rb:6
   39.06kB 28.55%       400     64     3300s     0%      100%     0%     0%  Page    Shop#visit app.rb:3
   19.53kB 14.28%       200      1         0   100%        0%     0%   100%  String  Shop#visit app.rb:5
1 of 5 rows not shown (--nodefraction 0 shows them)
";
    let report = text(&leaking(), &view(View::Leaks));
    assert!(report.ends_with(expected), "{report}");
}

#[test]
fn the_options_that_show_more_rows_are_named() {
    for (fraction, expected) in [
        (None, "3 of 5 rows not shown (--nodecount 0 --nodefraction 0 shows them)\n"),
        (Some(0.0), "3 of 5 rows not shown (--nodecount 0 shows them)\n"),
    ] {
        let limits = Limits { count: Some(2), fraction };
        let report = text(&leaking(), &ReportOptions { limits, ..view(View::Leaks) });
        assert!(report.ends_with(expected), "{report}");
    }
}

#[test]
fn a_narrow_terminal_has_fewer_figures() {
    for (columns, last) in [(70, "objects    age"), (80, "lived"), (200, "3/3")] {
        let terminal = Some(Terminal { colour: false, columns: Some(columns) });
        let report = text(&leaking(), &ReportOptions { terminal, ..view(View::Leaks) });
        assert!(report.lines().all(|line| line.chars().count() <= columns), "{report}");
        assert!(report.contains(&format!("{last}  class   allocated at\n")), "{report}");
        assert_eq!(
            report.contains("sorted by born: 2/3"),
            columns < 200,
            "the order can be seen, or is said"
        );
    }
}

#[test]
fn a_narrow_terminal_has_fewer_figures_of_a_difference() {
    let write = |target: &Profile, columns| {
        let terminal = Some(Terminal { colour: false, columns: Some(columns) });
        let report =
            Report::parse(&ReportOptions { terminal, ..view(View::Leaks) }).expect("they make sense");
        let written =
            write_report(&report, &Subject::difference(&leaking(), target), Surroundings::default());
        written.expect("it can be written").text
    };
    let long = program(&[(3, "Shop::Orders::Persistence::Item", 400, &[(55, 64, 400)])]);
    for (target, columns, last) in
        [(&long, 80, "±"), (&leaking(), 80, "in use"), (&leaking(), 88, "share"), (&long, 200, "3/3")]
    {
        let report = write(target, columns);
        let widths =
            report.lines().filter(|line| !line.contains("not shown")).map(|line| line.chars().count());
        assert!(widths.max().is_some_and(|most| most <= columns), "{report}");
        assert!(
            report.contains(&format!("{last}  class ")) || report.contains(&format!("{last}   class ")),
            "{report}"
        );
    }
}

#[test]
fn long_names_lose_their_modules_on_a_terminal() {
    let mut profile =
        program(&[(3, "Very::Long::Namespaces::Of::Many::Modules::Page", 400, &[(55, 64, 400)])]);
    profile.functions[1].label = "Very::Long::Namespaces::Of::Many::Modules::Shop#visit".to_owned();
    let terminal = Some(Terminal { colour: false, columns: Some(80) });
    let report = text(&profile, &ReportOptions { terminal, ..view(View::Leaks) });
    assert!(
        report.ends_with(
            "  100%  \u{2026}Of::Many::Modules::Page  \u{2026}Many::Modules::Shop#visit app.rb:3\n"
        ),
        "{report}"
    );
    let whole = text(&profile, &view(View::Leaks));
    assert!(whole.contains("  Very::Long::Namespaces::Of::Many::Modules::Page  Very::Long"), "{whole}");
}

#[test]
fn places_with_long_names_fit_on_a_terminal() {
    let mut profile = program(&[(128, "ActiveModel::Attribute::FromDatabase", 400, &[(55, 64, 400)])]);
    let at = &mut profile.functions[1];
    at.label = "ActiveRecord::ConnectionAdapters::PostgreSQL::DatabaseStatements#cast_result".to_owned();
    at.path =
        "/b/gems/activerecord-8.0.1/lib/active_record/connection_adapters/postgresql/database_statements.rb"
            .to_owned();
    let long = program(&[(12_345, "ActiveSupport::HashWithIndifferentAccess", 400, &[(55, 64, 400)])]);
    let report = |profile: &Profile, columns| {
        let terminal = Some(Terminal { colour: false, columns: Some(columns) });
        text(profile, &ReportOptions { terminal, ..view(View::Leaks) })
    };
    for (profile, columns) in (66..160).flat_map(|columns| [(&profile, columns), (&long, columns)]) {
        let report = report(profile, columns);
        assert!(report.lines().all(|line| line.chars().count() <= columns), "{columns}: {report}");
    }
    let narrow = report(&profile, 80);
    assert!(
        narrow
            .contains("\u{2026}Attribute::FromDatabase  \u{2026}#cast_result database_stateme\u{2026}:128\n"),
        "{narrow}"
    );
}

#[test]
fn limits_and_filters() {
    let all = Limits { count: Some(2), fraction: Some(0.0) };
    let query = QueryOptions { tagfocus: Some("class=Small|Page".to_owned()), ..QueryOptions::default() };
    let report = text(&leaking(), &ReportOptions { limits: all, query, ..view(View::Leaks) });
    let classes: Vec<_> = report.lines().filter_map(|line| line.rsplit("  ").nth(1)).collect();
    assert_eq!(classes[classes.len() - 2..], ["Small", "Page "], "{report}");
}

fn document(profile: &Profile) -> Value {
    let text = text(profile, &ReportOptions { layout: Layout::Json, ..view(View::Leaks) });
    serde_json::from_str(&text).expect("it is JSON")
}

#[test]
fn json_has_numbers() {
    let document = document(&leaking());
    assert_eq!((&document["row_count"], &document["in_use"]), (&json!(5), &json!(140_100)));
    let leak = json!({
        "class": "String", "method": "Shop#visit", "path": "/srv/shop/app.rb", "line": 4,
        "inuse_objects": 300, "inuse_space": 30_000, "alloc_objects": 1_000, "alloc_space": 100_000, "died": 0.7,
        "age": 16, "lived_ns": 30 * MINUTE, "born": [10_000, 10_000, 10_000],
    });
    assert_eq!(document["rows"][0], leak);
    assert_eq!(document["rows"][1]["died"], Value::Null, "none was allocated in the recording");
}

/// As the page's table (`page/src/model/sites.ts`).
#[test]
fn a_line_of_rubys_own_files_is_none() {
    let types = ValueTypes::new(TYPES.map(|(kind, unit)| ValueType::new(kind, unit)).to_vec(), 3);
    let mut builder = Builder::new(Meta { value_types: types, ..Meta::default() });
    let each = frame(&mut builder, "<internal:array>", "Array#each", 40, 42);
    let visit = frame(&mut builder, "app.rb", "Shop#visit", 1, 3);
    let age = builder.intern_label_set(&[number("age", 1), number("lived", 0)]);
    builder.push_values(&[each, visit], &[1, 80, 1, 80], 0, ThreadSeq(1), age);
    builder.push_values(&[each], &[1, 40, 1, 40], 0, ThreadSeq(1), age);
    let document = document(&builder.build());
    let places = [0, 1].map(|row| [&document["rows"][row]["method"], &document["rows"][row]["line"]]);
    assert_eq!(places, [[&json!("Shop#visit"), &json!(3)], [&json!("Array#each"), &json!(0)]]);
}

/// What is older than a period was not born in it, whatever was.
#[test]
fn what_died_is_of_what_was_born_in_the_recording() {
    let profile = program(&[(4, "String", 100, &[(60, 8, 500), (20, 2, 25)])]);
    assert_eq!(document(&profile)["rows"][0]["died"], 0.75);
    let more_than_allocated = program(&[(4, "String", 100, &[(20, 2, 120)])]);
    assert_eq!(document(&more_than_allocated)["rows"][0]["died"], 0.0, "by chance");
}

#[test]
fn a_difference_says_what_grew() {
    let (before, after) = (
        program(&[
            (3, "Page", 400, &[(25, 32, 400)]),
            (4, "String", 500, &[(20, 8, 100)]),
            (8, "Gone", 9, &[(9, 1, 9)]),
        ]),
        leaking(),
    );
    let report = Report::parse(&view(View::Leaks)).expect("the options make sense");
    let written = write_report(&report, &Subject::difference(&before, &after), Surroundings::default());
    let expected = "
Type: inuse_space, 49.71kB before, 136.82kB after: +87.11kB (175.25%)
      growth         ±   objects     in use  share   objects    age     lived   died born: 1/3    2/3    3/3  class   allocated at
   +48.83kB*   16.36kB      +500    48.83kB 35.69%       500    128      1hrs      -      100%     0%     0%  Route   Shop#visit app.rb:6
   +19.53kB*   14.64kB      +200    29.30kB 21.41%       300     16     1800s    70%       33%    33%    33%  String  Shop#visit app.rb:4
   +19.53kB*   10.35kB      +200    19.53kB 14.28%       200      1         0   100%        0%     0%   100%  String  Shop#visit app.rb:5
      -900B     2.08kB        -9          0     0%         0      -         -      -        0%     0%     0%  Gone    Shop#visit app.rb:8
2 of 6 rows not shown (--nodefraction 0 shows them)
";
    let report = written.expect("it can be written").text;
    assert_eq!(report, expected.trim_start());
    let options = ReportOptions { layout: Layout::Json, ..view(View::Leaks) };
    let report = Report::parse(&options).expect("the options make sense");
    let written = write_report(&report, &Subject::difference(&before, &after), Surroundings::default());
    let document: Value = serde_json::from_str(&written.expect("it can be written").text).expect("JSON");
    let growth =
        json!({"inuse_objects": 500, "inuse_space": 50_000, "chance": 16_757, "beyond_chance": true});
    assert_eq!(document["rows"][0]["growth"], growth);
    // Of 50 sampled objects of 1,000 bytes: of four rows one in twenty times any is beyond that.
    assert!((16_757.0 - (0.9 * 50.0 * 1000.0_f64.powi(2)).sqrt() * 2.4977).abs() < 5.0);
    assert_eq!(document["rows"][3]["growth"]["beyond_chance"], false);
}

#[test]
fn a_small_leak_is_shown_beside_much_that_stays() {
    let loaded: (_, _, _, &[_]) = (3, "Page", 100_000, &[(25, 32, 100_000)]);
    let [before, after] = [&[loaded][..], &[loaded, (5, "Session", 50, &[(5, 1, 50)])]].map(program);
    let report = Report::parse(&view(View::Leaks)).expect("the options make sense");
    let written = write_report(&report, &Subject::difference(&before, &after), Surroundings::default());
    let text = written.expect("it can be written").text;
    assert!(text.contains(" Session ") && !text.contains("Page"), "{text}");
    assert!(text.ends_with("1 of 2 rows not shown (--nodefraction 0 shows them)\n"), "{text}");
    let written = write_report(&report, &Subject::difference(&before, &before), Surroundings::default());
    let text = written.expect("it can be written").text;
    assert!(text.ends_with("1 of 1 rows not shown (--nodefraction 0 shows them)\n"), "{text}");
    let limits = Limits { fraction: Some(0.0), ..Limits::default() };
    let report = Report::parse(&ReportOptions { limits, ..view(View::Leaks) }).expect("they make sense");
    let written = write_report(&report, &Subject::difference(&before, &after), Surroundings::default());
    assert!(written.expect("it can be written").text.contains(" +0 "), "Page is a row");
}

#[test]
fn profiles_without_ages_are_refused() {
    let error = write(&shop(), &view(View::Leaks)).expect_err("it has times");
    assert_eq!(error, ReportError::NoAges("cpu".to_owned()));
    assert!(error.to_string().ends_with("this one of cpu has none"), "{error}");
    let foreign = heap();
    assert_eq!(write(&foreign, &view(View::Leaks)), Err(ReportError::NoAges("inuse_space".to_owned())));
}

#[test]
fn nothing_in_use_is_no_error() {
    let report = text(&program(&[(4, "String", 100, &[])]), &view(View::Leaks));
    assert!(report.ends_with("class  allocated at\n"), "{report}");
}

/// Memory that malloc has handed out is no objects.
#[test]
fn of_memory_without_objects_bytes_have_died() {
    let mut profile = program(&[(4, "malloc", 0, &[(20, 2, 0)])]);
    for (sample, bytes) in profile.samples.iter_mut().zip([[0, 4_000, 0, 0], [0, 0, 0, 1_000]]) {
        (sample.weight, sample.values) = (Nanos(bytes[3]), bytes.into());
    }
    assert_eq!(document(&profile)["rows"][0]["died"], 0.75);
}
