//! `--method`.

use std::time::{Duration, Instant};

use rperf_core::ids::{LabelSetId, ThreadSeq};
use rperf_core::profile::Builder;
use rperf_core::report::{Report, ReportError, Subject, View};

use rperf_core::state::Mode;
use rperf_core::time::Nanos;

use crate::fixture::{self, frame, meta};
use crate::support::{shop, text, view, write};

fn method(name: &str) -> String {
    text(&shop(), &view(View::Method(name.to_owned())))
}

#[test]
fn a_method_with_callers_callees_and_lines() {
    let expected = "\
Total: 100ms (cpu)

Shop#price (app/shop.rb:6)
  flat: 50ms 50.00%, cum: 70ms 70.00%
  callers (70ms in all):
        70ms   100%  block in Shop#total
  callees (20ms in all):
        20ms   100%  Tax#add
  code: app/shop.rb
        flat        cum   line
           .          .      6 |   def price(item)
        50ms       70ms      7 |     item * 3
           .          .      8 |   end
";
    assert_eq!(method("Shop#price"), expected);
}

#[test]
fn a_method_whose_source_is_gone() {
    let expected = "\
Tax#add (tax.rb:20)
  flat: 20ms 20.00%, cum: 20ms 20.00%
  callers (20ms in all):
        20ms   100%  Shop#price
  code: /gems/tax/tax.rb
    the file cannot be shown: there is no such file here
        flat        cum   line
        20ms       20ms     22
";
    assert!(method("Tax#add").ends_with(expected), "{}", method("Tax#add"));
}

#[test]
fn a_method_without_source() {
    let text = method("Array#sum");
    assert!(
        text.contains("  flat: 5ms  5.00%, cum: 95ms 95.00%\n") || text.contains("cum: 95ms 95.00%\n"),
        "{text}"
    );
    assert!(text.ends_with("  code: <C method>\n    there is no source file\n"), "{text}");
}

#[test]
fn the_main_program_is_shown_around_its_lines() {
    let text = method("<main>");
    assert!(text.contains("           .          .      7 |     item * 3\n"), "{text}");
    assert!(text.ends_with("         5ms      100ms     10 | Shop.new.total\n"), "{text}");
    assert!(!text.contains("class Shop"), "{text}");
}

#[test]
fn recursion_is_no_call_and_counts_once() {
    let text = text(&fixture::fib(), &view(View::Method("Object#fib".to_owned())));
    assert!(
        text.contains(
            "cum: 509.50ms 100%\n  callers (509.50ms in all):\n    509.50ms   100%  <main>\n  code"
        ),
        "{text}"
    );
    let lines = "    302.12ms   302.12ms      3\n    207.38ms   509.50ms      4\n";
    assert!(text.ends_with(lines), "{text}");
}

#[test]
fn names_are_exact_before_they_are_expressions() {
    let headings = |name: &str| -> Vec<String> {
        method(name)
            .lines()
            .filter(|line| line.ends_with(')') && line.contains(" ("))
            .skip(1)
            .map(str::to_owned)
            .collect()
    };
    assert_eq!(headings("Shop#total"), ["Shop#total (app/shop.rb:2)"]);
    assert_eq!(headings("total$"), ["Shop#total (app/shop.rb:2)", "block in Shop#total (app/shop.rb:3)"]);
}

#[test]
fn unknown_names_come_with_what_there_is() {
    let profile = shop();
    for name in ["Shop#prize", "Shop#[", "("] {
        let options = view(View::Method(name.to_owned()));
        let error = write(&profile, &options).expect_err("there is no such method");
        assert_eq!(error, ReportError::NotFound { what: "method", name: name.to_owned() });
        let report = Report::parse(&options).expect("a name is never wrong by itself");
        let names = report.candidates(&Subject::profile(&profile)).expect("the name is not there");
        assert!(names.contains(&"Shop#price"), "{names:?}");
    }
    let report = Report::parse(&view(View::Method("Shop#price".to_owned()))).expect("it makes sense");
    assert_eq!(report.candidates(&Subject::profile(&profile)), None);
    assert_eq!(report.paths(&Subject::profile(&profile)), ["app/shop.rb"]);
}

#[test]
fn methods_on_one_line_have_their_own_weights() {
    let mut builder = Builder::new(meta(Mode::Cpu));
    let [one, other] = ["Pair#left", "Pair#right"].map(|name| frame(&mut builder, "pair.rb", name, 1, 1));
    builder.push(&[one, other], Nanos(30), 3, ThreadSeq(1), LabelSetId(0));
    builder.push(&[other], Nanos(10), 1, ThreadSeq(1), LabelSetId(0));
    let text = text(&builder.build(), &view(View::Method("Pair".to_owned())));
    let lines: Vec<_> = text.lines().filter(|line| line.ends_with("ns      1")).collect();
    assert_eq!(lines, ["        10ns       40ns      1", "        30ns       30ns      1"], "{text}");
}

/// A name may stand for thousands of methods, and a profile has hundreds of thousands of frames.
#[test]
fn all_methods_of_a_name_take_one_pass_over_the_samples() {
    let mut builder = Builder::new(meta(Mode::Cpu));
    let frames: Vec<_> =
        (0..2_000).map(|number| frame(&mut builder, "a.rb", &format!("M#m{number}"), 1, number)).collect();
    for (number, depth) in (0..500).zip((1..=500).cycle()) {
        builder.push(&frames[number..number + depth], Nanos(1), 1, ThreadSeq(1), LabelSetId(0));
    }
    let profile = builder.build();
    let time_of = |name: &str| {
        let begun = Instant::now();
        assert!(text(&profile, &view(View::Method(name.to_owned()))).contains("M#m1 "), "{name}");
        begun.elapsed()
    };
    let [one, all] = ["M#m1", "m"].map(time_of);
    assert!(all < 30 * one.max(Duration::from_millis(10)), "one takes {one:?}, all of 2,000 take {all:?}");
}
