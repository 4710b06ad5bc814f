//! Merging and comparing profiles.

use std::collections::BTreeMap;

use rperf_core::ids::{LabelSetId, ProcessId, ThreadSeq};
use rperf_core::profile::{
    Builder, Kinship, Meta, Period, Process, Profile, Thread, ValueType, ValueTypes, diff, merge,
    state_totals, totals,
};
use rperf_core::state::Mode;
use rperf_core::time::Nanos;

use crate::fixture::{self, frame};
use crate::random;

fn merge_all(profiles: &[Profile]) -> Profile {
    let sources: Vec<_> = profiles.iter().collect();
    merge(&sources, Kinship::Recordings).expect("the profiles are alike")
}

/// A profile of one session: methods with their weights on threads, all called by `<main>`.
fn session(start_time_ns: i64, duration: u64, samples: &[(&str, u64, u32)]) -> Profile {
    let mut meta = fixture::meta(Mode::Wall);
    (meta.start_time_ns, meta.duration) = (start_time_ns, Nanos(duration));
    let mut builder = Builder::new(meta);
    let main = frame(&mut builder, "a.rb", "<main>", 1, 1);
    for (label, weight, thread) in samples {
        let leaf = frame(&mut builder, "a.rb", label, 2, 3);
        builder.push(&[leaf, main], Nanos(*weight), 1, ThreadSeq(*thread), LabelSetId(0));
    }
    builder.build()
}

fn weights_by_thread(profile: &Profile) -> BTreeMap<u32, u64> {
    let mut weights = BTreeMap::new();
    for sample in &profile.samples {
        *weights.entry(sample.thread_seq.0).or_default() += sample.weight.0;
    }
    weights
}

#[test]
fn merging_keeps_sums_and_threads() {
    let one = session(1_000, 500, &[("x", 10, 1), ("y", 20, 2), ("z", 1, 0)]);
    let two = session(1_200, 900, &[("x", 100, 1), ("w", 200, 3), ("z", 2, 0)]);
    let merged = merge_all(&[one, two]);
    assert_eq!(merged.check(), Ok(()));
    assert_eq!(weights_by_thread(&merged), BTreeMap::from([(0, 3), (1, 10), (2, 20), (3, 100), (5, 200)]));
    // The samples of no known thread are merged.
    assert_eq!((merged.samples.len(), merged.tick_count()), (5, 6));
    assert_eq!((merged.meta.start_time_ns, merged.meta.duration), (1_000, Nanos(1_400)));
    assert_eq!(merged.functions.len(), 5);
}

#[test]
fn recordings_last_as_long_as_all_together_and_parts_of_one_as_long_as_it() {
    let duration = |times: &[(i64, u64)], kinship| {
        let profiles: Vec<_> =
            times.iter().map(|(start, duration)| session(*start, *duration, &[])).collect();
        let sources: Vec<_> = profiles.iter().collect();
        merge(&sources, kinship).expect("the profiles are alike").meta.duration.0
    };
    // At the same time, one after the other with a pause, and one whose start is unknown.
    for (times, sum, span) in [
        (vec![(1_000, 500), (1_200, 900)], 1_400, 1_100),
        (vec![(1_000, 500), (9_000, 10)], 510, 8_010),
        (vec![(1_000, 500), (0, 700)], 1_200, 700),
    ] {
        assert_eq!(duration(&times, Kinship::Recordings), sum);
        assert_eq!(duration(&times, Kinship::Parts), span);
    }
}

#[test]
fn merging_one_profile_changes_nothing_but_its_figures() {
    let mut profile = fixture::mixed();
    let merged = merge_all(&[profile.clone()]);
    profile.meta.stat.clear();
    assert_eq!(merged, profile);
}

#[test]
fn merging_sums_counters_and_drops() {
    let mut other = fixture::mixed();
    other.counters.drops[1].0 = "another cause".to_owned();
    let merged = merge_all(&[fixture::mixed(), other]);
    assert_eq!(merged.counters.sampling_count, 160);
    assert_eq!(merged.counters.detected_thread_count, 4);
    let drops: Vec<_> = merged
        .counters
        .drops
        .iter()
        .map(|(cause, samples, time)| (cause.as_str(), *samples, time.0))
        .collect();
    let expected = [
        ("another cause", 1, 1_000_000),
        ("buffer full", 24, 24_691_356),
        ("stack table full", 1, 1_000_000),
    ];
    assert_eq!(drops, expected);
    assert_eq!(merged.meta.comments, fixture::mixed().meta.comments);
}

