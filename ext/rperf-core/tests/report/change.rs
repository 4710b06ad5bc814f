//! Differences: before, after, what changed, and what chance explains of that.

use rperf_core::ids::{LabelSetId, ThreadSeq};
use rperf_core::profile::{Builder, Comparison, Meta, Profile};
use rperf_core::query::QueryOptions;
use rperf_core::report::{
    Layout, Limits, Report, ReportOptions, Sort, Subject, Surroundings, Terminal, View,
};
use rperf_core::time::Nanos;
use serde_json::{Value, json};

use crate::written::write_report;

/// A method of the program that is called by a method of Ruby, in this checkout.
fn profile(checkout: &str, each: &str, [price, tax]: [u64; 2]) -> Profile {
    let mut builder = Builder::new(Meta { frequency: 1000, ..Meta::default() });
    let mut frame = |path: &str, label: &str| {
        let function = builder.intern_function(path, label, 0);
        builder.intern_location(function, 0)
    };
    let main = frame("app.rb", "<main>");
    let each = frame(each, "Array#each");
    let [shop, gem] = ["app/shop.rb", "gems/tax-1.2.0/lib/tax.rb"].map(|path| format!("{checkout}/{path}"));
    let (mine, other) = (frame(&shop, "Object#price"), frame(&gem, "Object#price"));
    for (leaf, ticks) in [(mine, price), (other, tax), (each, 100)] {
        let stack = if leaf == each { vec![each, main] } else { vec![leaf, each, main] };
        builder.push(&stack, Nanos(ticks * 1_000_000), ticks, ThreadSeq(1), LabelSetId(0));
    }
    builder.build()
}

fn compared(options: &ReportOptions) -> String {
    let base = profile("/srv/1", "<C method>", [1000, 3000]);
    let target = profile("/srv/2", "<internal:array>", [2000, 3050]);
    let Comparison { base, target } = Comparison::of(&[&base], &[&target]).expect("they measure the same");
    let report = Report::parse(options).expect("the options make sense");
    let subject = Subject::difference(&base, &target);
    write_report(&report, &subject, Surroundings::default()).expect("it can be written").text
}

#[test]
fn before_after_and_change_in_columns() {
    assert_eq!(
        compared(&ReportOptions::default()),
        "\
Type: cpu, 4100ms before, 5150ms after: +1050ms (25.61%)
n = 4100 and 5150 ticks: 1 of 4 functions changed beyond chance (*)
flat before      after      change  of all          ±  cum change  function
     1000ms     2000ms    +1000ms*  24.39%      810ms    +1000ms*  Object#price  shop.rb
     3000ms     3050ms      +50ms    1.22%     1600ms      +50ms   Object#price  tax-1.2.0/lib/tax.rb
          0          0          0       0%     3.60ms    +1050ms   <main>
      100ms      100ms          0       0%       55ms    +1050ms   Array#each
"
    );
}

#[test]
fn the_share_of_a_decrease_is_negative() {
    let [base, target] = [[400, 500], [100, 100]].map(|ticks| profile("/srv/1", "<C method>", ticks));
    let report = Report::parse(&ReportOptions::default()).expect("the options make sense");
    let text = write_report(&report, &Subject::difference(&base, &target), Surroundings::default());
    let text = text.expect("it can be written").text;
    assert!(text.contains("1000ms before, 300ms after: -700ms (-70.00%)"), "{text}");
    assert!(text.contains("      500ms      100ms     -400ms* -40.00% "), "{text}");
}

