//! Profiles of other tools that are not pprof: stackprof, speedscope, the Firefox Profiler.

use rperf_core::format::{Format, decode, encode};
use rperf_core::profile::{Precision, Profile, ValueType, state_totals};
use rperf_core::state::{Mode, VmState};
use rperf_core::time::Nanos;

use crate::fixture;
use crate::foreign::{bytes_of, read};
use crate::heap::heap;

/// Stacks from the root, as `label:line`, with weight, count and thread.
fn rows(profile: &Profile) -> Vec<(String, u64, u64, u32)> {
    let row = |sample| {
        let frames = profile.stack(sample).iter().rev().map(|at| {
            let line = profile.locations[at.index()].line;
            format!("{}:{line}", profile.function_at(*at).label)
        });
        (frames.collect::<Vec<_>>().join(" "), sample.weight.0, sample.count, sample.thread_seq.0)
    };
    profile.samples.iter().map(row).collect()
}

fn row(stack: &str, weight: u64, count: u64, thread: u32) -> (String, u64, u64, u32) {
    (stack.to_owned(), weight, count, thread)
}

fn function<'p>(profile: &'p Profile, label: &str) -> (&'p str, u32) {
    let function = profile.functions.iter().find(|function| function.label == label);
    function.map(|function| (function.path.as_str(), function.start_line)).expect("the function is there")
}

/// The threads that have names, by number.
fn threads(profile: &Profile) -> Vec<(u32, &str)> {
    profile.threads.iter().map(|thread| (thread.seq.0, thread.name.as_str())).collect()
}

#[test]
fn stackprof_with_stacks() {
    let profile = read("stackprof_raw.dump");
    let expected = [
        row("<main>:12 Object#fib:5 Object#fib:4", 3_000_000, 3, 0),
        row("<main>:12 Object#fib:5", 2_000_000, 2, 0),
        row("(garbage collection):0 [GC marking]:0", 2_000_000, 2, 0),
        row("<main>:12 String#split:0", 2_000_000, 2, 0),
    ];
    assert_eq!(rows(&profile), expected);
    assert_eq!(function(&profile, "Object#fib"), ("/app/fib.rb", 3));
    assert_eq!(state_totals(&profile)[VmState::GcMark as usize], Nanos(2_000_000));
    let meta = &profile.meta;
    assert_eq!((meta.mode, meta.frequency, meta.duration), (Mode::Wall, 1000, Nanos(8_008_000)));
    assert_eq!((meta.value_types.chosen(), meta.aggregated), (None, false));
    assert_eq!(profile.counters.drops, [("missed samples".to_owned(), 3, Nanos(0))]);
}

#[test]
fn stackprof_as_json_is_the_same() {
    assert_eq!(read("stackprof.json"), read("stackprof_raw.dump"));
}

#[test]
fn stackprof_without_stacks() {
    let profile = read("stackprof_aggregate.dump");
    let expected = [
        row("Object#fib:4", 3_000_000, 3, 0),
        row("Object#fib:5", 2_000_000, 2, 0),
        row("String#split:0", 2_000_000, 2, 0),
        row("[GC marking]:0", 2_000_000, 2, 0),
    ];
    assert_eq!(rows(&profile), expected);
    assert_eq!((profile.meta.mode, profile.meta.aggregated), (Mode::Cpu, true));
    assert!(profile.meta.comments[1].contains("raw: true"), "{:?}", profile.meta.comments);
}

#[test]
fn stackprof_of_allocations() {
    let profile = read("stackprof_object.dump");
    assert_eq!(profile.value_type(), ValueType::new("objects", "count"));
    assert_eq!(rows(&profile)[0], row("<main>:0 Object#fib:0 Object#fib:0", 30, 3, 0));
    assert_eq!(profile.meta.frequency, 0);
}

#[test]
fn stackprof_of_samples_that_the_program_takes() {
    let text = String::from_utf8(bytes_of("stackprof.json")).expect("it is text");
    let text = text.replace("\"mode\":\"wall\",\"interval\":1000", "\"mode\":\"custom\",\"interval\":0");
    let profile = decode(text.as_bytes()).expect("it is sound");
    assert_eq!((profile.value_type(), profile.total()), (ValueType::new("samples", "count"), Nanos(9)));
}

#[test]
fn speedscope_of_events_and_samples() {
    let profile = read("speedscope_evented.json");
    let expected = [
        row("main:0", 1_250_000, 1, 1),
        row("main:0 work:0", 2_750_000, 1, 1),
        row("main:0 rest:0", 2_000_000, 1, 1),
        row("main:0", 2_000_000, 1, 1),
        row("main:0 work:0", 4_500, 1, 2),
        row("", 5_000, 1, 2),
        row("main:0 rest:0", 2_500, 1, 2),
    ];
    assert_eq!(rows(&profile), expected);
    assert_eq!((function(&profile, "main"), function(&profile, "work")), (("a.js", 1), ("", 0)));
    assert_eq!(profile.value_type(), ValueType::time("time"));
    assert_eq!(threads(&profile), [(1, "worker")]);
}

