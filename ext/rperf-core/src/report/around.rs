//! The lines above and below a view.

use super::notation::Notation;
use super::scene::Scene;
use super::{Layout, json};
use crate::unit::{MINIMUM, label};

/// Returns the lines above a view: those of pprof, and the filters. On a terminal: one summary
/// line, and one line of filters if there are any.
pub(super) fn above(scene: &Scene<'_>, notation: &Notation) -> Vec<String> {
    let mut lines = match scene.report.paint.is_terminal() {
        true => vec![scene.head.summary(notation)],
        false => scene.head.lines(notation),
    };
    lines.extend(filters(scene));
    lines
}

/// Returns the lines about the filters; one line on a terminal.
pub(super) fn filters(scene: &Scene<'_>) -> Vec<String> {
    let filters = scene.report.query.active();
    if !scene.report.paint.is_terminal() {
        return filter_lines(filters);
    }
    let filters = (!filters.is_empty()).then(|| format!("Filters: {}", filters.join(", ")));
    filters.into_iter().collect()
}

/// Returns the lines below any view on a terminal: time that is left out, and losses.
pub(super) fn below(scene: &Scene<'_>) -> Vec<String> {
    const LOSSES: [&str; 2] = ["dropped", "truncated"];
    if !scene.report.paint.is_terminal() {
        return Vec::new();
    }
    let is_loss = |comment: &&String| LOSSES.iter().any(|loss| comment.starts_with(loss));
    let losses = scene.head.comments.iter().filter(is_loss).map(|comment| loss(comment));
    scene.head.folded_line().into_iter().chain(losses).collect()
}

/// Returns a comment about a loss with its time, if there is one, in the unit that fits it.
fn loss(comment: &str) -> String {
    let time = || {
        let (before, cause) = comment.split_once(" ns: ")?;
        let (start, time) = before.rsplit_once(' ')?;
        Some(format!("{start} {}: {cause}", label(time.parse().ok()?, "nanoseconds", MINIMUM)))
    };
    time().unwrap_or_else(|| comment.to_owned())
}

/// Returns the filters as pprof lists them, with long ones cut.
pub(super) fn filter_lines(active: &[String]) -> Vec<String> {
    const LONGEST: usize = 80;
    let line = |filter: &String| {
        let end = (0..=LONGEST).rfind(|end| filter.is_char_boundary(*end)).unwrap_or(0);
        if filter.len() > LONGEST { format!("   {}…", &filter[..end]) } else { format!("   {filter}") }
    };
    let heading = (!active.is_empty()).then(|| "Active filters:".to_owned());
    heading.into_iter().chain(active.iter().map(line)).collect()
}

/// Writes the view `--comments`.
pub(super) fn write_comments(scene: &Scene<'_>) -> String {
    if scene.report.layout == Layout::Json {
        return json::document(scene, json::NoMore {});
    }
    scene.head.comments.iter().map(|comment| format!("{}\n", scene.report.paint.foreign(comment))).collect()
}

/// Joins the lines above or below a table, faint on a terminal.
pub(super) fn head_text(scene: &Scene<'_>, lines: &[String]) -> String {
    let line = |line: &String| {
        let line = scene.report.paint.foreign(line);
        format!("{}\n", scene.report.paint.faint(&line))
    };
    lines.iter().map(line).collect()
}
