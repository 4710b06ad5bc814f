//! From one format to another, with no data hash in between.

use magnus::{Error, Module, RClass, Ruby, Symbol, Value, method};
use rperf_core::format;

use super::report::ReadProfile;
use super::{error, formats, parts};

/// Defines the method of `Rperf::Native::Profile`.
pub fn define(class: RClass) -> Result<(), Error> {
    class.define_method("encode", method!(encode, 2))
}

/// `profile.encode(format, gzipped) { |part| ... }`: yields the bytes of a file in parts. Raises Rperf::Error before the
/// first.
fn encode(ruby: &Ruby, profile: &ReadProfile, format: Symbol, gzipped: bool) -> Result<(), Error> {
    let encoding = formats::encoding(ruby, format, gzipped)?;
    let (profile, block) = (&profile.0, ruby.block_proc()?);
    let make = |sink: parts::Sink<'_, Vec<u8>>| format::write(profile, encoding, sink);
    let encoded = parts::each_part(ruby, make, |part| {
        block.call::<_, Value>((parts::string(ruby, &part, encoding.is_text()),)).map(drop)
    })?;
    encoded.map_err(|problem| error(ruby, problem.to_string()))
}
