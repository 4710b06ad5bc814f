//! What grew by more than a share of a base.

use rperf_core::ids::{LabelSetId, ThreadSeq};
use rperf_core::profile::{Builder, Meta, Profile, ValueType, ValueTypes};
use rperf_core::query::QueryOptions;
use rperf_core::report::{Growth, Report, ReportError, ReportOptions, Subject};
use rperf_core::time::Nanos;

/// Each stack is written with its root first.
fn profile(samples: &[(&[&str], u64)]) -> Profile {
    profile_at(1000, samples)
}

fn profile_at(frequency: u32, samples: &[(&[&str], u64)]) -> Profile {
    let mut builder = Builder::new(Meta { frequency, ..Meta::default() });
    for (names, seconds) in samples {
        let stack: Vec<_> = (names.iter().rev())
            .map(|name| {
                let function = builder.intern_function("a.rb", name, 0);
                builder.intern_location(function, 0)
            })
            .collect();
        let (weight, ticks) = (Nanos(seconds * 1_000_000_000), seconds * u64::from(frequency));
        builder.push(&stack, weight, ticks, ThreadSeq(1), LabelSetId(0));
    }
    builder.build()
}

fn lines(base: &Profile, target: &Profile, percent: f64) -> Vec<String> {
    growth(base, target, percent, &ReportOptions::default()).lines
}

fn growth(base: &Profile, target: &Profile, percent: f64, options: &ReportOptions) -> Growth {
    let report = Report::parse(options).expect("the options make sense");
    report.growth(&Subject::difference(base, target), percent).expect("they measure the same")
}

#[test]
fn names_the_culprit_before_its_callers() {
    let base = profile(&[(&["main", "work"], 60), (&["main", "rest"], 40)]);
    let target = profile(&[(&["main", "work"], 190), (&["main", "rest"], 30)]);
    assert_eq!(
        lines(&base, &target, 4.0),
        [
            "the total grew by more than 4% of 100s (n = 100000 and 220000 ticks), beyond chance: \
             +120s ±110s (+120.00%)",
            "'work' grew by more than 4% of 100s (n = 100000 and 220000 ticks), beyond chance: \
             self +130s ±83s (+130.00%), cumulative +130s ±83s (+130.00%)",
            "'main' grew by more than 4% of 100s (n = 100000 and 220000 ticks), beyond chance: \
             self 0 ±3.40ms (0%), cumulative +120s ±110s (+120.00%)",
        ]
    );
    assert_eq!(lines(&base, &target, 120.0).len(), 1, "more than, not as much as");
    assert!(lines(&base, &target, 130.0).is_empty());
}

#[test]
fn finds_growth_that_is_spread_over_callees() {
    let base = profile(&[(&["main", "parse", "a"], 10), (&["main", "other"], 90)]);
    let target =
        profile(&[(&["main", "parse", "a"], 13), (&["main", "parse", "b"], 3), (&["main", "other"], 84)]);
    assert_eq!(
        lines(&base, &target, 5.0),
        ["'parse' grew by more than 5% of 100s (n = 100000 and 100000 ticks), beyond chance: \
          self 0 ±3.70ms (0%), cumulative +6s ±5.50s (+6.00%)"]
    );
}

#[test]
fn what_moves_from_callees_into_a_function_shows_in_its_own_weight() {
    let base = profile(&[(&["main", "a"], 10), (&["main"], 90)]);
    let target = profile(&[(&["main"], 100)]);
    assert_eq!(
        lines(&base, &target, 5.0),
        ["'main' grew by more than 5% of 100s (n = 100000 and 100000 ticks), beyond chance: \
          self +10s ±8.20s (+10.00%), cumulative 0 ±3.40ms (0%)"]
    );
}

#[test]
fn what_chance_explains_is_said_in_one_line() {
    let base = profile(&[(&["main", "work"], 60), (&["main", "rest"], 40)]);
    let slower = profile(&[(&["main", "work"], 84), (&["main", "rest"], 56)]);
    let sentence = "the total and 3 functions grew by more than 5% of 100s (n = 100000 and 140000 ticks), \
                    but not beyond chance: record for longer, and several times on each side";
    let by_chance = |percent| growth(&base, &slower, percent, &ReportOptions::default()).by_chance;
    assert!(lines(&base, &slower, 5.0).is_empty());
    assert_eq!(by_chance(5.0).as_deref(), Some(sentence));
    assert_eq!(by_chance(30.0).map(|line| line.starts_with("the total and 1 function grew")), Some(true));
    assert_eq!(by_chance(50.0), None);
}

