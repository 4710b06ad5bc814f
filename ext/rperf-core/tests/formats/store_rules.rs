//! A double of what Grafana Pyroscope checks when a profile is pushed, on messages of its own:
//! `pkg/validation/validate.go` and `limits.go` (defaults), `pkg/model/pprofsplit/pprof_split.go`,
//! `pkg/pprof/pprof.go` and `pkg/distributor/distributor.go` (`rateLimit`), as they were in August
//! 2026. It is not Pyroscope.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;

use prost::Message;
use rperf_core::format::{self, Encoding, push};
use rperf_core::profile::{
    Builder, Label, LabelValue, Meta, Profile, Room, StoreLimits, ValueType, ValueTypes,
};
use rperf_core::time::Nanos;

use crate::store::{server, wide};

#[derive(Clone, PartialEq, Message)]
struct Push {
    #[prost(message, repeated, tag = "1")]
    series: Vec<Series>,
}

#[derive(Clone, PartialEq, Message)]
struct Series {
    #[prost(message, repeated, tag = "1")]
    labels: Vec<Pair>,
    #[prost(message, repeated, tag = "2")]
    samples: Vec<Raw>,
}

#[derive(Clone, PartialEq, Message)]
struct Pair {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(string, tag = "2")]
    value: String,
}

#[derive(Clone, PartialEq, Message)]
struct Raw {
    #[prost(bytes = "vec", tag = "1")]
    profile: Vec<u8>,
    #[prost(string, tag = "2")]
    id: String,
}

#[derive(Clone, PartialEq, Message)]
struct Pprof {
    #[prost(message, repeated, tag = "1")]
    types: Vec<Type>,
    #[prost(message, repeated, tag = "2")]
    samples: Vec<Sample>,
    #[prost(message, repeated, tag = "4")]
    locations: Vec<Numbered>,
    #[prost(message, repeated, tag = "5")]
    functions: Vec<Numbered>,
    #[prost(string, repeated, tag = "6")]
    texts: Vec<String>,
    #[prost(message, optional, tag = "11")]
    period_type: Option<Type>,
    #[prost(int64, tag = "12")]
    period: i64,
}

#[derive(Clone, Copy, PartialEq, Message)]
struct Type {
    #[prost(int64, tag = "1")]
    kind: i64,
    #[prost(int64, tag = "2")]
    unit: i64,
}

#[derive(Clone, PartialEq, Message)]
struct Sample {
    #[prost(uint64, repeated, tag = "1")]
    stack: Vec<u64>,
    #[prost(int64, repeated, tag = "2")]
    values: Vec<i64>,
    #[prost(message, repeated, tag = "3")]
    labels: Vec<Tag>,
}

#[derive(Clone, Copy, PartialEq, Message)]
struct Tag {
    #[prost(int64, tag = "1")]
    key: i64,
    #[prost(int64, tag = "2")]
    text: i64,
    #[prost(int64, tag = "3")]
    number: i64,
}

#[derive(Clone, Copy, PartialEq, Message)]
struct Numbered {
    #[prost(uint64, tag = "1")]
    id: u64,
}

/// What was stored: names of profile types, series, samples whose leaf was cut off, the sum of the
/// values.
#[derive(Debug, Default, PartialEq)]
struct Stored {
    types: BTreeSet<String>,
    series: BTreeSet<BTreeMap<String, String>>,
    cut_leaves: usize,
    number_labels: usize,
    sum: i64,
}

/// What the server stores of a request, or the rule that it breaks.
fn store(request: &[u8]) -> Result<Stored, String> {
    let push = Push::decode(request).map_err(|error| error.to_string())?;
    let mut stored = Stored::default();
    for series in &push.series {
        let mut labels = BTreeMap::new();
        for Pair { name, value } in &series.labels {
            if labels.insert(name.clone(), value.clone()).is_some() {
                return Err(format!("duplicate label name: {name}"));
            }
        }
        check_labels(&labels)?;
        for raw in &series.samples {
            check_uuid(&raw.id)?;
            store_profile(&labels, &raw.profile, &mut stored)?;
        }
    }
    Ok(stored)
}

