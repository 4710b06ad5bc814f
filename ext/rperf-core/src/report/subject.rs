//! What a report is about: a profile, or the difference of two.

use crate::profile::Profile;

/// A profile, or a target minus a base.
#[derive(Clone, Copy)]
pub struct Subject<'p> {
    target: &'p Profile,
    base: Option<&'p Profile>,
}

impl<'p> Subject<'p> {
    /// One profile.
    pub fn profile(profile: &'p Profile) -> Self {
        Self { target: profile, base: None }
    }

    /// A target minus a base, with shares of the base's total, as with pprof's `-diff_base`.
    pub fn difference(base: &'p Profile, target: &'p Profile) -> Self {
        Self { target, base: Some(base) }
    }

    /// The profile, or the target of a difference.
    pub fn target(&self) -> &'p Profile {
        self.target
    }

    /// What is subtracted, if anything is.
    pub fn base(&self) -> Option<&'p Profile> {
        self.base
    }

    /// The target and the base, and with which sign they count.
    pub(super) fn parts(&self) -> impl Iterator<Item = (&'p Profile, i64)> {
        [(self.target, 1)].into_iter().chain(self.base.map(|base| (base, -1)))
    }
}