#[test]
fn firefox_with_tables_in_each_thread() {
    let profile = read("firefox_old.json");
    let expected = [
        row("(root):0 work:7 work:8", 2_000_000, 1, 1),
        row("(root):0 work:7", 2_000_000, 1, 1),
        row("", 2_000_000, 1, 1),
        row("(root):0 work:7 work:8", 2_000_000, 1, 1),
    ];
    assert_eq!(rows(&profile), expected);
    assert_eq!(function(&profile, "work"), ("app.js", 5));
    assert_eq!(threads(&profile), [(1, "GeckoMain")]);
    let meta = &profile.meta;
    assert_eq!((meta.frequency, meta.start_time_ns), (500, 1_700_000_000_000_500_000));
    assert_eq!(meta.comments, ["Firefox Profiler: Some App"]);
}

#[test]
fn firefox_with_shared_tables() {
    let profile = read("firefox_new.json");
    let expected = [
        row("(root):0 work:7", 1_500_000, 1, 1),
        row("(root):0 work:8", 250_000, 1, 1),
        row("(root):0", 3_000_000, 1, 2),
    ];
    assert_eq!(rows(&profile), expected);
    assert_eq!(function(&profile, "work"), ("app.js", 5));
    assert_eq!(threads(&profile), [(2, "Compositor")]);
}

#[test]
fn counts_and_bytes_stay_as_they_are() {
    for index in 0..4 {
        let mut profile = heap();
        profile.choose(index);
        for format in [Format::Firefox, Format::Speedscope] {
            let bytes = encode(&profile, format).expect("it is sound");
            let again = decode(&bytes).expect("rperf wrote it");
            assert_eq!(again.total(), profile.total(), "{format:?}");
        }
    }
}

/// By stack and thread: the order of threads is that of the file.
fn sorted(profile: &Profile) -> Vec<(String, u64, u64, u32)> {
    let mut rows = rows(profile);
    rows.iter_mut().for_each(|row| row.2 = 1);
    rows.sort();
    rows
}

/// A fixture whose threads are numbered as files number them.
fn numbered() -> Profile {
    let mut profile = fixture::mixed();
    profile.samples.iter_mut().for_each(|sample| sample.thread_seq.0 = sample.thread_seq.0.max(1));
    profile
}

#[test]
fn firefox_keeps_stacks_lines_and_what_the_session_says() {
    let profile = numbered();
    let again = decode(&encode(&profile, Format::Firefox).expect("it is sound")).expect("it can be read");
    assert_eq!(sorted(&again), sorted(&profile));
    assert_eq!(again.counters.drops, profile.counters.drops);
    let expected = (profile.meta.mode, &profile.meta.comments, &profile.meta.ruby_version, None);
    assert_eq!(
        (again.meta.mode, &again.meta.comments, &again.meta.ruby_version, again.meta.value_types.chosen()),
        expected
    );
}

#[test]
fn ticks_of_a_file_of_merged_samples_without_counts_are_estimated() {
    let mut profile = numbered();
    for sample in &mut profile.samples {
        (sample.weight, sample.count) = (Nanos(25_000_000), 1);
    }
    for format in [Format::Firefox, Format::Otlp] {
        let again = decode(&encode(&profile, format).expect("it is sound")).expect("it can be read");
        let Precision { ticks, is_estimated, .. } = Precision::of(&again);
        assert_eq!((ticks, is_estimated), (again.total().0 / 1_000_000, true), "{format:?}");
        assert!(again.samples.iter().all(|sample| sample.count % 25 == 0), "{format:?}");
    }
}

#[test]
fn threads_of_other_tools_are_threads_in_pprof_and_otlp_too() {
    let profile = read("speedscope_evented.json");
    for format in [Format::Pprof, Format::Otlp] {
        let again = decode(&encode(&profile, format).expect("it is sound")).expect("rperf wrote it");
        assert_eq!(threads(&again), threads(&profile), "{format:?}");
        assert_eq!(again.label_sets.len(), 1, "{format:?}");
    }
}

#[test]
fn speedscope_keeps_functions_and_the_mode() {
    let profile = numbered();
    let again = decode(&encode(&profile, Format::Speedscope).expect("it is sound")).expect("it can be read");
    assert_eq!((again.meta.mode, again.meta.value_types.chosen()), (Mode::Wall, None));
    let collapsed = |profile: &Profile| encode(profile, Format::Collapsed).expect("it is sound");
    assert_eq!(collapsed(&again), collapsed(&profile));
    assert_eq!(function(&again, "Object#cpu_work"), function(&profile, "Object#cpu_work"));
}
