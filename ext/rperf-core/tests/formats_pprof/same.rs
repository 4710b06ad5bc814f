//! The same report from rperf and from `go tool pprof`, asked for with pprof's own options.

use std::path::{Path, PathBuf};

use rperf_core::format::decode_values;
use rperf_core::ids::{LabelSetId, LocationId, ThreadSeq};
use rperf_core::profile::{Builder, Kinship, LabelValue, Profile, merge};
use rperf_core::report::{Report, ReportOptions, Sort, Subject, Surroundings, View};
use rperf_core::state::Mode;
use rperf_core::time::Nanos;

use crate::fixture::{self, frame};
use crate::pprof::{Scratch, run};
use crate::random::Random;
use crate::written::write_report;

/// The start of the fixtures' sessions in pprof's words.
const STARTED: &str = "Feb 25, 2026 at 6:13am (UTC)";

/// Both print the same about a profile.
pub fn assert_same(profile: &Profile, arguments: &[&str]) {
    let scratch = Scratch::new();
    let expected = run(&owned(arguments), &scratch.write("profile.pb.gz", profile));
    assert_text(&expected, &report(&Subject::profile(profile), arguments, Some(STARTED)), arguments);
}

/// Both print the same about several profiles.
pub fn assert_same_merged(profiles: &[&Profile], arguments: &[&str]) {
    let scratch = Scratch::new();
    let file = |(number, profile): (usize, &&Profile)| scratch.write(&format!("{number}.pb.gz"), profile);
    let files: Vec<_> = profiles.iter().enumerate().map(file).collect();
    let (last, first) = files.split_last().expect("there are profiles");
    let others = first.iter().map(|path| path.display().to_string());
    let expected = run(&owned(arguments).into_iter().chain(others).collect::<Vec<_>>(), last);
    let merged = merge(profiles, Kinship::Recordings).expect("the profiles are alike");
    assert_text(&expected, &report(&Subject::profile(&merged), arguments, Some(STARTED)), arguments);
}

/// Both print the same about a difference.
pub fn assert_same_diff(base: &Profile, target: &Profile, arguments: &[&str]) {
    let expected = pprof_diff(base, target, arguments);
    assert_text(&expected, &report(&Subject::difference(base, target), arguments, Some(STARTED)), arguments);
}

/// Both print the same about a difference when the target is scaled to the base's total.
pub fn assert_same_normalised(base: &Profile, target: &Profile, arguments: &[&str]) {
    let expected = pprof_diff(base, target, &[arguments, &["-normalize"]].concat());
    let scaled = target.normalised(base, true).expect("the profiles are alike");
    assert_text(&expected, &report(&Subject::difference(base, &scaled), arguments, Some(STARTED)), arguments);
}

fn pprof_diff(base: &Profile, target: &Profile, arguments: &[&str]) -> String {
    let scratch = Scratch::new();
    let mut with_base = owned(arguments);
    with_base.push(format!("-diff_base={}", scratch.write("base.pb.gz", base).display()));
    run(&with_base, &scratch.write("target.pb.gz", target))
}

/// Both print the same about a file of another producer, but for what the profile model does not
/// keep: the binary and the marks of inlined functions.
pub fn assert_same_foreign(name: &str, arguments: &[&str]) {
    let path = foreign(name);
    let expected = run_plain(&path, arguments);
    let started = expected.lines().find_map(|line| line.strip_prefix("Time: "));
    let wanted = arguments.iter().find_map(|argument| argument.strip_prefix("-sample_index="));
    let bytes = std::fs::read(&path).expect("the file is there");
    let profile = decode_values(&bytes, wanted).expect("it is a profile");
    assert_text(&expected, &report(&Subject::profile(&profile), arguments, started), arguments);
}

/// The file of another producer.
pub fn foreign(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../test/golden/foreign").join(name)
}

/// What pprof prints without what the profile model does not keep.
pub fn run_plain(path: &Path, arguments: &[&str]) -> String {
    let text = run(&owned(arguments), path);
    let lines = text.lines().filter(|line| !line.starts_with("File: ") && !line.starts_with("Build ID: "));
    lines.map(|line| line.replace(" (inline)", "").replace(" (partial-inline)", "") + "\n").collect()
}

