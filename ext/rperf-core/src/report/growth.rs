//! Growth from a base to a target by more than a share of the base, with a line for each function:
//! for continuous integration. Waiting for a processor is left out: it is no growth of the program.

use std::borrow::Cow;
use std::cmp::Reverse;

use super::change::{margin, ticks_text};
use super::folded::{Folded, Rest};
use super::paint::printable;
use super::scene::Scene;
use super::{Report, ReportError, Subject, Surroundings};
use crate::profile::{Chance, Change, Diff, FunctionDiff, Profile, name_of};
use crate::unit::share;

/// Name of all functions together in a line.
const TOTAL: &str = "the total";

/// Growth from a base to a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Growth {
    /// A line, without a line feed, for the total and for each function, if they grew.
    pub lines: Vec<String>,
    /// A line about growth above the limit but not beyond chance, if there is any.
    pub by_chance: Option<String>,
    /// Names of the filters that match nothing, such as `focus`.
    pub unmatched: Vec<&'static str>,
    /// Whether the filters leave nothing of the target, but something of the base. Nothing can have
    /// grown then.
    pub is_gone: bool,
}

impl Report {
    /// Returns lines about the total and about each function that grew beyond chance and by more
    /// than `percent` of the base's total, in own or cumulative weight. The largest growth of own
    /// weight comes first. If the base has no weight, `percent` refers to the target's total.
    ///
    /// If there is nothing to compare, this is an error, and not the answer that nothing grew.
    pub fn growth(&self, subject: &Subject<'_>, percent: f64) -> Result<Growth, ReportError> {
        let rest = Folded::of(subject, self.idle).and_then(|(_, rest)| rest);
        let subject = rest.as_ref().map_or(*subject, Rest::subject);
        let scene = Scene::set(self, &subject, Surroundings::default())?;
        let is_gone = check_comparable(&subject, &scene)?;
        let limit = Limit::of(&scene, percent);
        let Diff { total, functions } = scene.diff();
        let total = total.of_program();
        let mut functions: Vec<_> = functions.into_iter().map(FunctionDiff::of_program).collect();
        functions.sort_unstable_by_key(|row| {
            (Reverse((row.self_time.delta(), row.cumulative.delta())), row.label, row.path)
        });
        let grown = functions.iter().filter(|row| limit.is_exceeded(&[row.self_time, row.cumulative]));
        let total_line = limit.is_exceeded(&[total]).then(|| limit.line(TOTAL, &limit.amount(total)));
        let lines = total_line.into_iter().chain(grown.map(|row| limit.row_line(row))).collect();
        let by_chance = limit.by_chance_line(total, &functions);
        Ok(Growth { lines, by_chance, unmatched: scene.unmatched.clone(), is_gone })
    }
}

/// Returns whether the filters leave nothing of the target only. Fails if nothing can be compared.
fn check_comparable(subject: &Subject<'_>, scene: &Scene<'_>) -> Result<bool, ReportError> {
    if subject.target().total().0 == 0 {
        return Err(ReportError::EmptyTarget);
    }
    let is_empty = |(part, _): &(Cow<'_, Profile>, i64)| part.total().0 == 0;
    match scene.parts.iter().all(is_empty) {
        true => Err(ReportError::NothingLeft(scene.unmatched.clone())),
        false => Ok(is_empty(&scene.parts[0])),
    }
}

/// Limit of growth.
struct Limit<'a> {
    scene: &'a Scene<'a>,
    chance: Chance,
    percent: f64,
    /// Total of the base, or of the target if the base has none, without waiting for a processor.
    total: i64,
    /// Whether there was such waiting.
    is_without_waiting: bool,
}

impl<'a> Limit<'a> {
    fn of(scene: &'a Scene<'a>, percent: f64) -> Self {
        let sides = [scene.base(), scene.subject.target()];
        let totals = sides.map(|side| side.total_of_program().0 as i64);
        let total = totals.into_iter().find(|total| *total != 0).unwrap_or(0);
        let is_without_waiting = sides.iter().zip(totals).any(|(side, total)| side.total().0 as i64 > total);
        Self { scene, chance: scene.chance(), percent, total, is_without_waiting }
    }

    /// Whether one of the changes is growth above the limit and beyond chance.
    fn is_exceeded(&self, changes: &[Change]) -> bool {
        changes.iter().any(|change| self.is_above(*change) && self.chance.is_exceeded_by(*change))
    }

    fn is_above(&self, change: Change) -> bool {
        let delta = change.delta();
        delta > 0 && delta as f64 * 100.0 > self.percent * self.total as f64
    }

    /// Returns a line about growth above the limit that is not beyond chance.
    fn by_chance_line(&self, total: Change, functions: &[FunctionDiff<'_>]) -> Option<String> {
        let is_by_chance = |changes: &[Change]| {
            changes.iter().any(|change| self.is_above(*change)) && !self.is_exceeded(changes)
        };
        let count = functions.iter().filter(|row| is_by_chance(&[row.self_time, row.cumulative])).count();
        let what = match (is_by_chance(&[total]), count) {
            (false, 0) => return None,
            (true, 0) => TOTAL.to_owned(),
            (false, 1) => "1 function".to_owned(),
            (false, count) => format!("{count} functions"),
            (true, 1) => format!("{TOTAL} and 1 function"),
            (true, count) => format!("{TOTAL} and {count} functions"),
        };
        let advice = "record for longer, and several times on each side";
        Some(format!("{what} grew by more than {}, but not beyond chance: {advice}", self.text()))
    }

    fn row_line(&self, row: &FunctionDiff<'_>) -> String {
        let [own, cumulative] = [row.self_time, row.cumulative].map(|change| self.amount(change));
        let name = printable(name_of(row.label));
        self.line(&format!("'{name}'"), &format!("self {own}, cumulative {cumulative}"))
    }

    fn line(&self, what: &str, amounts: &str) -> String {
        format!("{what} grew by more than {}, beyond chance: {amounts}", self.text())
    }

    /// Formats the limit, such as "5% of 1.20s (n = 1204 and 1310 ticks)".
    fn text(&self) -> String {
        let total = self.scene.notation.format(self.total);
        let without = if self.is_without_waiting { " without [CPU wait]" } else { "" };
        format!("{}% of {total}{without} ({})", self.percent, ticks_text(&self.chance))
    }

    /// Formats a change, such as "+1.20s ±0.20s (+12.34%)".
    fn amount(&self, change: Change) -> String {
        let delta = change.delta();
        let sign = ["-", "", "+"][(delta.signum() + 1) as usize];
        let ratio = share(delta, self.total);
        let notation = &self.scene.notation;
        let margin = margin(&self.chance, change, notation);
        format!("{} ±{margin} ({sign}{})", notation.change(delta), ratio.trim_start())
    }
}
