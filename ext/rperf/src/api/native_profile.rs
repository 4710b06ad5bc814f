//! Ruby objects for a profile and for kept profiles. The methods of a profile are in `profile`, and
//! in files of one subject each.

use std::cell::RefCell;
use std::ops::Deref;
use std::sync::Arc;

use magnus::{Class, Error, Module, Object, RArray, RModule, Ruby, TryConvert, TypedData, function, method};
use rperf_core::profile::Profile;

/// Defines `Rperf::Native::KeptProfiles`.
pub fn define(ruby: &Ruby, native: RModule) -> Result<(), Error> {
    let class = native.define_class("KeptProfiles", ruby.class_object())?;
    class.undef_default_alloc_func();
    know_class::<KeptProfiles>(ruby);
    class.define_singleton_method("new", function!(KeptProfiles::new, 1))?;
    class.define_method("profiles", method!(KeptProfiles::profiles, 0))?;
    class.define_method("memory_size", method!(KeptProfiles::memory_size, 0))?;
    class.define_method("release", method!(KeptProfiles::release, 0))
}

/// Looks up the class of a type while the extension is loaded. Magnus does this once, at the first
/// use, and takes an exception that a signal raises meanwhile for a bug.
pub(super) fn know_class<T: TypedData>(ruby: &Ruby) {
    T::class(ruby);
}

/// `Rperf::Native::Profile`, which never changes.
#[magnus::wrap(class = "Rperf::Native::Profile", free_immediately)]
#[derive(Clone)]
pub(super) struct NativeProfile(pub(super) Arc<Shared>);

impl NativeProfile {
    /// Creates the object. The GVL is held, and the collector may run.
    pub(super) fn new(profile: Profile) -> Self {
        let share = MemoryShare::new(profile.memory_size());
        Self(Arc::new(Shared(profile, share)))
    }
}

/// A profile, and its memory as the collector knows it.
pub(super) struct Shared(
    Profile,
    #[expect(dead_code, reason = "it lives as long as the profile")] MemoryShare,
);

impl Deref for Shared {
    type Target = Profile;

    fn deref(&self) -> &Profile {
        &self.0
    }
}

/// `Rperf::Native::KeptProfiles`: profiles that are kept for seconds or minutes, and are freed when
/// they are released. By then, objects are old to the collector. Without a release, megabytes of
/// garbage would stay until the collector looks at old objects.
#[magnus::wrap(class = "Rperf::Native::KeptProfiles", free_immediately)]
struct KeptProfiles(RefCell<Vec<NativeProfile>>);

impl KeptProfiles {
    /// `Rperf::Native::KeptProfiles.new(profiles)`: keeps the profiles of an Array.
    fn new(profiles: RArray) -> Result<Self, Error> {
        let profile = |value| <&NativeProfile>::try_convert(value).cloned();
        profiles.into_iter().map(profile).collect::<Result<_, _>>().map(|all| Self(RefCell::new(all)))
    }

    /// `kept.profiles`: returns an Array of new Profile objects, which is empty after the release.
    fn profiles(ruby: &Ruby, kept: &Self) -> RArray {
        let all = kept.0.borrow().clone();
        ruby.ary_from_iter(all)
    }

    /// `kept.memory_size`: returns the approximate size of the profiles in memory, in bytes.
    fn memory_size(&self) -> usize {
        self.0.borrow().iter().map(|profile| profile.0.memory_size()).sum()
    }

    /// `kept.release`: frees the profiles to which nothing else refers.
    fn release(&self) {
        let all = self.0.take();
        drop(all);
    }
}

/// Bytes that the collector counts as used while this value lives. To the collector a profile is
/// one small object. Without this, a program that makes one every few seconds would keep dropped
/// profiles until many other objects have been allocated.
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
