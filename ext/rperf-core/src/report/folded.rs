//! Threads that wait for work do not drown the rest: their waiting is left out, in one line.

use serde::Serialize;

use super::Subject;
use crate::profile::{Idle, Profile};

/// What a report says of threads that waited for work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Folded {
    #[serde(flatten)]
    waits: Waits,
    /// The same of the base, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<Waits>,
    /// Whether that is left out.
    folded: bool,
    /// What a report says of it.
    #[serde(skip)]
    line: String,
}

/// Weights are in the unit of the profile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Waits {
    /// How many threads waited for work.
    threads: u64,
    /// All of their time.
    thread_weight: i64,
    /// The time in which they waited.
    weight: i64,
    /// The sum of all weights, what is left out among them.
    total: i64,
}

/// What is left of a profile, or of a target and its base.
pub(super) struct Rest {
    target: Profile,
    base: Option<Profile>,
}

impl Folded {
    /// In a profile, or in both that are compared. With what is shown of them, unless all is:
    /// `shows_idle`.
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

    /// What a report says of it, if anything is left out.
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
    /// What is left, as what a report is about.
    pub(super) fn subject(&self) -> Subject<'_> {
        match &self.base {
            None => Subject::profile(&self.target),
            Some(base) => Subject::difference(base, &self.target),
        }
    }
}
