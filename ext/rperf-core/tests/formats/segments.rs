//! Segments of one recording, joined again.

use rperf_core::ids::{LabelSetId, ProcessId, ThreadSeq};
use std::sync::Arc;

use rperf_core::profile::{
    Builder, Process, Profile, SEGMENT_LIMIT, Thread, ValueType, ValueTypes, join, join_modes,
};
use rperf_core::state::Mode;
use rperf_core::time::Nanos;
use rperf_core::work::{Figures, Kind};

use crate::fixture::{self, frame};

/// A segment of a session in this mode, whose samples have these values: a method, its values, and
/// the thread.
fn segment(mode: Mode, start: i64, samples: &[(&str, &[u64], u32)]) -> Profile {
    let mut meta = fixture::meta(mode);
    (meta.start_time_ns, meta.duration) = (start, Nanos(100));
    meta.comments = Vec::new();
    let types = |(kind, unit): &(&str, &str)| ValueType::new(*kind, *unit);
    if mode == Mode::Heap {
        meta.value_types = ValueTypes::new(mode.values().iter().map(types).collect(), 3);
    }
    let mut builder = Builder::new(meta);
    for (label, values, thread) in samples {
        let leaf = frame(&mut builder, "a.rb", label, 1, 1);
        builder.push_values(&[leaf], values, 1, ThreadSeq(*thread), LabelSetId(0));
    }
    builder.build()
}

fn shown(profile: &Profile) -> Vec<(String, u32, Vec<u64>)> {
    let label = |sample| profile.function_at(profile.stack(sample)[0]).label.clone();
    let mut rows: Vec<_> = profile
        .samples
        .iter()
        .map(|sample| (label(sample), sample.thread_seq.0, sample.all_values().to_vec()))
        .collect();
    rows.sort();
    rows
}

fn row(label: &str, thread: u32, values: &[u64]) -> (String, u32, Vec<u64>) {
    (label.to_owned(), thread, values.to_vec())
}

#[test]
fn a_thread_is_the_same_in_all_segments() {
    let named = |mut profile: Profile, names: &[(u32, &str)], command: &str| {
        let thread = |(seq, name): &(u32, &str)| Thread {
            seq: ThreadSeq(*seq),
            name: (*name).to_owned(),
            native_id: 1,
            process: Some(ProcessId(0)),
        };
        profile.threads = names.iter().map(thread).collect();
        profile.processes = vec![Process { pid: 7, ppid: 1, command: command.to_owned() }];
        profile.counters.detected_thread_count = names.len() as u64;
        profile
    };
    let first = segment(Mode::Wall, 1_000, &[("x", &[10], 1), ("y", &[20], 2)]);
    let second = segment(Mode::Wall, 1_100, &[("x", &[1], 1), ("x", &[2], 3)]);
    let first = named(first, &[(1, "main"), (2, "ended")], "boot");
    let second = named(second, &[(1, "renamed"), (3, "new")], "server");
    let joined = join(&[&first, &second]).expect("they are alike");
    assert_eq!(joined.check(), Ok(()));
    assert_eq!(shown(&joined), [row("x", 1, &[11]), row("x", 3, &[2]), row("y", 2, &[20])]);
    let names: Vec<_> = joined.threads.iter().map(|thread| (thread.seq.0, thread.name.as_str())).collect();
    assert_eq!(names, [(1, "renamed"), (2, "ended"), (3, "new")]);
    assert_eq!(joined.processes.iter().map(|it| it.command.as_str()).collect::<Vec<_>>(), ["server"]);
    assert_eq!(joined.counters.detected_thread_count, 3);
    assert_eq!((joined.meta.start_time_ns, joined.meta.duration), (1_000, Nanos(200)));
}

#[test]
fn the_frequency_is_that_at_the_end() {
    let [first, last] = [99, 49].map(|frequency| {
        let mut part = segment(Mode::Cpu, 0, &[]);
        part.meta.frequency = frequency;
        part
    });
    assert_eq!(join(&[&first, &last]).expect("they are alike").meta.frequency, 49);
}

#[test]
fn what_is_in_use_is_that_of_the_last_segment() {
    let first = segment(Mode::Heap, 0, &[("made", &[5, 50, 3, 30], 1), ("kept", &[0, 0, 1, 10], 1)]);
    let second = segment(Mode::Heap, 100, &[("made", &[1, 10, 2, 20], 1), ("kept", &[0, 0, 1, 16], 1)]);
    let joined = join(&[&first, &second]).expect("they are alike");
    assert_eq!(shown(&joined), [row("kept", 1, &[0, 0, 1, 16]), row("made", 1, &[6, 60, 2, 20])]);
    let died = join(&[&first, &segment(Mode::Heap, 100, &[])]).expect("they are alike");
    assert_eq!(shown(&died), [row("made", 1, &[5, 50, 0, 0])]);
}