#[test]
fn how_many_ticks_there_were_decides() {
    let base = [(&["main", "work"][..], 60), (&["main", "rest"][..], 40)];
    let target = [(&["main", "work"][..], 78), (&["main", "rest"][..], 22)];
    let lines_at =
        |frequency| lines(&profile_at(frequency, &base), &profile_at(frequency, &target), 5.0).len();
    assert_eq!([1, 1000].map(lines_at), [0, 1]);
}

#[test]
fn only_samples_of_the_compared_value_count() {
    let heap = |objects: u64| {
        let types = ["alloc_objects", "inuse_objects"].map(|kind| ValueType::new(kind, "count"));
        let mut builder =
            Builder::new(Meta { value_types: ValueTypes::new(types.to_vec(), 1), ..Meta::default() });
        for (name, values, count) in [("kept", [objects, objects], objects), ("freed", [700, 0], 700)] {
            let function = builder.intern_function("a.rb", name, 0);
            let location = builder.intern_location(function, 0);
            builder.push_values(&[location], &values, count, ThreadSeq(1), LabelSetId(0));
        }
        builder.build()
    };
    let lines = lines(&heap(50), &heap(200), 5.0);
    assert!(lines[0].contains("(n = 50 and 200 samples)"), "{lines:?}");
}

#[test]
fn an_empty_base_leaves_shares_of_the_target() {
    let (base, target) = (profile(&[]), profile(&[(&["new"], 10)]));
    assert_eq!(lines(&base, &target, 99.0).len(), 2);
    assert!(lines(&base, &target, 100.0).is_empty());
}

#[test]
fn a_line_stays_one() {
    let (base, target) = (profile(&[]), profile(&[(&["a\n\u{1b}[31mb"], 10)]));
    assert!(lines(&base, &target, 1.0)[1].starts_with("'a\u{fffd}\u{fffd}[31mb' grew"));
}

#[test]
fn filters_and_the_unit_of_the_user() {
    let base = profile(&[(&["main", "work"], 50), (&["main", "rest"], 50)]);
    let target = profile(&[(&["main", "work"], 110), (&["main", "rest"], 50)]);
    let query = |focus: &str| QueryOptions {
        focus: Some(focus.to_owned()),
        unit: Some("us".to_owned()),
        ..QueryOptions::default()
    };
    let options = |focus| ReportOptions { query: query(focus), ..ReportOptions::default() };
    let focused = growth(&base, &target, 20.0, &options("work"));
    assert_eq!(
        focused.lines,
        [
            "the total grew by more than 20% of 100000000us (n = 100000 and 160000 ticks), beyond chance: \
             +60000000us ±51000000us (+60.00%)",
            "'work' grew by more than 20% of 100000000us (n = 100000 and 160000 ticks), beyond chance: \
             self +60000000us ±51000000us (+60.00%), cumulative +60000000us ±51000000us (+60.00%)",
            "'main' grew by more than 20% of 100000000us (n = 100000 and 160000 ticks), beyond chance: \
             self 0 ±3400us (0%), cumulative +60000000us ±51000000us (+60.00%)",
        ]
    );
    assert!(focused.unmatched.is_empty());
    assert!(!focused.is_gone);
}

#[test]
fn nothing_to_compare_is_an_error() {
    let base = profile(&[(&["main", "work"], 50), (&["main", "old"], 50)]);
    let target = profile(&[(&["main", "work"], 75)]);
    let compare = |base: &Profile, target: &Profile, focus: &str| {
        let query = QueryOptions { focus: Some(focus.to_owned()), ..QueryOptions::default() };
        let report =
            Report::parse(&ReportOptions { query, ..ReportOptions::default() }).expect("they make sense");
        report.growth(&Subject::difference(base, target), 20.0)
    };
    assert_eq!(compare(&base, &target, "nobody"), Err(ReportError::NothingLeft(vec!["focus"])));
    assert_eq!(compare(&base, &profile(&[]), ""), Err(ReportError::EmptyTarget));
    let gone = Growth { lines: vec![], by_chance: None, unmatched: vec![], is_gone: true };
    assert_eq!(compare(&base, &target, "old"), Ok(gone));
}
