//! What all views are built from.

use std::borrow::Cow;

use super::head::Head;
use super::notation::Notation;
use super::{Kind, Report, ReportError, Subject, Surroundings, people};
use crate::profile::{Profile, check_alike};

/// The selected samples, and what is said above them.
pub(super) struct Scene<'a> {
    pub(super) report: &'a Report,
    /// As it is without filters.
    pub(super) subject: Subject<'a>,
    /// The target and the base, selected, and the sign with which each counts.
    pub(super) parts: Vec<(Cow<'a, Profile>, i64)>,
    pub(super) head: Head,
    /// Each value in the unit that fits it, or in that of the user.
    pub(super) notation: Notation,
    pub(super) surroundings: Surroundings,
    /// The filters that match nothing in any part.
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
            && !matches!(report.kind, Kind::Top | Kind::Tree | Kind::Peek(_) | Kind::Leaks)
        {
            return Err(ReportError::NoDifference(report.kind.name()));
        }
        let mut parts = Vec::new();
        let mut unmatched: Option<Vec<&'static str>> = None;
        for (profile, sign) in subject.parts() {
            let selection = report.select(profile);
            // Places differ between the two sides of a difference, and names must not.
            let profile = match report.names_places() && subject.base().is_none() {
                true => Cow::Owned(people::named(selection.profile.into_owned())),
                false => selection.profile,
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

    /// The profile, or the target of a difference.
    pub(super) fn target(&self) -> &Profile {
        &self.parts[0].0
    }

    /// What shares are shares of.
    pub(super) fn total(&self) -> i64 {
        self.head.total
    }
}
