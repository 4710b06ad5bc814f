//! Encoding and decoding, off the GVL.

use magnus::{Error, Object, RHash, RModule, RString, Ruby, Symbol, function};
use rperf_core::format::{self, Format};

use super::{error, profile_from};
use crate::vm::without_gvl::without_gvl;

/// Defines the methods.
pub fn define(native: RModule) -> Result<(), Error> {
    native.define_singleton_method("encode", function!(encode, 2))?;

    Ok(())
}

/// `Rperf::Native.encode(data, format)`: the bytes of a file. Raises Rperf::Error when the data make no profile.
fn encode(ruby: &Ruby, data: RHash, format: Symbol) -> Result<RString, Error> {
    let name = format.name()?;
    let format =
        Format::from_name(&name).ok_or_else(|| error(ruby, format!("there is no format '{name}'")))?;
    let profile = profile_from::data_hash(ruby, data)?;
    let bytes = without_gvl(ruby, || format::encode(&profile, format));
    let bytes = bytes.map_err(|problem| error(ruby, problem.to_string()))?;
    Ok(if format.is_text() {
        ruby.enc_str_new(&bytes, ruby.utf8_encoding())
    } else {
        ruby.str_from_slice(&bytes)
    })
}