#[test]
fn scaled_times_do_not_differ_by_nanoseconds() {
    let [base, target] = [[300, 500], [299, 501]].map(|ticks| profile("/srv/1", "<C method>", ticks));
    let mut scaled = target.clone();
    scaled.samples.iter_mut().for_each(|sample| sample.weight.0 += 1);
    let report = Report::parse(&ReportOptions::default()).expect("the options make sense");
    let text = |target: &Profile| {
        let written = write_report(&report, &Subject::difference(&base, target), Surroundings::default());
        written.expect("it can be written").text
    };
    assert!(text(&scaled).contains("900ms before, 900ms after: 0 (0%)"), "{}", text(&scaled));
    assert!(text(&scaled).contains("100ms      100ms          0       0% "), "{}", text(&scaled));
    scaled.samples.iter_mut().for_each(|sample| sample.weight.0 += 100_000);
    assert!(text(&scaled).contains(": +0.30ms "), "{}", text(&scaled));
}

#[test]
fn what_chance_explains_is_less_than_a_change_beyond_it() {
    let base = profile("/srv/1", "<C method>", [1000, 3000]);
    let report = Report::parse(&ReportOptions::default()).expect("the options make sense");
    let mut beyond = 0;
    for price in 1500..1900 {
        let target = profile("/srv/2", "<internal:array>", [price, 3000]);
        let Comparison { base, target } = Comparison::of(&[&base], &[&target]).expect("they fit");
        let text = write_report(&report, &Subject::difference(&base, &target), Surroundings::default());
        let text = text.expect("it can be written").text;
        let row = text.lines().find(|row| row.contains("shop.rb")).expect("it is shown");
        let cells: Vec<&str> = row.split_whitespace().collect();
        let number = |cell: &str| cell.trim_matches(|it: char| !it.is_ascii_digit()).parse::<f64>();
        let [change, margin] = [cells[2], cells[4]].map(|cell| number(cell).expect("it is a number"));
        assert_eq!(cells[2].ends_with('*'), change > margin, "{row}");
        beyond += u32::from(change > margin);
    }
    assert!((1..400).contains(&beyond), "{beyond} of 400 changes are beyond chance");
}

#[test]
fn limits_and_order() {
    let limits = Limits { count: Some(2), fraction: None };
    let options = ReportOptions { sort: Sort::Cumulative, limits, ..ReportOptions::default() };
    assert_eq!(
        compared(&options),
        "\
Type: cpu, 4.10s before, 5.15s after: +1.05s (25.61%)
n = 4100 and 5150 ticks: 1 of 4 functions changed beyond chance (*)
 cum before      after      change  of all          ± flat change  function
      4.10s      5.15s     +1.05s   25.61%      1.10s          0   <main>
      4.10s      5.15s     +1.05s   25.61%      1.10s          0   Array#each
2 of 4 functions not shown (--nodecount 0 shows them)
"
    );
    let limits = Limits { count: None, fraction: Some(0.5) };
    assert_eq!(compared(&ReportOptions { limits, ..ReportOptions::default() }).lines().count(), 7);
    let limits = Limits { count: Some(1), fraction: Some(0.5) };
    let text = compared(&ReportOptions { limits, ..ReportOptions::default() });
    assert!(
        text.ends_with("\n3 of 4 functions not shown (--nodecount 0 --nodefraction 0 shows them)\n"),
        "{text}"
    );
}

#[test]
fn what_chance_explains_is_grey() {
    let coloured = compared(&on_terminal(true));
    let rows: Vec<&str> = coloured.lines().skip(3).collect();
    assert!(rows[0].starts_with("     1000ms") && !rows[0].contains('\u{1b}'), "{}", rows[0]);
    for row in &rows[1..] {
        let grey = row.strip_prefix("\u{1b}[2m").and_then(|row| row.strip_suffix("\u{1b}[m"));
        assert!(grey.is_some_and(|row| row.contains('±') || row.contains("ms")), "{row}");
    }
    assert_eq!(compared(&on_terminal(false)), compared(&ReportOptions::default()));
}

#[test]
fn a_narrow_terminal_has_one_change() {
    let narrow = |columns| {
        let terminal = Some(Terminal { colour: false, columns: Some(columns) });
        compared(&ReportOptions { terminal, ..ReportOptions::default() })
    };
    let text = narrow(80);
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(text.contains("of all          ±  function\n"), "{text}");
    assert!(text.contains("ms  Object#price  \u{2026}lib/tax.rb\n"), "{text}");
    assert_eq!(narrow(110), compared(&ReportOptions::default()));
}

