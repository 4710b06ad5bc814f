//! Wait kinds: names that the program gives to waits in some methods.

use std::collections::BTreeMap;

use magnus::{Error, Module, Object, RClass, RHash, RModule, function, method};
use rperf_core::profile::{Profile, WaitKind};

use super::native_profile::NativeProfile;
use crate::session::wait_kinds;

/// Defines the methods, and `MOST_WAIT_KINDS`. `profile`: the class `Profile`.
pub fn define(native: RModule, profile: RClass) -> Result<(), Error> {
    native.const_set("MOST_WAIT_KINDS", wait_kinds::MOST)?;
    profile.define_method("with_wait_kinds", method!(with_wait_kinds, 1))?;
    native.define_singleton_method("add_wait_kinds", function!(add, 1))
}

/// `Rperf::Native.add_wait_kinds(kinds)`: adds kinds, a Hash of Strings from methods to kinds.
/// Returns false, and adds nothing, if there would be too many.
fn add(kinds: RHash) -> Result<bool, Error> {
    Ok(wait_kinds::add(kinds.to_btree_map()?))
}

/// `profile.with_wait_kinds(kinds)`: returns a copy in which these kinds, a Hash of Strings from
/// methods to kinds, come before its own.
fn with_wait_kinds(profile: &NativeProfile, kinds: RHash) -> Result<NativeProfile, Error> {
    let kinds: BTreeMap<String, String> = kinds.to_btree_map()?;
    let comments = kinds.iter().map(|(method, kind)| WaitKind { kind, method }.write());
    let mut copy = Profile::clone(&profile.0);
    copy.meta.comments.splice(..0, comments);
    Ok(NativeProfile::new(copy))
}
