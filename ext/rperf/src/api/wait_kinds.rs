//! What the program calls waits in some methods.

use magnus::{Error, Module, Object, RHash, RModule, function};

use crate::session::wait_kinds;

/// Defines the method, and `MOST_WAIT_KINDS`.
pub fn define(native: RModule) -> Result<(), Error> {
    native.const_set("MOST_WAIT_KINDS", wait_kinds::MOST)?;
    native.define_singleton_method("add_wait_kinds", function!(add, 1))
}

/// `Rperf::Native.add_wait_kinds(kinds)`: a Hash of Strings, from methods to kinds. False, and
/// nothing is added, when there would be too many.
fn add(kinds: RHash) -> Result<bool, Error> {
    Ok(wait_kinds::add(kinds.to_btree_map()?))
}
