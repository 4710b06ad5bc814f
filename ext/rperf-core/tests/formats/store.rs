//! Profiles on their way to a store: labels are folded, stacks cut and thinned. Sums stay.

use std::collections::BTreeMap;
use std::io::Read;

use hashbrown::HashMap;
use rperf_core::format::{self, Encoding, Format};
use rperf_core::ids::{LabelSetId, LocationId, ThreadSeq};
use rperf_core::profile::{
    Builder, Label, LabelValue, Losses, Meta, Profile, Room, StoreLimits, ValueType, ValueTypes, state_totals,
};
use rperf_core::time::Nanos;

use crate::random::{self, Random};

/// A store that takes everything.
pub fn wide() -> StoreLimits {
    let room = Room { samples: usize::MAX, bytes: usize::MAX };
    StoreLimits {
        room,
        depth: 1_000,
        values: usize::MAX,
        label_values: HashMap::new(),
        deny: Vec::new(),
        short_paths: false,
    }
}

fn with_room(samples: usize, bytes: usize) -> StoreLimits {
    StoreLimits { room: Room { samples, bytes }, ..wide() }
}

/// What each label weighs, by key and text.
fn label_weights(profile: &Profile) -> BTreeMap<(&str, &str), u64> {
    let mut weights = BTreeMap::new();
    for sample in &profile.samples {
        for label in &profile.label_sets[sample.label_set.index()] {
            if let LabelValue::Text(text) = &label.value {
                *weights.entry((label.key.as_str(), text.as_str())).or_default() += sample.weight.0;
            }
        }
    }
    weights
}

/// The bytes for a store, without gzip.
pub fn plain_pprof(profile: &Profile) -> Vec<u8> {
    let zipped = format::encode(profile, Encoding::FOR_STORE).expect("the profile is sound");
    let mut plain = Vec::new();
    flate2::read::GzDecoder::new(&*zipped).read_to_end(&mut plain).expect("it is gzip");
    plain
}

fn text(key: &str, value: impl Into<String>) -> Label {
    Label { key: key.to_owned(), value: LabelValue::Text(value.into()) }
}

/// A profile of a server: some stacks are heavy, most are light; threads wait and collect; requests
/// have endpoints, some have links to traces.
pub fn server(seed: u64, samples: usize) -> Profile {
    let random = &mut Random::new(seed);
    let mut builder = Builder::new(Meta {
        frequency: 99,
        rperf_version: "0.1.0".to_owned(),
        aggregated: true,
        ..Meta::default()
    });
    let functions: Vec<_> = (0..2_000)
        .map(|n| {
            builder.intern_function(&format!("/app/lib/{}.rb", n % 90), &format!("Shop::Part{n}#call"), n)
        })
        .collect();
    let states = [("<GVL>", "[GVL wait]"), ("<GVL>", "[GVL blocked]"), ("<GC>", "[GC marking]")];
    let states = states.map(|(path, label)| {
        let function = builder.intern_function(path, label, 0);
        builder.intern_location(function, 0)
    });
    for _ in 0..samples {
        let stack = stack(random, &mut builder, &functions, &states);
        let labels = builder.intern_label_set(&labels(random));
        let weight = 1_000_000 >> random.below(20);
        builder.push(
            &stack,
            Nanos(weight + random.below(100) as u64),
            1,
            ThreadSeq(1 + random.below(5) as u32),
            labels,
        );
    }
    builder.build()
}

fn stack(
    random: &mut Random,
    builder: &mut Builder,
    functions: &[rperf_core::ids::FunctionId],
    states: &[LocationId],
) -> Vec<LocationId> {
    let mut stack = vec![];
    let mut at = 0;
    for _ in 0..3 + random.below(40) {
        // Few callees each, so that stacks share their callers.
        at = (at * 7 + 1 + random.below(3)) % functions.len();
        stack.push(builder.intern_location(functions[at], random.below(4) as u32));
    }
    stack.reverse();
    if random.once_in(4) {
        stack.insert(0, *random.pick(states));
    }
    stack
}

fn labels(random: &mut Random) -> Vec<Label> {
    let mut labels = Vec::new();
    if !random.once_in(3) {
        let most = 1 + random.below(200);
        labels.push(text("endpoint", format!("GET /things/{}", random.below(most))));
        labels.push(text("tenant", format!("tenant {}", random.below(5))));
    }
    if random.once_in(3) {
        labels.push(text("trace_id", format!("{:032x}", random.next())));
        labels.push(text("span_id", format!("{:016x}", random.next())));
    }
    labels
}