#[test]
fn a_value_that_is_named_later_was_nothing_before() {
    let types = |names: &[&str]| {
        ValueTypes::new(names.iter().map(|name| ValueType::new(*name, "count")).collect(), 0)
    };
    let with = |names: &[&str], values: &[u64]| {
        let mut builder = Builder::new(rperf_core::profile::Meta {
            value_types: types(names),
            ..fixture::meta(Mode::Custom)
        });
        let leaf = frame(&mut builder, "a.rb", "x", 1, 1);
        builder.push_values(&[leaf], values, 1, ThreadSeq(1), LabelSetId(0));
        builder.build()
    };
    let joined = join(&[&with(&["weight"], &[4]), &with(&["weight", "rows"], &[1, 9])]).expect("they go on");
    assert_eq!(shown(&joined), [row("x", 1, &[5, 9])]);
    assert_eq!(joined.check(), Ok(()));
}

#[test]
fn comments_are_those_of_the_last_and_counts_are_summed() {
    let with = |comments: &[&str]| {
        let mut profile = segment(Mode::Wall, 0, &[]);
        profile.meta.comments = comments.iter().map(|&comment| comment.to_owned()).collect();
        profile
    };
    let cut = |count| format!("truncated stacks: {count}, whose callers were in doubt");
    let first = with(&["objects allocated: 12", &cut(3), "collections: 1 minor, 0 major"]);
    let last = with(&["objects allocated: 30", "collections: 4 minor, 1 major"]);
    let joined = join(&[&first, &last]).expect("they are alike");
    assert_eq!(joined.meta.comments, ["objects allocated: 42", "collections: 4 minor, 1 major", &cut(3)]);
}

#[test]
fn a_segment_that_is_given_up_is_counted() {
    let given_up = segment(Mode::Wall, 50, &[("x", &[10], 1), ("y", &[20], 2)]).given_up();
    assert_eq!((given_up.samples.len(), given_up.functions.len()), (0, 0));
    assert_eq!(given_up.given_up(), given_up, "nothing is lost twice");
    let next = segment(Mode::Wall, 150, &[("x", &[1], 1)]);
    let joined = join(&[&given_up, &next]).expect("they are alike");
    assert_eq!(joined.counters.drops, [(SEGMENT_LIMIT.to_owned(), 2, Nanos(30))]);
    assert_eq!((joined.meta.start_time_ns, joined.meta.duration), (50, Nanos(200)));
    assert!(next.memory_size() > given_up.memory_size());
    let objects = segment(Mode::Heap, 0, &[("x", &[1, 40, 1, 40], 1)]).given_up();
    assert_eq!(objects.counters.drops, [(SEGMENT_LIMIT.to_owned(), 1, Nanos::ZERO)]);
}

#[test]
fn the_modes_of_a_recording_share_its_ledger() {
    let segment = |start| {
        let mut cpu = segment(Mode::Cpu, start, &[("x", &[1], 1)]);
        Arc::make_mut(&mut cpu.ledger).add(
            Kind::Request,
            "GET /",
            "endpoint",
            &Figures { units: 1, ..Figures::default() },
        );
        let alone = cpu.memory_size();
        let wall = Profile { ledger: cpu.ledger.clone(), ..segment(Mode::Wall, start, &[("x", &[3], 1)]) };
        assert!(cpu.memory_size() < alone);
        [cpu, wall]
    };
    let segments = [segment(0), segment(100)];
    let joined =
        join_modes(&segments.each_ref().map(|segment| segment.iter().collect())).expect("they are alike");
    let weights: Vec<_> = joined.iter().map(|profile| (profile.meta.mode, profile.total().0)).collect();
    assert_eq!(weights, [(Mode::Cpu, 2), (Mode::Wall, 6)]);
    assert!(Arc::ptr_eq(&joined[0].ledger, &joined[1].ledger));
    assert_eq!(joined[1].ledger.get(Kind::Request, "GET /").map(|figures| figures.units), Some(2));
}

#[test]
fn no_segments_are_no_profile() {
    assert!(join(&[]).is_err());
    assert_eq!(join_modes(&[]), Ok(Vec::new()));
}