fn store_profile(
    series: &BTreeMap<String, String>,
    zipped: &[u8],
    stored: &mut Stored,
) -> Result<(), String> {
    let mut plain = Vec::new();
    flate2::read::GzDecoder::new(zipped).read_to_end(&mut plain).map_err(|error| error.to_string())?;
    let profile = Pprof::decode(&*plain).map_err(|error| error.to_string())?;
    check_profile(&profile, plain.len())?;
    // A request that is larger than the burst is refused at every attempt.
    if plain.len() + series.iter().map(|(name, value)| name.len() + value.len()).sum::<usize>() > 2 << 20 {
        return Err(format!("push rate limit exceeded while adding {} bytes", plain.len()));
    }
    for value_type in &profile.types {
        stored.types.insert(profile_type(&series["__name__"], &profile, value_type)?);
    }
    for sample in &profile.samples {
        let mut labels = series.clone();
        for tag in &sample.labels {
            let (key, text) = (&profile.texts[tag.key as usize], &profile.texts[tag.text as usize]);
            match key.as_str() {
                _ if tag.text == 0 => stored.number_labels += 1,
                "trace_id" => check_hex(key, text, 32)?,
                "span_id" | "profile_id" => check_hex(key, text, 16)?,
                // What the series says wins.
                _ => drop(labels.entry(key.clone()).or_insert_with(|| text.clone())),
            }
        }
        check_labels(&labels)?;
        stored.series.insert(labels);
        stored.cut_leaves += usize::from(sample.stack.len() > 1_000);
        stored.sum += sample.values.iter().sum::<i64>();
    }
    Ok(())
}

/// `ValidateLabels`.
fn check_labels(labels: &BTreeMap<String, String>) -> Result<(), String> {
    let name = labels.get("__name__").map_or("", |name| name);
    if !is_name(name, true) {
        return Err(format!("invalid metric name: '{name}'"));
    }
    if labels.get("service_name").is_none_or(String::is_empty) {
        return Err("service name is not provided".to_owned());
    }
    if labels.len() > 30 {
        return Err(format!("{} label names; limit 30", labels.len()));
    }
    for (name, value) in labels {
        if name.len() > 1_024 || value.len() > 2_048 {
            return Err(format!("label too long: {name}"));
        }
        if !is_name(name, false) {
            return Err(format!("invalid label name '{name}'"));
        }
    }
    Ok(())
}

/// `ValidateProfile`.
fn check_profile(profile: &Pprof, size: usize) -> Result<(), String> {
    let text = |index: i64| profile.texts[index as usize].as_str();
    if size > 4 << 20 {
        return Err(format!("profile size: {size} bytes"));
    }
    if profile.samples.len() > 16_000 {
        return Err(format!("{} samples", profile.samples.len()));
    }
    if profile.samples.iter().any(|sample| sample.labels.len() > 100) {
        return Err("sample labels".to_owned());
    }
    if profile.samples.iter().any(|sample| sample.values.len() != profile.types.len()) {
        return Err("values do not match the types".to_owned());
    }
    if profile.locations.iter().chain(&profile.functions).any(|it| it.id == 0) {
        return Err("id is 0".to_owned());
    }
    if let Some(bad) = profile.types.iter().find(|it| text(it.kind).contains('-')) {
        return Err(format!("sample type contains -: {}", text(bad.kind)));
    }
    if profile.texts.first().is_none_or(|text| !text.is_empty()) {
        return Err("string 0 is not empty".to_owned());
    }
    Ok(())
}

/// `name:sample_type:unit:period_type:period_unit`.
fn profile_type(name: &str, profile: &Pprof, value_type: &Type) -> Result<String, String> {
    let period = profile.period_type.filter(|_| profile.period > 0).ok_or("no period")?;
    let texts = [value_type.kind, value_type.unit, period.kind, period.unit];
    let texts = texts.map(|index| profile.texts[index as usize].as_str());
    if texts.iter().any(|text| !is_name(text, false)) {
        return Err(format!("not a profile type: {}", texts.join(":")));
    }
    Ok(format!("{name}:{}", texts.join(":")))
}

fn is_name(name: &str, with_colon: bool) -> bool {
    let letter = |it: char| it.is_ascii_alphabetic() || it == '_' || with_colon && it == ':';
    name.starts_with(letter) && name.chars().all(|it| letter(it) || it.is_ascii_digit())
}

