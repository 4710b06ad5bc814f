//! The part of a profile that reports for people show.

use crate::profile::Profile;

/// A profile for people: blocks have lines, and time of waiting for work is left out if not wanted.
pub(super) struct Readable {
    pub(super) profile: Profile,
    /// The sentence about the time that is left out, if any is.
    pub(super) folded: Option<String>,
}

impl Readable {
    /// Prepares a profile; `idle` is whether all of its time stays.
    pub(super) fn of(profile: &Profile, idle: bool) -> Self {
        let folded = if idle { None } else { profile.folded(None) };
        let mut rest = folded.map_or_else(|| profile.clone(), |(rest, _)| rest);
        let folded = rest.meta.folded.take();
        Self { profile: rest.with_block_lines(), folded }
    }
}
