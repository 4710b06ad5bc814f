//! Dumps of stackprof: Ruby's Marshal format (4.8) or JSON, of the Hash that `StackProf.results`
//! returns.
//!
//! Of Marshal only what such a Hash is made of is read: nil, true, false, numbers, texts, symbols,
//! arrays and hashes. No class is looked up and nothing is executed; anything else is an error.
//!
//! With `raw: true` a dump has the stacks. Without, it has the samples of each function by line,
//! and which functions called it; a stack then is the function at the leaf alone, and a comment
//! says so. A sample weighs one interval, as in stackprof's own reports. Frames of the garbage
//! collector get the names that rperf has for them.

mod dump;
mod from_json;
mod from_marshal;
mod heap;
mod marshal;
mod stacks;

use super::DecodeError;
use crate::profile::Profile;

/// The name of this format in messages.
pub(super) const NAME: &str = "stackprof";

/// The first bytes of a dump: Marshal's version, and a Hash.
pub(super) const MAGIC: [u8; 3] = [4, 8, b'{'];

/// The profile in a dump of Marshal's format.
pub(super) fn decode(bytes: &[u8]) -> Result<Profile, DecodeError> {
    from_marshal::read(bytes)?.into_profile()
}

/// The profile in a dump of JSON.
pub(super) fn decode_json(bytes: &[u8]) -> Result<Profile, DecodeError> {
    from_json::read(bytes)?.into_profile()
}

fn damaged(what: impl std::fmt::Display) -> DecodeError {
    DecodeError::damaged(NAME, what)
}