#[test]
fn sums_stay_whatever_the_limits() {
    for seed in 0..400 {
        let profile = random::profile(seed);
        let random = &mut Random::new(seed);
        let limits = StoreLimits {
            depth: 1 + random.below(12),
            values: random.below(3),
            ..with_room(1 + random.below(30), 1 + random.below(8_000))
        };
        let (thin, losses) = profile.for_store(&limits);
        assert_eq!(thin.check(), Ok(()), "seed {seed}");
        assert_eq!(thin.total(), profile.total(), "seed {seed}");
        if !profile.value_type().is_time() {
            assert_eq!(thin.value_sums(), profile.value_sums(), "seed {seed}");
        }
        assert!(
            thin.samples.iter().all(|sample| sample.stack_len as usize <= limits.depth + 1),
            "seed {seed}"
        );
        assert!(
            thin.samples.len() <= limits.room.samples.max(2),
            "seed {seed}: {} samples",
            thin.samples.len()
        );
        assert_eq!((thin.clone(), losses), profile.for_store(&limits), "seed {seed}: the same again");
    }
}

#[test]
fn sizes_are_never_below_the_true_ones() {
    for seed in 0..400 {
        let (profile, _) = random::profile(seed).for_store(&wide());
        let (size, plain) = (profile.pprof_size(), plain_pprof(&profile).len());
        assert!(size >= plain && size <= 2 * plain + 4_096, "seed {seed}: {size} for {plain} bytes");
    }
    for samples in [1, 100, 3_000, 20_000] {
        let (profile, _) = server(7, samples).for_store(&wide());
        let (size, plain) = (profile.pprof_size(), plain_pprof(&profile).len());
        assert!(size >= plain && size <= plain + plain / 5 + 4_096, "{samples}: {size} for {plain} bytes");
    }
}

#[test]
fn limits_are_kept_and_what_is_kept_is_much() {
    let profile = server(3, 20_000);
    for (samples, bytes) in [(15_000, 3_670_016), (5_000, 3_670_016), (15_000, 400_000), (700, 60_000)] {
        let limits = StoreLimits { values: 20, ..with_room(samples, bytes) };
        let (thin, losses) = profile.for_store(&limits);
        let plain = plain_pprof(&thin).len();
        assert!(thin.samples.len() <= samples, "{} of {samples} samples", thin.samples.len());
        assert!(plain <= bytes, "{plain} of {bytes} bytes");
        let is_full = thin.samples.len() * 10 > samples * 7 || plain * 10 > bytes * 7;
        assert!(is_full, "{} of {samples} samples, {plain} of {bytes} bytes, {losses:?}", thin.samples.len());
        assert_eq!(thin.total(), profile.total());
        assert_eq!(state_totals(&thin), state_totals(&profile));
        let whole = thin.samples.iter().filter(|sample| !is_thinned(&thin, sample));
        let whole: u64 = whole.map(|sample| sample.weight.0).sum();
        // Most of the weight is that of a few stacks.
        let least = if samples >= 5_000 && bytes > 1_000_000 { 80 } else { 0 };
        assert!(whole * 100 >= least * profile.total().0, "{whole} of {}", profile.total().0);
    }
}

fn is_thinned(profile: &Profile, sample: &rperf_core::profile::Sample) -> bool {
    profile.stack(sample).iter().any(|at| profile.function_at(*at).label == "[thinned]")
}

#[test]
fn small_room_is_never_exceeded() {
    for seed in 0..50 {
        let random = &mut Random::new(seed);
        let profile = server(seed, 50 + random.below(400));
        let limits = StoreLimits {
            values: random.below(30),
            depth: 1 + random.below(40),
            ..with_room(20 + random.below(200), 6_000 + random.below(60_000))
        };
        let (thin, losses) = profile.for_store(&limits);
        let (samples, plain) = (thin.samples.len(), plain_pprof(&thin).len());
        assert!(samples <= limits.room.samples && plain <= limits.room.bytes, "seed {seed}: {losses:?}");
        assert_eq!(state_totals(&thin)[1..], state_totals(&cut(&profile, limits.depth))[1..], "seed {seed}");
        assert_eq!(thin.total(), profile.total(), "seed {seed}");
    }
}

