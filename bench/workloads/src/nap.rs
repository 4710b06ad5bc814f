//! Sleeps in `nanosleep`, with and without the GVL.

use magnus::{Error, RModule, function};

use crate::{clock, eintr, gvl};

/// Sleeps for `ns`, and after each EINTR for the rest of it.
pub fn nap(ns: u64) {
    let mut left = timespec(ns);
    eintr::retry(|| {
        let wanted = left;
        // SAFETY: both point to timespecs that live through the call.
        i64::from(unsafe { libc::nanosleep(&wanted, &mut left) })
    });
}

/// Returns `ns` in the form that the kernel expects.
pub fn timespec(ns: u64) -> libc::timespec {
    libc::timespec { tv_sec: (ns / 1_000_000_000) as i64, tv_nsec: (ns % 1_000_000_000) as i64 }
}

fn sleep_with_gvl(ns: u64) -> u64 {
    clock::cost_of(|| nap(ns))
}

fn sleep_without_gvl(ns: u64) -> u64 {
    clock::cost_of(|| gvl::without_gvl(|| nap(ns)))
}

/// Defines `sleep_with_gvl(ns)` and `sleep_without_gvl(ns)`.
pub fn define(module: RModule) -> Result<(), Error> {
    module.define_module_function("sleep_with_gvl", function!(sleep_with_gvl, 1))?;
    module.define_module_function("sleep_without_gvl", function!(sleep_without_gvl, 1))
}