fn owned(arguments: &[&str]) -> Vec<String> {
    arguments.iter().map(ToString::to_string).collect()
}

fn assert_text(expected: &str, actual: &str, arguments: &[&str]) {
    let differing = expected.lines().zip(actual.lines()).position(|(expected, actual)| expected != actual);
    let from = differing.unwrap_or_else(|| expected.lines().count().min(actual.lines().count()));
    let part = |text: &str| text.lines().skip(from.saturating_sub(3)).take(8).collect::<Vec<_>>().join("\n");
    let (wanted, got) = (part(expected), part(actual));
    assert!(actual == expected, "{arguments:?}, line {from}: expected:\n{wanted}\nactual:\n{got}");
}

/// What rperf prints for pprof's options.
pub fn report(subject: &Subject<'_>, arguments: &[&str], started: Option<&str>) -> String {
    let report = Report::parse(&options(arguments)).expect("the options make sense");
    let surroundings = Surroundings { started: started.map(str::to_owned), ..Surroundings::default() };
    write_report(&report, subject, surroundings).expect("the profile is sound").text
}

fn options(arguments: &[&str]) -> ReportOptions {
    let mut options = ReportOptions::default();
    for argument in arguments {
        let (name, value) = argument.split_once('=').unwrap_or((argument, ""));
        let text = || Some(value.to_owned());
        match name {
            "-top" | "-text" => options.view = View::Top,
            "-tree" => options.view = View::Tree,
            "-peek" => options.view = View::Peek(value.to_owned()),
            "-traces" => options.view = View::Traces,
            "-tags" => options.view = View::Labels,
            "-comments" => options.view = View::Comments,
            "-focus" => options.query.focus = text(),
            "-ignore" => options.query.ignore = text(),
            "-hide" => options.query.hide = text(),
            "-show" => options.query.show = text(),
            "-tagfocus" => options.query.tagfocus = text(),
            "-tagignore" => options.query.tagignore = text(),
            "-tagroot" => options.query.tagroot = text(),
            "-tagleaf" => options.query.tagleaf = text(),
            "-unit" => options.query.unit = text(),
            // The profile is read by it.
            "-sample_index" => {}
            "-cum" => options.sort = Sort::Cumulative,
            "-nodecount" => options.limits.count = value.parse().ok(),
            "-nodefraction" => options.limits.fraction = value.parse().ok(),
            name => panic!("the tests have no {name}"),
        }
    }
    options
}

/// A bit of everything, but no label that pprof loses when it copies a profile: empty texts and
/// zeros.
pub fn mixed() -> Profile {
    let mut profile = fixture::mixed();
    for label in profile.label_sets.iter_mut().flatten() {
        match &mut label.value {
            LabelValue::Text(text) if text.is_empty() => text.push_str("cleanup"),
            LabelValue::Number(number) if *number == 0 => *number = 7,
            _ => {}
        }
    }
    profile
}

/// A profile of many methods, few of which are heavy, over weights of very different size.
pub fn many_methods(seed: u64, largest: u64) -> Profile {
    let random = &mut Random::new(seed);
    let mut builder = Builder::new(fixture::meta(Mode::Cpu));
    let locations: Vec<LocationId> = (0..300)
        .map(|number| frame(&mut builder, "a.rb", &format!("Method#m{number}"), number, number))
        .collect();
    let requests: Vec<LabelSetId> = (0..5)
        .map(|number| {
            let name = fixture::text("request", &format!("GET /{number}"));
            builder.intern_label_set(&[name, fixture::number("bytes", 1 << (3 * number))])
        })
        .collect();
    for _ in 0..1_000 {
        let depth = 1 + random.below(12);
        let stack: Vec<_> =
            (0..depth).map(|_| locations[random.below(300) * random.below(300) / 300]).collect();
        let weight = largest >> random.below(40);
        let labels = if random.once_in(3) { LabelSetId(0) } else { *random.pick(&requests) };
        let thread = ThreadSeq(random.below(4) as u32);
        builder.push(&stack, Nanos(weight), 1, thread, labels);
    }
    builder.build()
}
