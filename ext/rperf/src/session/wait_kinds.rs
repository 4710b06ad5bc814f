//! Kinds that the program gives to waits in some methods: for all sessions from then on, also of
//! forked processes.

use std::collections::BTreeMap;

use rperf_core::profile::WaitKind;

use crate::os::sync::Lock;

/// Maximum number of methods with a kind: each is a comment in every wall profile, and is compared
/// with the methods that wait.
pub const MOST: usize = 1_000;

/// Kinds by method.
static ADDED: Lock<BTreeMap<String, String>> = Lock::new(BTreeMap::new());

/// Adds methods with their kinds; the kind of a known method is changed. Returns false, and adds
/// nothing, when there would be more than [`MOST`].
pub fn add(kinds: BTreeMap<String, String>) -> bool {
    let mut added = ADDED.lock();
    let new = kinds.keys().filter(|method| !added.contains_key(*method)).count();
    let fits = added.len() + new <= MOST;
    if fits {
        added.extend(kinds);
    }
    fits
}

/// Returns the comments of a profile that hold these kinds, in the order of the methods.
pub fn comments() -> Vec<String> {
    let added = ADDED.lock();
    added.iter().map(|(method, kind)| WaitKind { kind, method }.write()).collect()
}
