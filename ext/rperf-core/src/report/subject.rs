//! Subject of a report: a profile, or the difference of two.

use crate::profile::Profile;

/// A profile, or a target minus a base.
#[derive(Clone, Copy)]
pub struct Subject<'p> {
    target: &'p Profile,
    base: Option<&'p Profile>,
}

impl<'p> Subject<'p> {
    /// Creates a subject of one profile.
    pub fn profile(profile: &'p Profile) -> Self {
        Self { target: profile, base: None }
    }

    /// Creates a target minus a base. Shares are of the base's total, as in pprof's `-diff_base`.
    pub fn difference(base: &'p Profile, target: &'p Profile) -> Self {
        Self { target, base: Some(base) }
    }

    /// Returns the profile, or the target of a difference.
    pub fn target(&self) -> &'p Profile {
        self.target
    }

    /// Returns the base of a difference.
    pub fn base(&self) -> Option<&'p Profile> {
        self.base
    }

    /// Returns the target and the base, each with the sign of its weights.
    pub(super) fn parts(&self) -> impl Iterator<Item = (&'p Profile, i64)> {
        [(self.target, 1)].into_iter().chain(self.base.map(|base| (base, -1)))
    }
}
