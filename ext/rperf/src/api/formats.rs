//! Encoding and decoding, off the GVL.

use magnus::{Error, Object, RArray, RHash, RModule, RString, Ruby, Symbol, function};
use rperf_core::format::{self, DecodeError, Encoding, Format};
use rperf_core::profile::{self, Kinship, Source};

use super::{data_hash, error, parts, profile_from};
use crate::vm::without_gvl::without_gvl;

/// Defines the methods.
pub fn define(native: RModule) -> Result<(), Error> {
    native.define_singleton_method("encode", function!(encode, 3))?;
    native.define_singleton_method("decode", function!(decode, 1))?;
    native.define_singleton_method("to_pprof", function!(to_pprof, 1))?;
    native.define_singleton_method("merge", function!(merge, 1))
}

/// `Rperf::Native.encode(data, format, gzipped)`: the bytes of a file; text is UTF-8. Raises Rperf::Error when the data
/// make no profile.
///
/// In one piece, unlike `Profile#encode`: parts would spare little beside the data, and the GVL, which each of them
/// needs, is long in coming where other threads are busy.
fn encode(ruby: &Ruby, data: RHash, format: Symbol, gzipped: bool) -> Result<RString, Error> {
    let encoding = encoding(ruby, format, gzipped)?;
    let profile = profile_from::data_hash(ruby, data)?;
    let bytes = without_gvl(ruby, || format::encode(&profile, encoding));
    let bytes = bytes.map_err(|problem| error(ruby, problem.to_string()))?;
    Ok(parts::string(ruby, &bytes, encoding.is_text()))
}

/// The format of this name, perhaps in gzip.
pub(super) fn encoding(ruby: &Ruby, format: Symbol, gzipped: bool) -> Result<Encoding, Error> {
    let name = format.name()?;
    let format =
        Format::from_name(&name).ok_or_else(|| error(ruby, format!("there is no format '{name}'")))?;
    Ok(if gzipped { format.gzipped() } else { format.into() })
}

/// `Rperf::Native.decode(bytes)`: the data hash. Raises Rperf::Error when the bytes are no profile.
fn decode(ruby: &Ruby, bytes: RString) -> Result<RHash, Error> {
    let bytes = profile_from::bytes(bytes);
    let profile = without_gvl(ruby, || {
        let mut profile = format::decode(&bytes)?;
        profile.count_what_is_unknown();
        Ok::<_, DecodeError>(profile)
    });
    let profile = profile.map_err(|problem| error(ruby, problem.to_string()))?;
    data_hash::build(ruby, &profile)
}

/// `Rperf::Native.to_pprof(bytes)`: the same profile for Go's pprof; what is pprof stays as it is. Raises Rperf::Error
/// when the bytes are no profile.
fn to_pprof(ruby: &Ruby, bytes: RString) -> Result<RString, Error> {
    let bytes = profile_from::bytes(bytes);
    let converted = without_gvl(ruby, || {
        let profile = format::decode(&bytes).map_err(|problem| problem.to_string())?;
        if format::is_pprof(&bytes) {
            return Ok(bytes);
        }
        format::encode(&profile, Format::Pprof).map_err(|problem| problem.to_string())
    });
    converted.map(|bytes| ruby.str_from_slice(&bytes)).map_err(|problem: String| error(ruby, problem))
}

/// `Rperf::Native.merge(datas)`: one data hash for the parts of a recording. Threads stay apart.
fn merge(ruby: &Ruby, datas: RArray) -> Result<RHash, Error> {
    let profiles = datas
        .into_iter()
        .map(|data| {
            magnus::TryConvert::try_convert(data).and_then(|data| profile_from::data_hash(ruby, data))
        })
        .collect::<Result<Vec<_>, _>>()?;
    let merged = without_gvl(ruby, || {
        let sources: Vec<Source<'_>> = profiles.iter().map(Source::from).collect();
        profile::merge(&sources, Kinship::Parts)
    });
    let merged = merged.map_err(|problem| error(ruby, problem.to_string()))?;
    data_hash::build(ruby, &merged)
}
