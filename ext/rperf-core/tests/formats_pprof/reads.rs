//! pprof reads what rperf writes: samples, labels, lines, comments.

use crate::fixture;
use crate::pprof::{Scratch, run};

fn output(option: &str) -> String {
    let scratch = Scratch::new();
    run(&[option.to_owned()], &scratch.write("mixed.pb.gz", &fixture::mixed()))
}

/// The text has lines with these words, in this order, whatever is around and between them.
fn assert_lines(text: &str, expected: &[&str]) {
    let mut lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    for line in expected {
        assert!(lines.any(|actual| actual.contains(line)), "no line {line:?} (in this order) in:\n{text}");
    }
}

#[test]
fn raw() {
    let expected = [
        "PeriodType: wall nanoseconds",
        "Period: 1000000",
        "Time: 2026-02-25 06:13:20.123456789 +0000 UTC",
        "samples/count events/count wall/nanoseconds[dflt]",
        "0 5 250600000: 1 2 3 4 5 6",
        "process:[ruby mixed.rb --öl] thread:[main]",
        "native_thread_id:[4711] pid:[4711] ppid:[4700] thread_seq:[1]",
        "14 0 13900000: 5 7 4 5 6",
        "endpoint:[GET /api/users] process:[ruby mixed.rb --öl] request:[abc-123] thread:[main]",
        "native_thread_id:[4711] pid:[4711] ppid:[4700] thread_seq:[1]",
        "1: 0x0 M=1 [GVL blocked] <GVL>:0",
        "6: 0x0 M=1 <main> mixed.rb:12",
        "7: 0x0 M=1 Object#cpu_work mixed.rb:4",
        "1: 0x0/0x0/0x0 [FN][FL][LN][IN]",
    ];
    assert_lines(&output("-raw"), &expected);
}

#[test]
fn traces() {
    let expected = ["request: abc-123", "endpoint: GET /api/users", "thread_seq: 1", "13.90ms Integer#times"];
    assert_lines(&output("-traces"), &expected);
}

#[test]
fn comments() {
    let expected = [
        "rperf 0.1.0",
        "mode: wall",
        "frequency: 1000 Hz",
        "ruby: ruby 3.4.5 (2025-07-16 revision 20cda200d3) +PRISM [x86_64-linux]",
        "engine: poll",
        "overhead: 123456 ns sampling, 0 ns hooks, 0.0% of the duration",
        "dropped: 12 samples, 12345678 ns: buffer full",
        "dropped: 1 sample, 1000000 ns: stack table full",
        "label sets beyond the limit: 4 labellings",
        "a comment",
        "and a second one, with ünïcode",
    ];
    assert_eq!(output("-comments").trim_end(), expected.join("\n"));
}

#[test]
fn labels_filter() {
    let scratch = Scratch::new();
    let file = scratch.write("mixed.pb.gz", &fixture::mixed());
    let focused = run(&["-top".to_owned(), "-tagfocus=request=abc-123".to_owned()], &file);
    assert_lines(&focused, &["Showing nodes accounting for 17.10ms, 5.30% of 322.61ms total"]);
    let by_thread = run(&["-top".to_owned(), "-tagroot=thread_seq".to_owned()], &file);
    assert_lines(&by_thread, &["309.10ms 95.81% 1", "12.51ms 3.88% 2"]);
}