#[test]
fn merging_keeps_names_and_processes_of_threads() {
    let named = |names: &[(u32, &str)], pid| {
        let mut profile = session(1, 1, &names.iter().map(|(seq, _)| ("x", 1, *seq)).collect::<Vec<_>>());
        let process = Some(ProcessId(0));
        let thread = |(seq, name): &(u32, &str)| Thread {
            seq: ThreadSeq(*seq),
            name: (*name).to_owned(),
            native_id: 100 + seq,
            process,
        };
        profile.threads = names.iter().map(thread).collect();
        profile.processes = vec![Process { pid, ppid: 1, command: format!("worker {pid}") }];
        profile
    };
    let one = named(&[(1, ""), (2, "a"), (3, "never sampled")], 11);
    let merged = merge_all(&[one, named(&[(1, "b")], 12), named(&[(1, "c")], 11)]);
    assert_eq!(merged.check(), Ok(()));
    let threads: Vec<_> = merged.threads.iter().map(|it| (it.seq.0, it.name.as_str(), it.process)).collect();
    let [first, second] = [0, 1].map(|process| Some(ProcessId(process)));
    let expected =
        [(1, "", first), (2, "a", first), (3, "never sampled", first), (4, "b", second), (5, "c", first)];
    assert_eq!(threads, expected);
    let pids: Vec<_> = merged.processes.iter().map(|process| process.pid).collect();
    assert_eq!(pids, [11, 12]);
}

#[test]
fn merging_random_profiles_keeps_sums() {
    for seed in 0..100 {
        let alike = |profile: &Profile| profile.value_type() == ValueType::time("cpu");
        let profiles: Vec<_> = (0..5).map(|index| random::profile(seed * 5 + index)).filter(alike).collect();
        if profiles.is_empty() {
            continue;
        }
        let merged = merge_all(&profiles);
        assert_eq!(merged.check(), Ok(()));
        assert_eq!(merged.total(), profiles.iter().map(Profile::total).sum());
        assert_eq!(merged.tick_count(), profiles.iter().map(Profile::tick_count).sum::<u64>());
        assert_eq!(merged.meta.aggregated, profiles.iter().all(|profile| profile.meta.aggregated));
        let running = |profile: &Profile| state_totals(profile)[0];
        assert_eq!(running(&merged), profiles.iter().map(running).sum());
    }
}

#[test]
fn profiles_of_different_modes_do_not_mix() {
    let message = "the profiles measure different things, cpu (nanoseconds) and wall (nanoseconds): \
                   use profiles of the same mode";
    let (cpu, wall) = (fixture::fib(), fixture::mixed());
    let error = merge(&[&cpu, &wall], Kinship::Recordings).expect_err("the modes differ");
    assert_eq!(error.to_string(), message);
    assert_eq!(diff(&cpu, &wall).expect_err("the modes differ").to_string(), message);
    assert_eq!(
        merge(&[], Kinship::Recordings).expect_err("nothing").to_string(),
        "there is no profile to merge: give at least one"
    );
}

/// One sample of a mode with these values, named in this order; the first one weighs.
fn with_values(mode: Mode, values: &[(&str, u64)]) -> Profile {
    let unit = if mode.is_timed() { ValueType::NANOSECONDS } else { "count" };
    let types = values.iter().map(|(kind, _)| ValueType::new(*kind, unit)).collect();
    let value_types = ValueTypes::new(types, 0);
    let mut builder = Builder::new(Meta { mode, value_types, aggregated: true, ..Meta::default() });
    let leaf = frame(&mut builder, "a.rb", "x", 1, 1);
    let values: Vec<u64> = values.iter().map(|(_, value)| *value).collect();
    builder.push_values(&[leaf], &values, 1, ThreadSeq(0), LabelSetId(0));
    builder.build()
}

#[test]
fn programs_may_name_different_values() {
    let one = with_values(Mode::Custom, &[("weight", 1), ("rows", 20), ("hits", 3)]);
    let two = with_values(Mode::Custom, &[("weight", 4), ("hits", 5), ("misses", 6)]);
    let none = with_values(Mode::Custom, &[("weight", 7)]);
    for (sources, names, values) in [
        ([&one, &two, &none], ["weight", "rows", "hits", "misses"], [12, 20, 8, 6]),
        ([&none, &two, &one], ["weight", "hits", "misses", "rows"], [12, 8, 6, 20]),
    ] {
        let merged = merge(&sources, Kinship::Recordings).expect("they are of one mode");
        assert_eq!(merged.check(), Ok(()));
        assert_eq!(merged.value_types().iter().map(|it| it.kind.as_str()).collect::<Vec<_>>(), names);
        assert_eq!((&*merged.samples[0].values, merged.total()), (&values[..], Nanos(12)));
    }
    assert_eq!(merge(&[&none, &none], Kinship::Recordings).map(|it| it.total()), Ok(Nanos(14)));
}

