//! The part of a profile that reports for people show.

use crate::profile::Profile;

/// A profile for people: blocks have lines, and time of waiting for work is left out if not wanted.
pub(super) struct Readable {
    pub(super) profile: Profile,
    /// The sentence about the time that is left out, if any is.
    pub(super) folded: Option<String>,
}

impl Readable {
    /// Prepares a profile; `idle` is whether the time in which threads waited for work stays.
    pub(super) fn of(profile: &Profile, idle: bool) -> Self {
        let folded = if idle { None } else { profile.idle() };
        let rest = folded.as_ref().map_or_else(|| profile.clone(), |idle| profile.without_idle(idle));
        let folded = folded.map(|idle| idle.line(&profile.value_type().unit));
        Self { profile: rest.with_block_lines(), folded }
    }
}
