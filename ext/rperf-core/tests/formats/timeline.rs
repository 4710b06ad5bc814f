//! Profiles whose samples have moments.

use rperf_core::format::{Format, decode, encode};
use rperf_core::ids::{LabelSetId, ThreadSeq};
use rperf_core::profile::{Builder, Kinship, Meta, Profile, Sample, join, merge};
use rperf_core::state::{Mode, VmState};
use rperf_core::time::Nanos;
use serde_json::Value;

use crate::fixture::{self, frame, text};

/// Nanoseconds of a millisecond.
const MS: u64 = 1_000_000;

/// A program that computes for 2 ms, waits from 3 ms to 13 ms, and computes once more, beside a
/// thread whose only tick is at 8 ms. Labels come and go between the ticks.
fn profile(start_time_ns: i64) -> Profile {
    let meta = Meta { timeline: true, aggregated: false, start_time_ns, ..fixture::meta(Mode::Wall) };
    let mut builder = Builder::new(meta);
    let work = frame(&mut builder, "a.rb", "work", 1, 2);
    let (path, label) = (VmState::GvlBlocked.path(), VmState::GvlBlocked.label());
    let blocked = frame(&mut builder, path.expect("it has one"), label.expect("it has one"), 0, 0);
    let request = builder.intern_label_set(&[text("request", "a")]);
    let samples = [
        (&[work][..], 1, 1, request, 1),
        (&[work], 1, 1, request, 2),
        (&[work], 1, 2, LabelSetId(0), 8),
        (&[blocked, work], 10, 1, request, 13),
        (&[work], 2, 1, LabelSetId(0), 14),
    ];
    for (stack, weight, thread, label_set, moment) in samples {
        let stack = builder.intern_stack(stack);
        let (weight, moment, thread_seq) = (Nanos(weight * MS), Nanos(moment * MS), ThreadSeq(thread));
        builder.push_interned(
            stack,
            Sample { weight, count: 1, thread_seq, label_set, moment, ..Sample::default() },
        );
    }
    builder.build()
}

fn moments(profile: &Profile) -> Vec<u64> {
    profile.samples.iter().map(|sample| sample.moment.0 / MS).collect()
}

fn as_json(profile: &Profile, format: Format) -> Value {
    let bytes = encode(profile, format).expect("the profile is sound");
    serde_json::from_slice(&bytes).expect("it is JSON")
}

#[test]
fn json_keeps_moments() {
    let profile = profile(1_000);
    let bytes = encode(&profile, Format::Json).expect("the profile is sound");
    assert_eq!(decode(&bytes), Ok(profile));
}

#[test]
fn json_with_a_moment_too_few_is_damaged() {
    let mut document = as_json(&profile(1_000), Format::Json);
    document["moments_ns"].as_array_mut().expect("it is a list").pop();
    let damaged = decode(document.to_string().as_bytes()).expect_err("it is noticed");
    assert!(damaged.to_string().contains("it has 5 samples and 4 moments"), "{damaged}");
}

#[test]
fn a_moment_beyond_all_time_is_damage() {
    let mut document = as_json(&profile(1_000), Format::Json);
    document["moments_ns"][2] = u64::MAX.into();
    let damaged = decode(document.to_string().as_bytes()).expect_err("it is noticed");
    assert!(damaged.to_string().contains("a sample's moment is beyond 2^63 - 1"), "{damaged}");
}

#[test]
fn moments_of_merged_profiles_count_from_the_earliest_start() {
    let start = 1_700_000_000_000_000_000;
    let [later, earlier] = [profile(start + 20 * MS.cast_signed()), profile(start)];
    let merged = merge(&[&later, &earlier], Kinship::Parts);
    let merged = merged.expect("they are alike");
    assert_eq!(moments(&merged), [21, 22, 28, 33, 34, 1, 2, 8, 13, 14]);
    assert!(merged.meta.timeline);
}

#[test]
fn segments_follow_each_other_though_the_clock_was_set() {
    let (start, hour, length) = (1_700_000_000_000_000_000, 3_600_000 * MS.cast_signed(), 15 * MS);
    let set_back = start + 2 * length.cast_signed() - hour;
    let segments = [start, start + length.cast_signed(), set_back].map(|start| {
        let mut segment = profile(start);
        segment.meta.duration = Nanos(length);
        segment
    });
    let [first, second, third] = &segments;
    let joined = join(&[first, second, third]).expect("they are alike");
    assert_eq!(moments(&joined), [1, 2, 8, 13, 14, 16, 17, 23, 28, 29, 31, 32, 38, 43, 44]);
    assert_eq!((joined.meta.start_time_ns, joined.meta.duration), (start - hour, Nanos(3 * length)));
}

#[test]
fn a_merged_profile_has_a_timeline_only_where_all_have() {
    let (timeline, without) = (profile(1_000), fixture::mixed());
    let merged = merge(&[&timeline, &without], Kinship::Parts);
    assert!(!merged.expect("they are alike").meta.timeline);
    assert!(!timeline.merged().meta.timeline, "equal samples of different moments are one");
}

#[test]
fn the_firefox_profiler_sees_samples_and_spans_at_their_times() {
    let document = as_json(&profile(1_000), Format::Firefox);
    let track = &document["threads"][0];
    // The wait ends at 13 ms, so the tick at 14 ms stands for the 2 ms from there on.
    assert_eq!(track["samples"]["time"], serde_json::json!([0.0, 1.0, 3.0, 13.0]));
    let markers = &track["markers"];
    assert_eq!(markers["startTime"], serde_json::json!([3.0, 0.0]), "the wait, and the request");
    assert_eq!(markers["endTime"], serde_json::json!([13.0, 13.0]));
    assert_eq!(document["threads"][1]["samples"]["time"], serde_json::json!([7.0]));
}

#[test]
fn speedscope_has_nothing_open_between_samples() {
    let document = as_json(&profile(1_000), Format::Speedscope);
    let thread = &document["profiles"][0];
    // One half of the last tick's time has room after the wait only, the other before it.
    assert_eq!(thread["weights"], serde_json::json!([MS, MS, MS, 10 * MS, MS]));
    assert_eq!(thread["samples"][2], thread["samples"][4]);
    assert_eq!(thread["endValue"], serde_json::json!(14 * MS));
    assert_eq!(document["profiles"][1]["weights"], serde_json::json!([7 * MS, MS]));
    assert_eq!(document["profiles"][1]["samples"][0], serde_json::json!([]));
    let again = decode(document.to_string().as_bytes()).expect("rperf wrote it");
    assert_eq!((again.total(), again.samples.len()), (profile(1_000).total(), 6));
}

#[test]
fn a_tick_does_not_cut_the_wait_in_which_it_is() {
    let mut document = as_json(&profile(1_000), Format::Json);
    document["moments_ns"][0] = (12 * MS).into();
    let late = decode(document.to_string().as_bytes()).expect("it is sound");
    let firefox = as_json(&late, Format::Firefox);
    let markers = &firefox["threads"][0]["markers"];
    assert_eq!((&markers["startTime"][0], &markers["endTime"][0]), (&3.0.into(), &13.0.into()));
    let speedscope = as_json(&late, Format::Speedscope);
    let thread = &speedscope["profiles"][0];
    assert_eq!(thread["weights"], serde_json::json!([MS, MS, MS, 10 * MS, MS]));
    assert_eq!(thread["endValue"], serde_json::json!(14 * MS));
}
