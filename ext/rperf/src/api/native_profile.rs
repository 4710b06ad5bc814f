//! A profile as an object of Ruby, and profiles that are kept. What one can do is in `profile`, and
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

/// Magnus looks up the class of a type once, when it is first needed, and takes an exception that a
/// signal raises meanwhile for a bug: so it is needed here, while the extension is loaded.
pub(super) fn know_class<T: TypedData>(ruby: &Ruby) {
    T::class(ruby);
}

/// `Rperf::Native::Profile`. It never changes.
#[magnus::wrap(class = "Rperf::Native::Profile", free_immediately)]
#[derive(Clone)]
pub(super) struct NativeProfile(pub(super) Arc<Shared>);

impl NativeProfile {
    /// Takes the GVL to be held; the collector may run.
    pub(super) fn new(profile: Profile) -> Self {
        let share = MemoryShare::new(profile.memory_size());
        Self(Arc::new(Shared(profile, share)))
    }
}

/// A profile, and what the collector knows of it.
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
/// they are released. Objects that have been kept for so long are old to the collector: megabytes
/// of garbage would stay until it looks at old ones.
#[magnus::wrap(class = "Rperf::Native::KeptProfiles", free_immediately)]
struct KeptProfiles(RefCell<Vec<NativeProfile>>);

impl KeptProfiles {
    /// `Rperf::Native::KeptProfiles.new(profiles)`: of an Array of Profile.
    fn new(profiles: RArray) -> Result<Self, Error> {
        let profile = |value| <&NativeProfile>::try_convert(value).cloned();
        profiles.into_iter().map(profile).collect::<Result<_, _>>().map(|all| Self(RefCell::new(all)))
    }

    /// `kept.profiles`: an Array of Profile, new objects each time; empty once they are released.
    fn profiles(ruby: &Ruby, kept: &Self) -> RArray {
        let all = kept.0.borrow().clone();
        ruby.ary_from_iter(all)
    }

    /// `kept.memory_size`: about how many bytes of memory they take.
    fn memory_size(&self) -> usize {
        self.0.borrow().iter().map(|profile| profile.0.memory_size()).sum()
    }

    /// `kept.release`: frees what nothing else has.
    fn release(&self) {
        let all = self.0.take();
        drop(all);
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