/// Chance has moved what was sampled most rarely furthest.
#[test]
fn the_longest_period_counts() {
    let every = |length| {
        let mut profile = with_values(Mode::Alloc, &[("alloc_objects", 400), ("alloc_space", 16_000)]);
        profile.meta.period = Some(Period { value_type: ValueType::new("objects", "count"), length });
        profile
    };
    let merged = merge_all(&[every(1), every(100), every(4)]);
    assert_eq!(merged.meta.period.map(|period| period.length), Some(100));
}

#[test]
fn one_part_of_a_recording_may_blame_and_another_not() {
    let blaming = with_values(Mode::Wall, &[("wall", 9), ("gvl_wait_caused", 2)]);
    let mut plain = with_values(Mode::Wall, &[("wall", 5)]);
    plain.meta.value_types = ValueTypes::default();
    for (sources, kinds) in [([&blaming, &plain], 2), ([&plain, &blaming], 2), ([&plain, &plain], 1)] {
        let merged = merge(&sources, Kinship::Parts).expect("they are parts of one recording");
        assert_eq!((merged.value_types().len(), merged.check()), (kinds, Ok(())));
    }
    merge(&[&blaming, &plain], Kinship::Recordings).expect_err("they are recordings of their own");
    plain.meta.mode = Mode::Cpu;
    merge(&[&blaming, &plain], Kinship::Parts).expect_err("the modes differ");
}

#[test]
fn merging_what_is_too_large_is_an_error() {
    let huge = session(1, 1, &[("x", i64::MAX as u64, 1)]);
    let error = merge(&[&huge, &huge], Kinship::Recordings).expect_err("the sum overflows");
    assert_eq!(error.to_string(), "a profile cannot be used: its weights sum to more than 2^63 - 1");
    let threads = session(1, 1, &[("x", 1, u32::MAX)]);
    let error = merge(&[&threads, &threads], Kinship::Recordings).expect_err("the numbers overflow");
    assert_eq!(error.to_string(), "the profiles are too large together: use fewer of them");
}

#[test]
fn times_that_somebody_made_up_do_not_overflow() {
    let early = session(i64::MIN, u64::MAX, &[]);
    let late = session(i64::MAX, u64::MAX, &[]);
    let merged = merge_all(&[early, late]);
    assert_eq!((merged.meta.start_time_ns, merged.meta.duration), (i64::MIN, Nanos(u64::MAX)));
}

#[test]
fn difference_is_target_minus_base() {
    let base = session(1, 1, &[("x", 100, 1), ("y", 50, 1), ("gone", 7, 1), ("same", 5, 1)]);
    let target = session(1, 1, &[("x", 30, 1), ("y", 60, 2), ("new", 9, 1), ("same", 5, 9)]);
    let diff = diff(&base, &target).expect("the modes are the same");
    assert_eq!((diff.total.base.weight, diff.total.target.weight, diff.total.delta()), (162, 104, -58));
    let deltas: BTreeMap<_, _> = (diff.functions.iter())
        .map(|entry| (entry.label, (entry.self_time.delta(), entry.cumulative.delta())))
        .collect();
    let expected = [
        ("<main>", (0, -58)),
        ("gone", (-7, -7)),
        ("new", (9, 9)),
        ("same", (0, 0)),
        ("x", (-70, -70)),
        ("y", (10, 10)),
    ];
    assert_eq!(deltas, BTreeMap::from(expected));
}

#[test]
fn difference_of_a_profile_with_itself_is_nothing() {
    for seed in 0..50 {
        let profile = random::profile(seed);
        let diff = diff(&profile, &profile).expect("it is the same profile");
        let deltas = diff.functions.iter().flat_map(|entry| [entry.self_time, entry.cumulative]);
        assert!(deltas.into_iter().all(|change| change.delta() == 0));
    }
}

#[test]
fn difference_from_nothing_is_the_profile() {
    let nothing = Profile::new(fixture::meta(Mode::Wall));
    let profile = fixture::mixed();
    let diff = diff(&nothing, &profile).expect("the modes are the same");
    let sums: Vec<_> = diff
        .functions
        .iter()
        .map(|entry| (entry.label, entry.self_time.delta() as u64, entry.cumulative.delta() as u64))
        .collect();
    let totals = totals(&profile);
    let expected: Vec<_> =
        totals.functions.iter().map(|entry| (entry.label, entry.self_time.0, entry.cumulative.0)).collect();
    assert_eq!(sums, expected);
}
