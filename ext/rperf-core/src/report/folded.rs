//! Threads that wait for work do not drown the rest: their waiting is left out, in one line.

use serde::Serialize;

use super::Subject;
use super::notation::Notation;
use crate::profile::{Idle, Profile};
use crate::unit::MINIMUM;

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
}

impl Folded {
    /// In a profile; a difference is about all of both. With what is shown of the profile, unless
    /// all is: `shows_idle`.
    pub(super) fn of(subject: &Subject<'_>, shows_idle: bool) -> Option<(Self, Option<Profile>)> {
        let profile = subject.target();
        let idle = subject.base().is_none().then(|| profile.idle()).flatten()?;
        let rest = (!shows_idle).then(|| profile.without_idle(&idle));
        let Idle { threads, thread_time, time, .. } = idle;
        let [thread_weight, weight, total] = [thread_time, time, profile.total()].map(|it| it.0 as i64);
        Some((Self { threads, thread_weight, weight, folded: rest.is_some(), total }, rest))
    }

    /// What a report says of it, if anything is left out. `unit`: that of the profile.
    pub(super) fn line(&self, unit: &str) -> Option<String> {
        let notation = Notation::new(unit, MINIMUM);
        let Self { threads, thread_weight, weight, folded, .. } = *self;
        let noun = if threads == 1 { "thread" } else { "threads" };
        let each = notation.one_decimal(thread_weight / i64::try_from(threads).unwrap_or(i64::MAX));
        let idle = notation.one_decimal(weight);
        folded.then(|| format!("{threads} {noun} x {each}, {idle} idle folded; --idle shows them"))
    }
}
