//! Figures of the process's memory, and of the deaths of its objects.

use magnus::{Error, Object, RHash, RModule, Ruby, function};

use crate::os::memory_usage;
use crate::threads::session_state;

/// Defines the methods of `Rperf::Native`.
pub fn define(native: RModule) -> Result<(), Error> {
    native.define_singleton_method("memory_usage", function!(memory_usage, 0))?;
    native.define_singleton_method("deaths", function!(deaths, 0))
}

/// `Rperf::Native.memory_usage`: returns the bytes that are resident and the bytes that malloc has,
/// as a Hash of Integers. Unknown figures are missing.
fn memory_usage(ruby: &Ruby) -> Result<RHash, Error> {
    let hash = ruby.hash_new();
    for (name, bytes) in [memory_usage::resident(), memory_usage::malloc()].into_iter().flatten().flatten() {
        hash.aset(ruby.to_symbol(name), bytes)?;
    }
    Ok(hash)
}

/// `Rperf::Native.deaths`: returns how many watched objects have died in the session, or the last
/// one, by their lifetimes in collections: 1, 2 or 3, 4 to 7, and so on. The last number has the
/// rest.
fn deaths() -> Vec<u64> {
    session_state::deaths().to_vec()
}
