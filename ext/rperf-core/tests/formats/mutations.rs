//! Valid files with a few bytes changed: decoding never panics, and what it accepts can be used.

use std::io::Read;

use rperf_core::format::{Format, decode, encode};

use crate::fixture;
use crate::random::{self, Random};

/// Mutants of each file.
const MUTANTS: u64 = 4_000;

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
fn json() {
    mutate_all(|profile| encode(profile, Format::Json).expect("the profile is sound"));
}

#[test]
fn collapsed() {
    mutate_all(|profile| encode(profile, Format::Collapsed).expect("the profile is sound"));
}

fn mutate_all(bytes: impl Fn(&rperf_core::profile::Profile) -> Vec<u8>) {
    for (seed, profile) in [(1, fixture::fib()), (2, fixture::mixed()), (3, random::profile(7))] {
        let valid = bytes(&profile);
        let mut random = Random::new(seed);
        let accepted = (0..MUTANTS).filter(|_| use_if_accepted(&mutant(&valid, &mut random))).count();
        // Otherwise the mutants would not reach deep into the decoder.
        assert!(accepted < MUTANTS as usize, "every mutant was accepted");
    }
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

/// Whether the bytes could be decoded; then they can also be encoded in every format.
fn use_if_accepted(bytes: &[u8]) -> bool {
    let Ok(profile) = decode(bytes) else { return false };
    for format in Format::ALL {
        encode(&profile, format).expect("what was decoded is sound");
    }
    true
}
