//! Gzip, without a time stamp or a file name, so that equal contents give equal bytes.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

/// Chosen by `bench/micro`: stacks repeat so much that higher levels cost time and save little.
const LEVEL: u32 = 1;

/// The contents, compressed.
pub(crate) fn compress(contents: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(contents.len() / 4 + 64), Compression::new(LEVEL));
    encoder.write_all(contents).and_then(|()| encoder.finish()).expect("writing to memory cannot fail")
}
