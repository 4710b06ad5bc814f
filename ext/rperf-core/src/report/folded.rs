//! Threads that wait for work do not drown the rest: their waiting is left out, in one line.

use serde::Serialize;

use super::Subject;
use crate::profile::{Idle, Profile};

/// What a report says of threads that waited for work. Weights are in the unit of the profile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Folded {
    /// How many threads did.
    threads: u64,
    /// All of their time.
    thread_weight: i64,
    /// The time in which they waited.
    weight: i64,
    /// Whether that is left out.
    folded: bool,
    /// The sum of all weights, what is left out among them.
    total: i64,
    /// What a report says of it.
    #[serde(skip)]
    line: String,
}

impl Folded {
    /// In a profile; a difference is about all of both. With what is shown of the profile, unless
    /// all is: `shows_idle`.
    pub(super) fn of(subject: &Subject<'_>, shows_idle: bool) -> Option<(Self, Option<Profile>)> {
        let profile = subject.target();
        let idle = subject.base().is_none().then(|| profile.idle()).flatten()?;
        let rest = (!shows_idle).then(|| profile.without_idle(&idle));
        let line = idle.line(&profile.value_type().unit);
        let Idle { threads, thread_time, time, .. } = idle;
        let [thread_weight, weight, total] = [thread_time, time, profile.total()].map(|it| it.0 as i64);
        Some((Self { threads, thread_weight, weight, folded: rest.is_some(), total, line }, rest))
    }

    /// What a report says of it, if anything is left out.
    pub(super) fn line(&self) -> Option<&str> {
        self.folded.then_some(self.line.as_str())
    }
}
