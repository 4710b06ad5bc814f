//! Writes a large profile for `bench/report/run`: a million unique stacks of 60 frames, as pprof,
//! gzipped and not.
//!
//!     cargo run --release --manifest-path bench/micro/Cargo.toml --bin large -- DIRECTORY [SAMPLES]

#[path = "../workload.rs"]
#[allow(dead_code)]
mod workload;

use std::io::Read;
use std::path::PathBuf;

use flate2::read::GzDecoder;
use rperf_core::format::{Format, encode};

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let directory = PathBuf::from(arguments.next().expect("the first argument is a directory"));
    let samples =
        arguments.next().map_or(1_000_000, |number| number.parse().expect("the second is a number"));
    let zipped = encode(&workload::call_tree_of(samples), Format::Pprof).expect("the workload is sound");
    let mut plain = Vec::new();
    GzDecoder::new(zipped.as_slice()).read_to_end(&mut plain)?;
    for (name, bytes) in [("large.pb.gz", &zipped), ("large.pb", &plain)] {
        let path = directory.join(name);
        std::fs::write(&path, bytes)?;
        println!("{} {}", bytes.len(), path.display());
    }
    Ok(())
}
