//! JSON of other tools. The outermost fields show which tool wrote it.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{DecodeError, firefox, json, speedscope, stackprof};
use crate::profile::Profile;

/// The fields by which the tools' files are told apart.
#[derive(Deserialize)]
struct Fields {
    profiles: Option<IgnoredAny>,
    threads: Option<IgnoredAny>,
    meta: Option<IgnoredAny>,
    frames: Option<IgnoredAny>,
    mode: Option<IgnoredAny>,
}

/// Decodes the profile and returns it with the name of its format.
pub(super) fn decode(bytes: &[u8]) -> Result<(&'static str, Profile), DecodeError> {
    let fields: Fields =
        serde_json::from_slice(bytes).map_err(|error| DecodeError::json(json::NAME, &error))?;
    if fields.profiles.is_some() {
        return Ok((speedscope::NAME, speedscope::decode(bytes)?));
    }
    if fields.meta.is_some() && fields.threads.is_some() {
        return Ok((firefox::NAME, firefox::decode(bytes)?));
    }
    if fields.frames.is_some() && fields.mode.is_some() {
        return Ok((stackprof::NAME, stackprof::decode_json(bytes)?));
    }
    Err(DecodeError::ForeignJson)
}
