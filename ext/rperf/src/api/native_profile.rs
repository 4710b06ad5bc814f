//! A profile as an object of Ruby. What it can do is in `profile`, and in files of one subject
//! each.

use magnus::Ruby;
use rperf_core::profile::Profile;

/// `Rperf::Native::Profile`. It never changes.
#[magnus::wrap(class = "Rperf::Native::Profile", free_immediately)]
pub(super) struct NativeProfile(
    pub(super) Profile,
    #[expect(dead_code, reason = "it lives as long as the profile")] MemoryShare,
);

impl NativeProfile {
    /// Takes the GVL to be held; the collector may run.
    pub(super) fn new(profile: Profile) -> Self {
        let share = MemoryShare::new(profile.memory_size());
        Self(profile, share)
    }
}

/// Bytes that the collector knows of as long as this lives. A profile is one small object to it:
/// otherwise a program that makes one every few seconds keeps those that it has dropped until many
/// other objects have come.
struct MemoryShare(isize);

impl MemoryShare {
    fn new(bytes: usize) -> Self {
        let share = Self(isize::try_from(bytes).unwrap_or(isize::MAX));
        share.adjust(share.0);
        share
    }

    fn adjust(&self, difference: isize) {
        if let Ok(ruby) = Ruby::get() {
            ruby.gc_adjust_memory_usage(difference);
        }
    }
}

impl Drop for MemoryShare {
    fn drop(&mut self) {
        self.adjust(-self.0);
    }
}