fn check_hex(key: &str, text: &str, len: usize) -> Result<(), String> {
    let is_hex = text.len() == len && text.chars().all(|it| it.is_ascii_hexdigit());
    if is_hex { Ok(()) } else { Err(format!("{key} is not {len} hex digits: {text}")) }
}

fn check_uuid(id: &str) -> Result<(), String> {
    let lens: Vec<_> = id.split('-').map(str::len).collect();
    if lens == [8, 4, 4, 4, 12] { Ok(()) } else { Err(format!("not a UUID: {id}")) }
}

const ID: &str = "0195c0de-0000-4000-8000-123456789abc";

/// A request with these labels and this profile, as it is.
fn request(labels: &[(&str, &str)], profile: &Profile, encoding: Encoding) -> Vec<u8> {
    let labels = labels.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    push::request(&labels, format::encode(profile, encoding).expect("it is sound"), ID)
}

const LABELS: [(&str, &str); 4] =
    [("service_name", "shop"), ("__name__", "process_cpu"), ("host", "pod-1"), ("__delta__", "false")];

/// The limits of a destination: a little below those of the server.
fn limits() -> StoreLimits {
    let room = Room { samples: 15_000, bytes: 15 << 17 };
    StoreLimits { room, values: 20, label_values: [("endpoint".to_owned(), 50)].into(), ..wide() }
}

#[test]
fn a_large_profile_is_taken_whole() {
    let profile = server(1, 18_000);
    let (thin, _) = profile.for_store(&limits());
    let stored = store(&request(&LABELS, &thin, Encoding::FOR_STORE)).expect("all rules are kept");
    assert_eq!(stored.sum as u64, profile.total().0);
    assert_eq!(stored.types, ["process_cpu:cpu:nanoseconds:cpu:nanoseconds".to_owned()].into());
    assert_eq!((stored.cut_leaves, stored.number_labels), (0, 0));
    assert!(stored.series.len() <= 51 * 6, "{} series", stored.series.len());
    assert!(stored.series.iter().all(|labels| labels["host"] == "pod-1"));
}

#[test]
fn each_rule_refuses_what_breaks_it() {
    let large = server(1, 18_000);
    let refused = |labels: &[(&str, &str)], profile: &Profile, encoding: Encoding| {
        store(&request(labels, profile, encoding)).expect_err("a rule is broken")
    };
    assert!(refused(&LABELS, &large, Encoding::FOR_STORE).ends_with(" samples"));
    let small = server(2, 10);
    assert_eq!(refused(&LABELS[1..], &small, Encoding::FOR_STORE), "service name is not provided");
    let bad = [("service_name", "shop"), ("__name__", "no-name")];
    assert_eq!(refused(&bad, &small, Encoding::FOR_STORE), "invalid metric name: 'no-name'");
    let bad = [LABELS[0], LABELS[1], ("http.route", "x")];
    assert_eq!(refused(&bad, &small, Encoding::FOR_STORE), "invalid label name 'http.route'");
    let labelled = |key: &str, text: &str| {
        let mut builder = Builder::new(Meta { frequency: 99, ..Meta::default() });
        let value = LabelValue::Text(text.to_owned());
        let labels = builder.intern_label_set(&[Label { key: key.to_owned(), value }]);
        builder.push(&[], Nanos(1), 1, rperf_core::ids::ThreadSeq(1), labels);
        builder.build()
    };
    // A profile that is not made for stores.
    let whole = rperf_core::format::Format::Pprof.into();
    for (key, text, digits) in
        [("trace_id", "12", 32), ("span_id", "00f067aa0ba902b", 16), ("profile_id", "7", 16)]
    {
        let sentence = format!("{key} is not {digits} hex digits: {text}");
        assert_eq!(refused(&LABELS, &labelled(key, text), whole), sentence);
        assert!(store(&request(&LABELS, &labelled(key, text), Encoding::FOR_STORE)).is_ok());
    }
    assert_eq!(refused(&LABELS, &labelled("http.route", "x"), whole), "invalid label name 'http.route'");
    let mut many = server(2, 1);
    let keys = (0..40).map(|n| Label { key: format!("key_{n}"), value: LabelValue::Text("x".to_owned()) });
    many.label_sets.push(keys.collect());
    many.samples[0].label_set = rperf_core::ids::LabelSetId::from(many.label_sets.len() - 1);
    assert_eq!(refused(&LABELS, &many, Encoding::FOR_STORE), "44 label names; limit 30");
    let kept = many.for_store(&limits()).0;
    let named = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"].map(|name| (name, "x"));
    assert!(store(&request(&[&LABELS[..], &named].concat(), &kept, Encoding::FOR_STORE)).is_ok());
    let stored = store(&request(&LABELS, &small, whole)).expect("no rule is broken");
    assert_eq!(stored.types.len(), 3, "counts are stored, too: {:?}", stored.types);
    assert!(stored.number_labels > 0);
    let mut typed = server(2, 1);
    typed.meta.value_types = ValueTypes::from(ValueType::time("gvl-wait"));
    assert_eq!(refused(&LABELS, &typed, Encoding::FOR_STORE), "sample type contains -: gvl-wait");
}

