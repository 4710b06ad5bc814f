//! What is encoded can be decoded again: JSON exactly, the others as far as the format carries.

use std::collections::BTreeMap;
use std::io::Read;

use flate2::read::GzDecoder;
use rperf_core::format::{Encoding, Format, decode, encode};
use rperf_core::profile::{Counters, Label, Meta, Profile, Sample, Ticks, ValueType};
use rperf_core::state::Mode;

use crate::{fixture, heap, random};

const SEEDS: u64 = 300;

fn profiles() -> impl Iterator<Item = Profile> {
    [fixture::fib(), fixture::mixed(), heap::heap(), fixture::empty()]
        .into_iter()
        .chain((0..SEEDS).map(random::profile))
}

fn again(profile: &Profile, encoding: impl Into<Encoding>) -> Profile {
    let encoding = encoding.into();
    let bytes = encode(profile, encoding).expect("the profile is sound");
    decode(&bytes).unwrap_or_else(|error| panic!("{encoding:?}: {error}"))
}

#[test]
fn json_keeps_everything() {
    for profile in profiles() {
        assert_eq!(again(&profile, Format::Json), profile);
        assert_eq!(again(&profile, Format::Json.gzipped()), profile);
    }
}

#[test]
fn json_keeps_the_order_of_labels_and_figures() {
    let mut profile = fixture::mixed();
    profile.label_sets[1].reverse();
    profile.meta.stat.reverse();
    assert_eq!(again(&profile, Format::Json), profile);
}

/// A stack frame by frame (path, label, start line, line), and what it was sampled with.
type Row = (Vec<(String, String, u32, u32)>, u32, Vec<Label>, u64, Box<[u64]>, u64);

fn rows(profile: &Profile) -> Vec<Row> {
    let row = |sample| {
        let frames = profile.stack(sample).iter().map(|at| {
            let function = profile.function_at(*at);
            let line = profile.locations[at.index()].line;
            (function.path.clone(), name_in_pprof(&function.label), function.start_line, line)
        });
        let texts = profile.labels(sample).texts().map(|(key, text)| fixture::text(key, text));
        let numbers = profile.labels(sample).numbers().map(|(key, number)| fixture::number(key, number));
        let mut labels: Vec<_> = texts.chain(numbers).collect();
        labels.sort();
        (frames.collect(), sample.thread_seq.0, labels, sample.weight.0, sample.values.clone(), sample.count)
    };
    profile.samples.iter().map(row).collect()
}

/// A function without a name is shown as unknown.
fn name_in_pprof(label: &str) -> String {
    if label.is_empty() { "<unknown>".to_owned() } else { label.to_owned() }
}

#[test]
fn pprof_keeps_merged_samples_and_what_the_session_says() {
    for profile in profiles() {
        let mut expected = profile.merged().into_owned();
        // Beside other values than times only ticks are counted, and nothing beside several.
        let ticks = Ticks::of(&expected);
        let (kept, _) = expected.sample_types();
        let count = |it: &Sample| ticks.counts(&expected, it)[..kept].iter().sum();
        let counts: Vec<u64> = expected.samples.iter().map(count).collect();
        expected.samples.iter_mut().zip(counts).for_each(|(sample, count)| sample.count = count);
        let mut actual = again(&profile, Format::Pprof);
        if kept == 0 {
            actual.samples.iter_mut().for_each(|sample| sample.count = 0);
        }
        assert_eq!(rows(&actual), rows(&expected));
        let duration = profile.meta.duration;
        let meta = Meta { stat: Vec::new(), aggregated: true, duration, ..profile.meta.clone() };
        assert_eq!(actual.meta, meta);
        let Counters { sampling_time, hook_time, drops, label_overflow_count, .. } = profile.counters.clone();
        // Only rperf's own recordings have comments of it.
        let counters = match profile.meta.rperf_version.is_empty() {
            true => Counters::default(),
            false => {
                Counters { sampling_time, hook_time, drops, label_overflow_count, ..Counters::default() }
            }
        };
        assert_eq!(actual.counters, counters);
    }
}

#[test]
fn pprof_of_pprof_is_the_same() {
    for profile in profiles() {
        let once = again(&profile, Format::Pprof);
        assert_eq!(again(&once, Format::Pprof), once);
    }
}

/// What OTLP keeps of a profile: merged samples that weigh anything, what the session says, and no
/// counts.
fn as_in_otlp(profile: &Profile) -> (Vec<Row>, Meta, Counters) {
    let mut merged = profile.merged().into_owned();
    merged.samples.retain(|sample| sample.all_values().iter().any(|value| *value != 0));
    merged.samples.iter_mut().for_each(|sample| sample.count = 0);
    let rows = rows(&merged);
    let start_time_ns = merged.meta.start_time_ns.max(0);
    (rows, Meta { start_time_ns, resource: Vec::new(), ..merged.meta }, merged.counters)
}

#[test]
fn otlp_keeps_merged_samples_and_what_the_session_says() {
    for profile in profiles() {
        let (mut expected, meta, counters) = as_in_otlp(&again(&profile, Format::Pprof));
        let (mut actual, actual_meta, actual_counters) = as_in_otlp(&again(&profile, Format::Otlp));
        let ticks_are_estimated = meta.frequency > 0 && profile.value_type().is_time();
        let meta = Meta { ticks_are_estimated, ..meta };
        // What has no value of the first type comes where another type first has one.
        expected.sort();
        actual.sort();
        assert_eq!(actual, expected);
        assert_eq!((actual_meta, actual_counters), (meta, counters));
    }
}

