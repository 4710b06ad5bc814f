//! Encoders against golden files, byte by byte (what was gzipped is compared unzipped).
//!
//! After an intended change: `RPERF_BLESS=1 cargo test -p rperf-core --test formats`, then read the
//! diff.

use std::io::Read;
use std::path::PathBuf;

use rperf_core::format::{Encoding, Format, encode};
use rperf_core::profile::Profile;

use crate::{fixture, heap};

const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

#[test]
fn pprof() {
    compare_all(Format::Pprof, "pb");
}

#[test]
fn collapsed() {
    compare_all(Format::Collapsed, "collapsed");
}

#[test]
fn text() {
    compare_all(Format::Text, "txt");
}

#[test]
fn json() {
    compare_all(Format::Json, "json");
}

#[test]
fn dot() {
    compare_all(Format::Dot, "dot");
}

#[test]
fn callgrind() {
    compare_all(Format::Callgrind, "callgrind");
}

#[test]
fn speedscope() {
    compare_all(Format::Speedscope, "speedscope.json");
}

#[test]
fn firefox() {
    compare_all(Format::Firefox, "firefox.json");
}

#[test]
fn markdown() {
    compare_all(Format::Markdown, "md");
}

#[test]
fn otlp() {
    compare_all(Format::Otlp, "otlp");
}

#[test]
fn every_format_may_be_gzipped_once() {
    let bytes = |encoding: Encoding| encode(&fixture::mixed(), encoding).expect("the fixture is sound");
    for (format, _) in Format::ALL {
        let (plain, zipped) = (bytes(format.into()), bytes(format.gzipped()));
        let expected = if format == Format::Pprof { unzip(&plain) } else { plain };
        assert_eq!(unzip(&zipped), expected, "{format:?}");
    }
}

#[test]
fn equal_profiles_give_equal_bytes() {
    for (format, _) in Format::ALL {
        let bytes = || encode(&fixture::mixed(), format).expect("the fixture is sound");
        assert_eq!(bytes(), bytes(), "{format:?}");
    }
}

fn compare_all(format: Format, extension: &str) {
    let named = [
        ("fib", fixture::fib()),
        ("mixed", fixture::mixed()),
        ("heap", heap::heap()),
        ("empty", fixture::empty()),
    ];
    for (name, profile) in named {
        compare(&format!("{name}.{extension}"), &contents(&profile, format));
    }
}

fn contents(profile: &Profile, format: Format) -> Vec<u8> {
    let bytes = encode(profile, format).expect("the fixtures are sound");
    if bytes.starts_with(&GZIP_MAGIC) { unzip(&bytes) } else { bytes }
}

fn unzip(bytes: &[u8]) -> Vec<u8> {
    let mut plain = Vec::new();
    flate2::read::GzDecoder::new(bytes).read_to_end(&mut plain).expect("the encoder writes valid gzip");
    plain
}

/// Compares with the file of this name, or writes it when RPERF_BLESS is set.
pub fn compare(name: &str, actual: &[u8]) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../test/golden").join(name);
    if std::env::var_os("RPERF_BLESS").is_some() {
        std::fs::write(&path, actual).expect("the golden file can be written");
    }
    let expected = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert!(
        expected == actual,
        "{name} differs from its golden file; expected:\n{}\nactual:\n{}",
        String::from_utf8_lossy(&expected),
        String::from_utf8_lossy(actual)
    );
}