#[test]
fn labels_that_are_too_large_are_folded() {
    for (values, rule) in [(1_200, "push rate limit exceeded"), (2_200, "profile size")] {
        let mut long = server(1, values);
        for (n, sample) in long.samples.iter_mut().enumerate() {
            let value = LabelValue::Text(format!("{n:02000}"));
            long.label_sets.push(vec![Label { key: "long".to_owned(), value }]);
            sample.label_set = rperf_core::ids::LabelSetId::from(long.label_sets.len() - 1);
        }
        let refused = store(&request(&LABELS, &long, Encoding::FOR_STORE)).expect_err("it is too large");
        assert!(refused.starts_with(rule), "{refused}");
        let (kept, losses) = long.for_store(&StoreLimits { values: usize::MAX, ..limits() });
        let taken = store(&request(&LABELS, &kept, Encoding::FOR_STORE));
        assert!(taken.is_ok(), "{taken:?}, {losses:?}");
    }
}

#[test]
fn a_period_is_always_there() {
    let mut profile = server(4, 5);
    profile.meta.frequency = 0;
    let stored = store(&request(&LABELS, &profile, Encoding::FOR_STORE)).expect("it has a period");
    assert_eq!(stored.types, ["process_cpu:cpu:nanoseconds:cpu:nanoseconds".to_owned()].into());
}

#[test]
fn memory_has_all_of_its_types() {
    let types = ["alloc_objects", "alloc_space", "inuse_objects", "inuse_space"];
    let types =
        types.map(|kind| ValueType::new(kind, if kind.ends_with("space") { "bytes" } else { "count" }));
    let period =
        rperf_core::profile::Period { value_type: ValueType::new("space", "bytes"), length: 524_288 };
    let meta = Meta {
        value_types: ValueTypes::new(types.to_vec(), 1),
        period: Some(period),
        mode: rperf_core::state::Mode::Heap,
        ..Meta::default()
    };
    let mut builder = Builder::new(meta);
    let labels = builder.intern_label_set(&[]);
    builder.push_values(&[], &[1, 40, 1, 40], 1, rperf_core::ids::ThreadSeq(1), labels);
    let labels = [("service_name", "shop"), ("__name__", "memory"), ("__delta__", "false")];
    let request = request(&labels, &builder.build().for_store(&limits()).0, Encoding::FOR_STORE);
    let stored = store(&request).expect("all rules are kept");
    let names: Vec<_> = stored.types.iter().map(String::as_str).collect();
    let expected = ["alloc_objects:count", "alloc_space:bytes", "inuse_objects:count", "inuse_space:bytes"];
    assert_eq!(names, expected.map(|it| format!("memory:{it}:space:bytes")));
}

#[test]
fn the_labels_of_a_series_are_sorted() {
    let push = Push::decode(&*request(&LABELS, &server(2, 1), Encoding::FOR_STORE)).expect("it is a request");
    let names: Vec<_> = push.series[0].labels.iter().map(|pair| pair.name.as_str()).collect();
    assert_eq!(names, ["__delta__", "__name__", "host", "service_name"]);
    assert_eq!((push.series.len(), push.series[0].samples.len()), (1, 1));
    assert_eq!(push.series[0].samples[0].id, ID);
}