#[test]
fn otlp_of_otlp_is_the_same() {
    for profile in profiles() {
        let bytes = |profile: &Profile| encode(profile, Format::Otlp).expect("the profile is sound");
        let mut once = again(&profile, Format::Otlp);
        let mut twice = again(&once, Format::Otlp);
        assert_eq!(bytes(&twice), bytes(&once));
        // Of several processes those of which a file says nothing are gone: then it may be one.
        once.meta.resource.clear();
        twice.meta.resource.clear();
        assert_eq!(twice, once);
    }
}

#[test]
fn otlp_keeps_the_resource_and_links() {
    let mut profile = fixture::fib();
    profile.meta.resource = vec![fixture::number("replica", 2), fixture::text("service.name", "shop")];
    let ids = [("span_id", "00f067aa0ba902b7"), ("trace_id", "4bf92f3577b34da6a3ce929d0e0e4736")];
    profile.label_sets.push(ids.map(|(key, id)| fixture::text(key, id)).to_vec());
    profile.samples[1].label_set = rperf_core::ids::LabelSetId(1);
    let actual = again(&profile, Format::Otlp);
    let resource = &actual.meta.resource;
    assert!(profile.meta.resource.iter().all(|label| resource.contains(label)), "{resource:?}");
    assert_eq!(actual.label_sets, profile.label_sets);
    let texts = encode(&profile, Format::Otlp).expect("the profile is sound");
    assert!(!String::from_utf8_lossy(&texts).contains("span_id"), "ids are in the link");
}

/// Weight by the names of a stack, the root first, as they are written.
fn by_names(profile: &Profile) -> BTreeMap<String, u64> {
    let collapsed = encode(profile, Format::Collapsed).expect("the profile is sound");
    let text = String::from_utf8(collapsed).expect("collapsed stacks are UTF-8");
    text.lines()
        .map(|line| {
            let (stack, weight) = line.rsplit_once(' ').expect("each line has a weight");
            (stack.to_owned(), weight.parse().expect("the weight is a number"))
        })
        .collect()
}

#[test]
fn collapsed_keeps_names_and_weights() {
    for profile in profiles() {
        let actual = again_collapsed(&profile);
        assert_eq!(by_names(&actual), by_names(&profile));
        assert_eq!(actual.total(), profile.total());
    }
}

/// A profile without samples has no lines, and no lines are no profile.
fn again_collapsed(profile: &Profile) -> Profile {
    if profile.samples.is_empty() {
        let bytes = encode(profile, Format::Collapsed).expect("the profile is sound");
        assert_eq!(bytes, b"");
        return Profile::new(Meta::default());
    }
    again(profile, Format::Collapsed)
}

#[test]
fn collapsed_says_nothing_about_the_mode() {
    let profile = again(&fixture::fib(), Format::Collapsed);
    assert_eq!((profile.meta.mode, profile.value_type()), (Mode::Cpu, ValueType::time("time")));
}

#[test]
fn texts_leave_out_what_is_not_known() {
    let mut profile = heap::heap();
    profile.samples.iter_mut().for_each(|sample| sample.count = 0);
    profile.meta.period = None;
    for format in [Format::Text, Format::Markdown, Format::Dot, Format::Callgrind] {
        let text = String::from_utf8(encode(&profile, format).expect("it is sound")).expect("it is text");
        assert!(!text.contains("0 samples") && !text.contains("Samples: "), "{text}");
        assert!(!text.contains("Hz"), "{text}");
    }
}

#[test]
fn text_is_for_people_only() {
    let text = encode(&fixture::fib(), Format::Text).expect("the profile is sound");
    let error = decode(&text).expect_err("a text report cannot be read back");
    assert_eq!(
        error.to_string(),
        "it is a text report, which cannot be read back: record in the format pprof, json or collapsed"
    );
}

/// What the Collector hands on of a request is what it was given, in another order.
#[test]
fn the_collector_changes_nothing() {
    let given = again(&fixture::mixed(), Format::Otlp);
    let handed_on = crate::foreign::read("collector.otlp");
    let [(mut given_rows, given_meta, _), (mut rows, meta, _)] = [&given, &handed_on].map(as_in_otlp);
    given_rows.sort();
    rows.sort();
    assert_eq!((rows, meta), (given_rows, given_meta));
    assert_eq!(handed_on.meta.resource, given.meta.resource);
}

#[test]
fn the_engine_is_read_under_its_former_key() {
    let mut profile = fixture::mixed();
    profile.meta.engine = "poll".to_owned();
    let replaced = |format: Format, [key, former]: [&str; 2]| {
        let mut bytes = encode(&profile, format).expect("the profile is sound");
        if format == Format::Pprof {
            let zipped = std::mem::take(&mut bytes);
            GzDecoder::new(&zipped[..]).read_to_end(&mut bytes).expect("it is gzipped");
        }
        let at = bytes.windows(key.len()).position(|part| part == key.as_bytes()).expect("the key is there");
        decode(&[&bytes[..at], former.as_bytes(), &bytes[at + key.len()..]].concat()).expect("it is read")
    };
    assert_eq!(replaced(Format::Json, ["\"engine\":", "\"sampler\":"]), profile);
    // The text keeps its length, which stands before it.
    assert_eq!(replaced(Format::Pprof, ["engine: poll", "sampler: pol"]).meta.engine, "pol");
}
