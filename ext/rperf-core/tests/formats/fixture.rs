//! Profiles for the tests.

use rperf_core::ids::{LabelSetId, LocationId, ThreadSeq};
use rperf_core::profile::{Builder, Label, LabelValue, Meta, Process, Profile, Thread};
use rperf_core::state::Mode;
use rperf_core::time::Nanos;
use serde_json::json;

/// What a session of rperf says about itself.
pub fn meta(mode: Mode) -> Meta {
    Meta {
        mode,
        frequency: 1000,
        start_time_ns: 1_772_000_000_123_456_789,
        duration: Nanos(311_800_000),
        aggregated: true,
        engine: "poll".to_owned(),
        rperf_version: "0.1.0".to_owned(),
        ruby_version: "ruby 3.4.5 (2025-07-16 revision 20cda200d3) +PRISM [x86_64-linux]".to_owned(),
        ..Meta::default()
    }
}

/// A program fib.rb: one method, called by the main program.
pub fn fib() -> Profile {
    let mut builder = Builder::new(meta(Mode::Cpu));
    let fib = frame(&mut builder, "fib.rb", "Object#fib", 2, 4);
    let base = frame(&mut builder, "fib.rb", "Object#fib", 2, 3);
    let main = frame(&mut builder, "fib.rb", "<main>", 1, 6);
    builder.push(&[base, fib, fib, main], Nanos(302_123_456), 302, ThreadSeq(1), LabelSetId(0));
    builder.push(&[fib, fib, fib, main], Nanos(207_376_544), 207, ThreadSeq(1), LabelSetId(0));
    builder.build()
}

/// A bit of everything: threads, labels, synthetic frames, names that need care, drops, figures.
pub fn mixed() -> Profile {
    let mut builder = Builder::new(Meta {
        comments: vec!["a comment".to_owned(), "and a second one, with ünïcode".to_owned()],
        stat: vec![
            ("user_ns".to_owned(), json!(744_400_000)),
            ("command".to_owned(), json!("ruby mixed.rb")),
            ("gc".to_owned(), json!({"count": 9, "minor": 6, "major": 3})),
            ("overhead".to_owned(), json!(0.1)),
        ],
        ..meta(Mode::Wall)
    });
    fill_counters(&mut builder);
    let main = frame(&mut builder, "mixed.rb", "<main>", 1, 12);
    let block = frame(&mut builder, "mixed.rb", "block in <main>", 12, 13);
    let times = frame(&mut builder, "<internal:numeric>", "Integer#times", 230, 238);
    let cpu_work = frame(&mut builder, "mixed.rb", "Object#cpu_work", 2, 4);
    let io_work = frame(&mut builder, "mixed.rb", "Object#io_work", 8, 9);
    let sleep = frame(&mut builder, "<C method>", "Kernel#sleep", 0, 0);
    let blocked = frame(&mut builder, "<GVL>", "[GVL blocked]", 0, 0);
    let wait = frame(&mut builder, "<GVL>", "[GVL wait]", 0, 0);
    let marking = frame(&mut builder, "<GC>", "[GC marking]", 0, 0);
    let sweeping = frame(&mut builder, "<GC>", "[GC sweeping]", 0, 0);
    let odd = frame(&mut builder, "lib/ödd;name.rb", "Odd#odd;name\nwith 日本語 \"quotes\"", 7, 70_000);

    let none = LabelSetId(0);
    let request = builder.intern_label_set(&[text("request", "abc-123"), text("endpoint", "GET /api/users")]);
    let job = builder.intern_label_set(&[text("job", ""), number("attempt", 0), number("priority", -5)]);
    let (first, second) = (ThreadSeq(1), ThreadSeq(2));
    let process = Process { pid: 4711, ppid: 4700, command: "ruby mixed.rb --öl".to_owned() };
    let process = Some(builder.intern_process(&process));
    builder.push_thread(Thread { seq: first, name: "main".to_owned(), native_id: 4711, process });
    builder.push_thread(Thread { seq: second, name: "wörker | \"2\"".to_owned(), native_id: 4713, process });
    builder.push(&[blocked, sleep, io_work, block, times, main], Nanos(250_600_000), 5, first, none);
    builder.push(&[cpu_work, times, cpu_work, block, times, main], Nanos(44_100_000), 44, first, none);
    builder.push(&[times, cpu_work, block, times, main], Nanos(13_900_000), 14, first, request);
    builder.push(&[sleep, io_work, block, times, main], Nanos(3_200_000), 4, second, request);
    builder.push(&[wait, sleep, io_work, block, times, main], Nanos(1_234), 5, second, job);
    builder.push(&[marking, odd, main], Nanos(7_654_321), 3, second, job);
    builder.push(&[sweeping, odd, main], Nanos(1_654_321), 2, second, job);
    builder.push(&[odd, main], Nanos(999_999), 1, ThreadSeq(0), none);
    builder.push(&[], Nanos(500_000), 1, first, none);
    builder.build()
}

/// A session in which nothing was sampled.
pub fn empty() -> Profile {
    Builder::new(meta(Mode::Cpu)).build()
}

fn fill_counters(builder: &mut Builder) {
    let counters = builder.counters_mut();
    counters.sampling_count = 80;
    counters.sampling_time = Nanos(123_456);
    counters.trigger_count = 81;
    counters.detected_thread_count = 2;
    counters.unique_frames = 11;
    counters.unique_stacks = 9;
    counters.label_overflow_count = 4;
    counters.drops = vec![
        ("buffer full".to_owned(), 12, Nanos(12_345_678)),
        ("stack table full".to_owned(), 1, Nanos(1_000_000)),
    ];
}

/// A location, with its function.
pub fn frame(builder: &mut Builder, path: &str, label: &str, start_line: u32, line: u32) -> LocationId {
    let function = builder.intern_function(path, label, start_line);
    builder.intern_location(function, line)
}

/// A label with text.
pub fn text(key: &str, value: &str) -> Label {
    Label { key: key.to_owned(), value: LabelValue::Text(value.to_owned()) }
}

/// A label with a number.
pub fn number(key: &str, value: i64) -> Label {
    Label { key: key.to_owned(), value: LabelValue::Number(value) }
}