/// The profile with its deep stacks cut: at a depth of 1 nothing says what state they had.
fn cut(profile: &Profile, depth: usize) -> Profile {
    let mut profile = profile.clone();
    profile.cut_stacks(depth);
    profile
}

#[test]
fn each_label_weighs_what_it_did() {
    let profile = server(5, 5_000);
    let (thin, losses) = profile.for_store(&with_room(3_000, 3_670_016));
    assert!(losses.links && losses.lines && losses.thinned > 0, "{losses:?}");
    let of = |profile: &Profile| {
        let weights = label_weights(profile).into_iter();
        let weights = weights.filter(|((key, _), _)| *key == "endpoint" || *key == "tenant");
        weights
            .map(|((key, text), weight)| ((key.to_owned(), text.to_owned()), weight))
            .collect::<BTreeMap<_, _>>()
    };
    assert_eq!(of(&thin), of(&profile));
}

#[test]
fn the_heaviest_values_of_a_key_stay() {
    let mut builder = Builder::new(Meta::default());
    let endpoints = [("a", 5), ("b", 9), ("c", 1), ("d", 1), ("(other)", 2)];
    for (endpoint, weight) in endpoints {
        let labels = [text("endpoint", endpoint), text("trace_id", endpoint), text("kind", "request")];
        let labels = builder.intern_label_set(&labels);
        builder.push(&[], Nanos(weight), 1, ThreadSeq(1), labels);
    }
    let profile = builder.build();
    let folded = |values, of_endpoint: Option<usize>| {
        let label_values = of_endpoint.map(|values| ("endpoint".to_owned(), values)).into_iter().collect();
        let deny = vec!["trace_id".to_owned()];
        let (folded, losses) = profile.for_store(&StoreLimits { values, label_values, deny, ..wide() });
        let weights = label_weights(&folded).into_iter();
        let weights: Vec<_> = weights.map(|((key, text), weight)| format!("{key} {text} {weight}")).collect();
        (weights.join(", "), losses.folded.into_iter().collect::<Vec<_>>())
    };
    let lost = |key: &str, values| (key.to_owned(), values);
    let all = "endpoint (other) 2, endpoint a 5, endpoint b 9, endpoint c 1, endpoint d 1, kind request 18";
    assert_eq!(folded(4, None), (all.to_owned(), vec![]));
    let three = "endpoint (other) 3, endpoint a 5, endpoint b 9, endpoint c 1, kind request 18";
    assert_eq!(folded(3, None), (three.to_owned(), vec![lost("endpoint", 1)]));
    let one = "endpoint (other) 9, endpoint b 9, kind request 18";
    assert_eq!(folded(3, Some(1)), (one.to_owned(), vec![lost("endpoint", 3)]));
    let none = "endpoint (other) 18, kind (other) 18";
    assert_eq!(folded(0, None), (none.to_owned(), vec![lost("endpoint", 4), lost("kind", 1)]));
}

#[test]
fn the_heaviest_keys_stay() {
    let mut builder = Builder::new(Meta::default());
    for n in 0..60u64 {
        let labels = builder
            .intern_label_set(&[text(&format!("user_{n:02}"), "x"), text("span_id", "00f067aa0ba902b7")]);
        builder.push(&[], Nanos(100 + n), 1, ThreadSeq(1), labels);
    }
    let (stored, losses) = builder.build().for_store(&wide());
    let keys: Vec<_> = label_weights(&stored).into_keys().map(|(key, _)| key.to_owned()).collect();
    let heaviest = (44..60).map(|n| format!("user_{n:02}"));
    assert_eq!(keys, ["span_id".to_owned()].into_iter().chain(heaviest).collect::<Vec<_>>());
    assert_eq!((losses.folded.len(), losses.folded["user_43"]), (44, 1));
}

/// A profile of stacks with their weights, `main;a;b 5`; frames in brackets are those of states.
fn stacks(lines: &[&str]) -> Profile {
    let mut builder = Builder::new(Meta::default());
    for line in lines {
        let (stack, weight) = line.rsplit_once(' ').expect("a weight");
        let mut location = |(line, name): (u32, &str)| {
            let path = if name.starts_with("[GVL") { "<GVL>" } else { "a.rb" };
            let function = builder.intern_function(path, name, 0);
            builder.intern_location(function, if path == "a.rb" { line } else { 0 })
        };
        let stack: Vec<_> = (1..).zip(stack.split(';')).map(&mut location).collect();
        let stack: Vec<_> = stack.into_iter().rev().collect();
        let weight = weight.parse().expect("a number");
        builder.push(&stack, Nanos(weight), 1, ThreadSeq(1), LabelSetId(0));
    }
    builder.build()
}

