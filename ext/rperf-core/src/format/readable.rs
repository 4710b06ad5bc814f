//! What texts for people show of a profile.

use crate::profile::Profile;

/// A profile without the time in which threads waited for work, and with the lines of its blocks.
pub(super) struct Readable {
    pub(super) profile: Profile,
    /// What is said of the time that is left out, if any is.
    pub(super) folded: Option<String>,
}

impl Readable {
    /// `idle`: whether nothing is to be left out.
    pub(super) fn of(profile: &Profile, idle: bool) -> Self {
        let folded = if idle { None } else { profile.idle() };
        let rest = folded.as_ref().map_or_else(|| profile.clone(), |idle| profile.without_idle(idle));
        let folded = folded.map(|idle| idle.line(&profile.value_type().unit));
        Self { profile: rest.with_block_lines(), folded }
    }
}
