//! Measures encoding and decoding of 20,000 unique stacks of 60 frames in each format, and the cost
//! and the savings of each gzip level.
//!
//!     cargo run --release --manifest-path bench/micro/Cargo.toml

mod timing;
mod workload;

use std::io::{Read, Write};
use std::ops::ControlFlow;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use rperf_core::format::{Format, decode, encode};
use rperf_core::profile::{Kinship, Profile, diff, merge};
use rperf_core::report::{Report, ReportOptions, Subject, Surroundings, View};

use timing::measure;

fn main() {
    for (name, profile) in [("call tree", workload::call_tree()), ("random", workload::random())] {
        println!("{name}: {} samples, {} locations in stacks", profile.samples.len(), profile.stacks.len());
        encoders(&profile);
        decoders(&profile);
        analysis(&profile);
        gzip_levels(&profile);
        println!();
    }
}

fn encoders(profile: &Profile) {
    for (format, name) in Format::ALL {
        let run = || encode(profile, format).expect("the workload is sound");
        let (time, bytes) = measure(run);
        println!("  {name:<17} {time}  {:>9} bytes", bytes.len());
    }
}

fn decoders(profile: &Profile) {
    for (name, encoding) in [
        ("pprof", Format::Pprof.into()),
        ("collapsed", Format::Collapsed.into()),
        ("json", Format::Json.into()),
        ("json.gz", Format::Json.gzipped()),
    ] {
        let bytes = encode(profile, encoding).expect("the workload is sound");
        let (time, again) = measure(|| decode(&bytes).expect("what was encoded can be decoded"));
        println!("  {:<17} {time}  {:>9} samples", format!("decode {name}"), again.samples.len());
    }
}

fn analysis(profile: &Profile) {
    let (time, merged) = measure(|| {
        merge(&[profile, profile], Kinship::Recordings).expect("a profile can be merged with itself")
    });
    println!("  {:<17} {time}  {:>9} samples", "merge with itself", merged.samples.len());
    let (time, functions) =
        measure(|| diff(profile, profile).expect("it is the same profile").functions.len());
    println!("  {:<17} {time}  {functions:>9} functions", "diff with itself");
    for (name, view) in [("top", View::Top), ("tree", View::Tree), ("traces", View::Traces)] {
        let options = ReportOptions { view, ..ReportOptions::default() };
        let report = Report::parse(&options).expect("the options make sense");
        let subject = Subject::profile(profile);
        let (time, bytes) = measure(|| {
            let mut bytes = 0;
            let mut sink = |part: Vec<u8>, _: &[_]| {
                bytes += part.len();
                ControlFlow::Continue(())
            };
            let written = report.write(&subject, Surroundings::default(), &mut sink);
            written.map(|_| bytes).expect("the workload is sound")
        });
        println!("  {name:<17} {time}  {bytes:>9} bytes");
    }
}

fn gzip_levels(profile: &Profile) {
    let zipped = encode(profile, Format::Pprof).expect("the workload is sound");
    let mut plain = Vec::new();
    GzDecoder::new(zipped.as_slice()).read_to_end(&mut plain).expect("what was zipped can be unzipped");
    println!("  pprof before gzip: {} bytes", plain.len());
    for level in [0, 1, 2, 3, 4, 5, 6, 9] {
        let (time, bytes) = measure(|| {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::new(level));
            encoder.write_all(&plain).and_then(|()| encoder.finish()).expect("writing to memory cannot fail")
        });
        println!("  gzip -{level}           {time}  {:>9} bytes", bytes.len());
    }
}
