//! Data from which all views are built.

use std::borrow::Cow;

use super::head::Head;
use super::notation::Notation;
use super::{Report, ReportError, Subject, Surroundings, View};
use crate::profile::{Profile, ShortPaths, check_alike};

/// Selected samples of a report, and the data for the lines above them.
pub(super) struct Scene<'a> {
    pub(super) report: &'a Report,
    /// Profiles to which the filters have not been applied.
    pub(super) subject: Subject<'a>,
    /// Selected samples of the target and the base, each with the sign of its weights.
    pub(super) parts: Vec<(Cow<'a, Profile>, i64)>,
    pub(super) head: Head,
    /// Notation with the unit that fits each value, or with the unit of the user.
    pub(super) notation: Notation,
    pub(super) surroundings: Surroundings,
    /// Names of the filters that match nothing in any part.
    pub(super) unmatched: Vec<&'static str>,
}

impl<'a> Scene<'a> {
    pub(super) fn set(
        report: &'a Report,
        subject: &Subject<'a>,
        mut surroundings: Surroundings,
    ) -> Result<Self, ReportError> {
        check_alike(subject.base().into_iter().chain([subject.target()]))?;
        if subject.base().is_some()
            && !matches!(report.view, View::Top | View::Tree | View::Peek(_) | View::By(_) | View::Leaks)
        {
            return Err(ReportError::NoDifference(report.view.name()));
        }
        let mut parts = Vec::new();
        let mut unmatched: Option<Vec<&'static str>> = None;
        for (profile, sign) in subject.parts() {
            let selection = report.select(profile);
            // The two sides of a difference are compared by name, and their places differ.
            let profile = match report.naming().filter(|_| subject.base().is_none()) {
                Some(named) => Cow::Owned(named(selection.profile.into_owned())),
                None => selection.profile,
            };
            parts.push((profile, sign));
            let found = |name: &&'static str| selection.unmatched.contains(name);
            unmatched = Some(match unmatched {
                None => selection.unmatched,
                Some(names) => names.into_iter().filter(|name| found(name)).collect(),
            });
        }
        let notation = Notation::new(&subject.target().value_type().unit, &report.unit);
        let head = Head::of(subject, surroundings.started.take());
        Ok(Self {
            report,
            subject: *subject,
            parts,
            head,
            notation,
            surroundings,
            unmatched: unmatched.unwrap_or_default(),
        })
    }

    /// Returns the profile, or the target of a difference.
    pub(super) fn target(&self) -> &Profile {
        &self.parts[0].0
    }

    /// Returns the short paths of the whole profile, whatever the filters are.
    pub(super) fn paths(&self) -> ShortPaths<'_> {
        ShortPaths::of(self.subject.target())
    }

    /// Returns the total weight to which shares refer.
    pub(super) fn total(&self) -> i64 {
        self.head.total
    }
}