#[test]
fn functions_of_one_name_fit_on_a_narrow_terminal() {
    let side = |weights: [u64; 2]| {
        let mut builder = Builder::new(Meta { frequency: 1000, ..Meta::default() });
        for (path, ticks) in
            ["/srv/lib/shop/specification.rb", "/srv/lib/tax/subscriptions.rb"].iter().zip(weights)
        {
            let function = builder.intern_function(path, "Gem::Requirements::List#initialize", 0);
            let at = builder.intern_location(function, 0);
            builder.push(&[at], Nanos(ticks * 1_000_000), ticks, ThreadSeq(1), LabelSetId(0));
        }
        builder.build()
    };
    let (base, target) = (side([1000, 3000]), side([2000, 3050]));
    let Comparison { base, target } = Comparison::of(&[&base], &[&target]).expect("they measure the same");
    let terminal = Some(Terminal { colour: false, columns: Some(80) });
    let report = Report::parse(&ReportOptions { terminal, ..ReportOptions::default() });
    let report = report.expect("the options make sense");
    let text = write_report(&report, &Subject::difference(&base, &target), Surroundings::default());
    let text = text.expect("it can be written").text;
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let [one, other] = ["#initialize  specificat\u{2026}\n", "#initialize  subscripti\u{2026}\n"];
    assert!(text.contains(one) && text.contains(other), "{text}");
}

fn on_terminal(colour: bool) -> ReportOptions {
    ReportOptions { terminal: Some(Terminal { colour, columns: None }), ..ReportOptions::default() }
}

fn document(query: QueryOptions) -> Value {
    let text = compared(&ReportOptions { layout: Layout::Json, query, ..ReportOptions::default() });
    serde_json::from_str(&text).expect("it is JSON")
}

#[test]
fn for_scripts() {
    let document = document(QueryOptions::default());
    assert_eq!(
        (&document["total"], &document["total_after"]),
        (&json!(4_100_000_000u64), &json!(5_150_000_000u64))
    );
    let ticks = json!({"before": 4100, "after": 5150, "estimated": false, "confidence": 0.95});
    assert_eq!((&document["view"], &document["ticks"]), (&json!("top"), &ticks));
    let first = &document["functions"][0];
    let (before, after) = (
        json!({"flat": 1_000_000_000, "cum": 1_000_000_000}),
        json!({"flat": 2_000_000_000, "cum": 2_000_000_000}),
    );
    assert_eq!((&first["name"], &first["path"]), (&json!("Object#price"), &json!("/srv/2/app/shop.rb")));
    assert_eq!((&first["before"], &first["after"]), (&before, &after));
    assert_eq!((&first["flat"], &first["cum"]), (&json!(1_000_000_000), &json!(1_000_000_000)));
    assert!(
        first["chance"]["flat"].as_u64().is_some_and(|chance| (800_000_000..810_000_000).contains(&chance))
    );
    let beyond = document["functions"].as_array().expect("a list").iter().map(|row| &row["beyond_chance"]);
    let (yes, no) = (json!({"flat": true, "cum": true}), json!({"flat": false, "cum": false}));
    assert_eq!(beyond.collect::<Vec<_>>(), [&yes, &no, &no, &no]);
}

#[test]
fn filters_do_not_change_what_chance_explains() {
    let focus = Some("shop".to_owned());
    let focused = document(QueryOptions { focus, ..QueryOptions::default() });
    let whole = document(QueryOptions::default());
    assert_eq!(focused["functions"][0], whole["functions"][0]);
    assert_eq!(focused["function_count"], 3);
}

#[test]
fn functions_are_the_same_in_other_views() {
    let options = ReportOptions { view: View::Tree, ..ReportOptions::default() };
    assert!(
        compared(&options)
            .contains("     1.05s 25.61% 25.61%      1.05s 25.61%                | Object#price\n")
    );
}