/// Its stacks with their weights, sorted, and what it lost.
fn stored(profile: &Profile, limits: &StoreLimits) -> (Vec<String>, Losses) {
    let (stored, losses) = profile.for_store(limits);
    let lines = format::encode(&stored, Format::Collapsed).expect("it is sound");
    let mut lines: Vec<_> =
        String::from_utf8(lines).expect("it is text").lines().map(str::to_owned).collect();
    lines.sort();
    (lines, losses)
}

#[test]
fn light_stacks_go_to_their_callers() {
    let profile = stacks(&["main;a;b 100", "main;a;c 1", "main;a;c;d;[GVL wait] 2", "main;e 3"]);
    let thin = |samples| stored(&profile, &with_room(samples, usize::MAX)).0;
    assert_eq!(thin(4), ["main;a;b 100", "main;a;c 1", "main;a;c;d;[GVL wait] 2", "main;e 3"]);
    assert_eq!(thin(3), ["[thinned];[GVL wait] 2", "main;[thinned] 4", "main;a;b 100"]);
    assert_eq!(thin(2), ["[thinned] 104", "[thinned];[GVL wait] 2"]);
    assert_eq!(thin(1), ["[thinned] 104", "[thinned];[GVL wait] 2"], "states are not mixed up");
    let deep = stacks(&["main;a;b 100", "main;a;c 2", "main;a;d 3", "main;e 50", "main;f 60"]);
    let (lines, losses) = stored(&deep, &with_room(4, usize::MAX));
    assert_eq!(lines, ["main;a;[thinned] 5", "main;a;b 100", "main;e 50", "main;f 60"]);
    assert_eq!(losses, Losses { lines: true, thinned: 2, ..Losses::default() });
}

#[test]
fn deep_stacks_are_cut_at_their_root() {
    let profile = stacks(&["main;a;b;c;d 5", "main;b;c;d 7", "c;d 1", "d 2"]);
    let (lines, losses) = stored(&profile, &StoreLimits { depth: 3, ..wide() });
    assert_eq!(lines, ["[truncated];c;d 12", "c;d 1", "d 2"]);
    assert_eq!(losses, Losses { cut: 2, ..Losses::default() });
    assert_eq!(stored(&profile, &StoreLimits { depth: 1, ..wide() }).0, ["[truncated] 13", "d 2"]);
}

#[test]
fn all_values_of_a_sample_stay() {
    let types = ["alloc_objects", "alloc_space", "inuse_objects", "inuse_space"];
    let types =
        types.map(|kind| ValueType::new(kind, if kind.ends_with("space") { "bytes" } else { "count" }));
    let meta = Meta { value_types: ValueTypes::new(types.to_vec(), 1), ..Meta::default() };
    let mut builder = Builder::new(meta);
    for n in 0..500u64 {
        let function = builder.intern_function("a.rb", &format!("m{n}"), 0);
        let location = builder.intern_location(function, 1);
        // One has little of the weight, and all that is in use.
        let in_use = if n == 250 { 1_000 } else { 0 };
        builder.push_values(&[location], &[1, 40 + n, in_use, 40 * in_use], 1, ThreadSeq(1), LabelSetId(0));
    }
    let profile = builder.build();
    let (thin, _) = profile.for_store(&with_room(10, usize::MAX));
    assert_eq!(thin.value_sums(), profile.value_sums());
    assert_eq!(thin.samples.len(), 10);
    let leaf = |sample| thin.function_at(thin.stack(sample)[0]).label.as_str();
    let in_use = thin.samples.iter().find(|sample| sample.values[2] > 0).expect("something is in use");
    assert_eq!(leaf(in_use), "m250");
}

#[test]
fn label_sets_beyond_the_room_are_folded() {
    let profile = server(9, 3_000);
    let (thin, losses) = profile.for_store(&with_room(60, usize::MAX));
    assert!(thin.samples.len() <= 60, "{} samples", thin.samples.len());
    assert_eq!(state_totals(&thin), state_totals(&profile));
    assert!(losses.folded["endpoint"] > 0, "{losses:?}");
    let (least, _) = profile.for_store(&with_room(1, 1));
    assert_eq!(state_totals(&least), state_totals(&profile));
    assert!(least.samples.len() <= 4, "{} samples", least.samples.len());
}
