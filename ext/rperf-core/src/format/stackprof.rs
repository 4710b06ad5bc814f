//! Dumps of stackprof: Ruby's Marshal format (4.8) or JSON, of the Hash that `StackProf.results`
//! returns.
//!
//! From Marshal, only the types of such a Hash are read: nil, true, false, numbers, texts, symbols,
//! arrays and hashes. Any other type is an error. No class is looked up and nothing is executed.
//!
//! With `raw: true` a dump has the stacks. Without it, a dump has the samples of each function by
//! line, and the callers of the function. Then the stack is only the function at the leaf, and a
//! comment says so. A sample weighs one interval, as in stackprof's own reports. Frames of the
//! garbage collector get rperf's names.

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

/// First bytes of a dump: the version of Marshal, and the type Hash.
pub(super) const MAGIC: [u8; 3] = [4, 8, b'{'];

/// Decodes the profile in a dump in Marshal format.
pub(super) fn decode(bytes: &[u8]) -> Result<Profile, DecodeError> {
    from_marshal::read(bytes)?.into_profile()
}

/// Decodes the profile in a dump in JSON.
pub(super) fn decode_json(bytes: &[u8]) -> Result<Profile, DecodeError> {
    from_json::read(bytes)?.into_profile()
}

fn damaged(what: impl std::fmt::Display) -> DecodeError {
    DecodeError::damaged(NAME, what)
}
