//! Valid files with a few bytes changed: decoding never panics, and what it accepts can be used.
//! The bounded run of what `fuzz/run` does without an end.

use std::io::Read;

use rperf_core::format::{Format, decode, encode};

use crate::fixture;
use crate::random::{self, Random};

#[path = "../../../../fuzz/src/lib.rs"]
mod fuzz;

/// Mutants of each file.
const MUTANTS: u64 = 1_000;

/// Those of them that are used, of the ones that are accepted: a use takes many times as long as
/// decoding, and they differ little.
const USED: usize = 100;

#[test]
fn pprof() {
    mutate_all(|profile| {
        let zipped = encode(profile, Format::Pprof).expect("the profile is sound");
        let mut plain = Vec::new();
        flate2::read::GzDecoder::new(zipped.as_slice()).read_to_end(&mut plain).expect("it is gzip");
        plain
    });
}

#[test]
fn gzipped_pprof() {
    mutate_all(|profile| encode(profile, Format::Pprof).expect("the profile is sound"));
}

#[test]
fn otlp() {
    mutate_all(|profile| encode(profile, Format::Otlp).expect("the profile is sound"));
}

#[test]
fn json() {
    mutate_all(|profile| encode(profile, Format::Json).expect("the profile is sound"));
}

#[test]
fn collapsed() {
    mutate_all(|profile| encode(profile, Format::Collapsed).expect("the profile is sound"));
}

/// Every golden file, and the profiles of other programs: mutants of what the fuzzer starts from.
#[test]
fn golden_files() {
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/../../test/golden");
    let mut random = Random::new(4);
    let mut accepted = 0;
    for directory in [golden.to_owned(), format!("{golden}/foreign")] {
        for entry in std::fs::read_dir(directory).expect("the directory is there").flatten() {
            let Ok(valid) = std::fs::read(entry.path()) else { continue };
            if valid.is_empty() {
                continue;
            }
            accepted += (0..MUTANTS / 5).filter(|_| fuzz::check(&mutant(&valid, &mut random))).count();
        }
    }
    assert!(accepted > 100, "only {accepted} mutants reached what comes after decoding");
}

#[test]
fn speedscope() {
    mutate_all(|profile| encode(profile, Format::Speedscope).expect("the profile is sound"));
}

#[test]
fn firefox() {
    mutate_all(|profile| encode(profile, Format::Firefox).expect("the profile is sound"));
}

#[test]
fn files_of_others() {
    let names =
        ["stackprof_raw.dump", "stackprof_aggregate.dump", "stackprof.json", "speedscope_evented.json"];
    for (seed, name) in (1..).zip(names.into_iter().chain(["firefox_old.json", "firefox_new.json"])) {
        let path = format!("{}/../../test/golden/foreign/{name}", env!("CARGO_MANIFEST_DIR"));
        mutate(&std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}")), seed);
    }
}

fn mutate_all(bytes: impl Fn(&rperf_core::profile::Profile) -> Vec<u8>) {
    for (seed, profile) in [(1, fixture::fib()), (2, fixture::mixed()), (3, random::profile(7))] {
        mutate(&bytes(&profile), seed);
    }
}

fn mutate(valid: &[u8], seed: u64) {
    let mut random = Random::new(seed);
    assert!(fuzz::check(valid), "the file itself is accepted");
    let mut accepted = 0;
    for _ in 0..MUTANTS {
        let mutant = mutant(valid, &mut random);
        let is_accepted = if accepted < USED { fuzz::check(&mutant) } else { decode(&mutant).is_ok() };
        accepted += usize::from(is_accepted);
    }
    // Otherwise the mutants would not reach deep into the decoder.
    assert!(accepted < MUTANTS as usize, "every mutant was accepted");
}

/// A copy with one to four changes.
fn mutant(valid: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = valid.to_vec();
    for _ in 0..1 + random.below(4) {
        let at = random.below(bytes.len());
        match random.below(6) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = random.next() as u8,
            2 => bytes.truncate(at.max(1)),
            3 => drop(bytes.splice(at..at, [0xff; 9])),
            4 => drop(bytes.remove(at)),
            _ => {
                let end = (at + random.below(64)).min(bytes.len());
                bytes.extend_from_within(at..end);
            }
        }
        if bytes.is_empty() {
            bytes.push(0);
        }
    }
    bytes
}
