//! A profile as an object of Ruby. What it can do is in `profile`, and in files of one subject
//! each.

use rperf_core::profile::Profile;

/// `Rperf::Native::Profile`. It never changes.
#[magnus::wrap(class = "Rperf::Native::Profile", free_immediately)]
pub(super) struct NativeProfile(pub(super) Profile);
