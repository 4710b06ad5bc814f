//! Threads that wait for work. Their waiting would dominate a report, so one line stands for it.

use serde::Serialize;

use super::Subject;
use crate::profile::{Idle, Profile};

/// Data about threads that waited for work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Folded {
    #[serde(flatten)]
    waits: Waits,
    /// Data about the base of a difference.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<Waits>,
    /// Whether the waiting is left out of the report.
    folded: bool,
    /// Line of the report about the waiting.
    #[serde(skip)]
    line: String,
}

/// Waiting for work in one profile. Weights are in the unit of the profile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Waits {
    /// Number of threads that waited for work.
    threads: u64,
    /// Total time of these threads.
    thread_weight: i64,
    /// Time in which these threads waited for work.
    weight: i64,
    /// Sum of all weights, including time that is left out.
    total: i64,
}

/// Profile, or target and base, without the waiting.
pub(super) struct Rest {
    target: Profile,
    base: Option<Profile>,
}

impl Folded {
    /// Finds the waiting in a profile, or in both sides of a difference. Also returns the profiles
    /// without it, unless `shows_idle`. `None`: there is nothing to leave out.
    pub(super) fn of(subject: &Subject<'_>, shows_idle: bool) -> Option<(Self, Option<Rest>)> {
        let target = subject.target();
        let unit = target.value_type().unit;
        let Some(base) = subject.base() else {
            let idle = target.idle()?;
            let rest = (!shows_idle).then(|| Rest { target: target.without_idle(&idle), base: None });
            return Some((Self::new(Waits::of(&idle, target), None, idle.line(&unit), shows_idle), rest));
        };
        let both = target.idle_beside(base)?;
        let line = Idle::lines(&both, &unit);
        let [before, after] = &both;
        let rest = (!shows_idle)
            .then(|| Rest { target: target.without_idle(after), base: Some(base.without_idle(before)) });
        let waits = Waits::of(after, target);
        Some((Self::new(waits, Some(Waits::of(before, base)), line, shows_idle), rest))
    }

    fn new(waits: Waits, before: Option<Waits>, line: String, shows_idle: bool) -> Self {
        Self { waits, before, folded: !shows_idle, line }
    }

    /// Returns the line about the waiting, if the waiting is left out.
    pub(super) fn line(&self) -> Option<&str> {
        self.folded.then_some(self.line.as_str())
    }
}

impl Waits {
    fn of(idle: &Idle, profile: &Profile) -> Self {
        let [thread_weight, weight, total] =
            [idle.thread_time, idle.time, profile.total()].map(|it| it.0 as i64);
        Self { threads: idle.threads, thread_weight, weight, total }
    }
}

impl Rest {
    /// Returns the remaining profiles as the subject of a report.
    pub(super) fn subject(&self) -> Subject<'_> {
        match &self.base {
            None => Subject::profile(&self.target),
            Some(base) => Subject::difference(base, &self.target),
        }
    }
}
