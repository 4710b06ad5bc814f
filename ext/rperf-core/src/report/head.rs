//! Facts about a profile that a report shows.

use super::Subject;
use super::folded::Folded;
use super::notation::Notation;
use crate::format::pprof_comments;
use crate::unit::{MINIMUM, label, share};

/// Facts about a profile, or about a difference, that a report shows.
pub(super) struct Head {
    pub(super) comments: Vec<String>,
    /// Kind of value that is measured.
    pub(super) kind: String,
    pub(super) unit: String,
    /// Start in nanoseconds since 1970; 0 where unknown.
    pub(super) time_ns: i64,
    started: Option<String>,
    /// Duration in nanoseconds. Of a difference: the sum of both sides.
    pub(super) duration: u64,
    /// Total to which shares refer: the weight of all samples, selected or not. Of a difference:
    /// the base's weight, or the target's if the base has none.
    pub(super) total: i64,
    /// Data about threads that waited for work, if there are any.
    pub(super) folded: Option<Folded>,
}

impl Head {
    pub(super) fn of(subject: &Subject<'_>, started: Option<String>) -> Self {
        let target = subject.target();
        let mut comments = pprof_comments(target);
        if let Some(base) = subject.base() {
            let new = pprof_comments(base).into_iter().filter(|comment| !comments.contains(comment));
            let new: Vec<_> = new.collect();
            comments.extend(new);
        }
        let totals = [subject.base().map_or(0, |base| base.total().0), target.total().0];
        let value_type = target.value_type();
        Self {
            comments,
            kind: value_type.kind,
            unit: value_type.unit,
            time_ns: target.meta.start_time_ns,
            started,
            duration: subject.parts().fold(0, |sum, (part, _)| sum.saturating_add(part.meta.duration.0)),
            total: totals.into_iter().find(|total| *total != 0).unwrap_or(0) as i64,
            folded: None,
        }
    }

    /// Returns pprof's lines above any view.
    pub(super) fn lines(&self, notation: &Notation) -> Vec<String> {
        let mut lines: Vec<String> =
            self.comments.iter().filter(|comment| !comment.starts_with('#')).cloned().collect();
        if !self.kind.is_empty() {
            lines.push(format!("Type: {}", self.kind));
        }
        lines.extend(self.started.iter().map(|started| format!("Time: {started}")));
        if self.duration != 0 {
            lines.push(self.duration_line(notation));
        }
        lines.extend(self.folded_line());
        lines
    }

    /// Returns the line about threads that waited for work, if their waiting is left out.
    pub(super) fn folded_line(&self) -> Option<String> {
        self.folded.as_ref().and_then(Folded::line).map(str::to_owned)
    }

    /// Returns a summary in one line, for a terminal: total, duration and start.
    pub(super) fn summary(&self, notation: &Notation) -> String {
        let mut line = format!("Total: {} {}", notation.format(self.total), self.kind);
        if self.duration != 0 {
            let (duration, ratio) = self.duration_and_ratio(notation);
            let ratio = ratio.map_or_else(String::new, |ratio| format!(" ({})", ratio.trim_start()));
            line.push_str(&format!(" in {duration}{ratio}"));
        }
        let started = self.started.as_ref().map(|started| format!(", {started}"));
        line + &started.unwrap_or_default()
    }

    fn duration_line(&self, notation: &Notation) -> String {
        let (duration, ratio) = self.duration_and_ratio(notation);
        let ratio = ratio.map_or_else(String::new, |ratio| format!("({ratio})"));
        format!("Duration: {duration}, Total samples = {} {ratio}", notation.format(self.total))
    }

    /// Returns the duration, and the total as a share of it if the total is a time.
    fn duration_and_ratio(&self, notation: &Notation) -> (String, Option<String>) {
        let nanoseconds = i64::try_from(self.duration).unwrap_or(i64::MAX);
        let total = notation.nanoseconds(self.total).filter(|total| *total != 0);
        (label(nanoseconds, "nanoseconds", MINIMUM), total.map(|total| share(total, nanoseconds)))
    }
}
