//! rperf's own `--top` says what `go tool pprof -top` says, character by character.

use std::path::PathBuf;

use rperf_core::format::decode;
use rperf_core::ids::{LabelSetId, LocationId, ThreadSeq};
use rperf_core::profile::{Builder, Meta, Profile, ValueType};
use rperf_core::report::{TopOptions, top, top_diff};
use rperf_core::state::Mode;
use rperf_core::time::Nanos;

use crate::fixture::{self, frame};
use crate::pprof::{Scratch, run};
use crate::random::{self, Random};

/// The start of the fixtures' sessions in pprof's words.
const STARTED: &str = "Feb 25, 2026 at 6:13am (UTC)";

fn options() -> TopOptions {
    TopOptions { started: Some(STARTED.to_owned()), ..TopOptions::default() }
}

fn assert_same(profile: &Profile, arguments: &[&str], options: &TopOptions) {
    let scratch = Scratch::new();
    let arguments: Vec<String> = ["-top"].iter().chain(arguments).map(ToString::to_string).collect();
    let expected = run(&arguments, &scratch.write("profile.pb.gz", profile));
    let actual = top(profile, options).expect("the profile is sound");
    assert!(actual == expected, "expected:\n{expected}\nactual:\n{actual}");
}

fn assert_same_diff(base: &Profile, target: &Profile) {
    assert_diff(base, target, &[], target);
}

/// Scaled to the base's total.
fn assert_same_normalised(base: &Profile, target: &Profile) {
    let scaled = target.normalised(base).expect("the profiles are alike");
    assert_diff(base, target, &["-normalize"], &scaled);
}

/// What pprof says of `target` with these options is what we say of `shown`.
fn assert_diff(base: &Profile, target: &Profile, options_of_pprof: &[&str], shown: &Profile) {
    let scratch = Scratch::new();
    let base_file = scratch.write("base.pb.gz", base);
    let mut arguments = vec!["-top".to_owned(), format!("-diff_base={}", base_file.display())];
    arguments.extend(options_of_pprof.iter().map(ToString::to_string));
    let expected = run(&arguments, &scratch.write("target.pb.gz", target));
    let actual = top_diff(base, shown, &options()).expect("the profiles are alike");
    assert!(actual == expected, "expected:\n{expected}\nactual:\n{actual}");
}

/// A profile of many methods, few of which are heavy, over weights of very different size.
fn many_methods(seed: u64, largest: u64) -> Profile {
    let random = &mut Random::new(seed);
    let mut builder = Builder::new(fixture::meta(Mode::Cpu));
    let locations: Vec<LocationId> = (0..300)
        .map(|number| frame(&mut builder, "a.rb", &format!("Method#m{number}"), number, number))
        .collect();
    for _ in 0..1_000 {
        let depth = 1 + random.below(12);
        let stack: Vec<_> =
            (0..depth).map(|_| locations[random.below(300) * random.below(300) / 300]).collect();
        let weight = largest >> random.below(40);
        builder.push(&stack, Nanos(weight), 1, ThreadSeq(1), LabelSetId(0));
    }
    builder.build()
}

#[test]
fn fixtures() {
    for profile in [fixture::fib(), fixture::mixed(), fixture::empty()] {
        assert_same(&profile, &[], &options());
    }
}

#[test]
fn light_functions_are_dropped() {
    for (seed, largest) in [(1, 1_000), (2, 1_000_000), (3, 50_000_000), (4, 2_000_000_000), (5, 1 << 45)] {
        assert_same(&many_methods(seed, largest), &[], &options());
    }
}

#[test]
fn the_number_of_functions_can_be_limited() {
    let options = TopOptions { node_count: Some(10), node_fraction: 0.01, ..options() };
    assert_same(&many_methods(6, 3_000_000), &["-nodecount=10", "-nodefraction=0.01"], &options);
}

#[test]
fn other_value_types() {
    for unit in ["bytes", "count", "objects"] {
        let mut profile = many_methods(7, 5_000_000);
        profile.meta.value_type = Some(ValueType::new("alloc", unit));
        assert_same(&profile, &[], &options());
    }
}

#[test]
fn odd_profiles() {
    for seed in 0..20 {
        let mut profile = random::profile(seed);
        profile.meta.start_time_ns = fixture::meta(Mode::Cpu).start_time_ns;
        // pprof sums in 64 bits without looking.
        profile.samples.iter_mut().for_each(|sample| sample.weight = Nanos(sample.weight.0 >> 8));
        assert_same(&profile, &[], &options());
    }
}

#[test]
fn differences() {
    assert_same_diff(&fixture::mixed(), &fixture::mixed());
    for seed in 0..5 {
        let (base, target) = (many_methods(seed, 70_000_000), many_methods(seed + 10, 80_000_000));
        assert_same_diff(&base, &target);
    }
}

#[test]
fn normalised_differences() {
    assert_same_normalised(&fixture::mixed(), &fixture::mixed());
    for seed in 0..5 {
        let (base, target) =
            (many_methods(seed, 70_000_000), many_methods(seed + 10, 9_000_000_000 >> (3 * seed)));
        assert_same_normalised(&base, &target);
    }
    assert_same_normalised(&fixture::empty(), &fixture::fib());
    assert_same_normalised(&fixture::fib(), &fixture::empty());
}

#[test]
fn difference_from_nothing() {
    assert_same_diff(&fixture::empty(), &fixture::fib());
    assert_same_diff(&fixture::fib(), &fixture::empty());
}

#[test]
fn difference_of_profiles_that_say_different_things() {
    let mut target = fixture::mixed();
    target.meta = Meta { comments: vec!["another comment".to_owned()], duration: Nanos(5), ..target.meta };
    assert_same_diff(&fixture::mixed(), &target);
}

/// pprof's text without what the profile model does not keep: the binary and the marks of inlined
/// functions.
fn without_binary_and_marks(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with("File: ") && !line.starts_with("Build ID: "));
    lines.map(|line| line.replace(" (inline)", "").replace(" (partial-inline)", "") + "\n").collect()
}

#[test]
fn profiles_of_other_producers() {
    for name in ["go_cpu.pb.gz", "go_heap.pb.gz"] {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/foreign").join(name);
        let expected = without_binary_and_marks(&run(&["-top".to_owned()], &path));
        let started = expected.lines().find_map(|line| line.strip_prefix("Time: ")).map(str::to_owned);
        assert!(started.is_some(), "pprof names the time:\n{expected}");
        let profile = decode(&std::fs::read(&path).expect("the file is there")).expect("it is a profile");
        let actual = top(&profile, &TopOptions { started, ..options() }).expect("the profile is sound");
        assert!(actual == expected, "expected:\n{expected}\nactual:\n{actual}");
    }
}
