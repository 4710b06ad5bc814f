//! The lines above and below a view.

use super::notation::Notation;
use super::scene::Scene;
use super::{Layout, json};

/// What stands above a view: what pprof says, and the filters; on a terminal one line, and one of
/// filters where there are any.
pub(super) fn above(scene: &Scene<'_>, notation: &Notation) -> Vec<String> {
    let mut lines = match scene.report.paint.is_terminal() {
        true => vec![scene.head.summary(notation)],
        false => scene.head.lines(notation),
    };
    lines.extend(filters(scene));
    lines
}

/// The filters; on a terminal in one line.
pub(super) fn filters(scene: &Scene<'_>) -> Vec<String> {
    let filters = scene.report.query.active();
    if !scene.report.paint.is_terminal() {
        return filter_lines(filters);
    }
    let filters = (!filters.is_empty()).then(|| format!("Filters: {}", filters.join(", ")));
    filters.into_iter().collect()
}

/// What stands below any view on a terminal: what is folded, and what was lost.
pub(super) fn below(scene: &Scene<'_>) -> Vec<String> {
    const LOSSES: [&str; 2] = ["dropped", "truncated"];
    if !scene.report.paint.is_terminal() {
        return Vec::new();
    }
    let is_loss = |comment: &&String| LOSSES.iter().any(|loss| comment.starts_with(loss));
    let losses = scene.head.comments.iter().filter(is_loss).cloned();
    scene.head.folded_line().into_iter().chain(losses).collect()
}

/// The filters as pprof lists them, with long ones cut.
pub(super) fn filter_lines(active: &[String]) -> Vec<String> {
    const LONGEST: usize = 80;
    let line = |filter: &String| {
        let end = (0..=LONGEST).rfind(|end| filter.is_char_boundary(*end)).unwrap_or(0);
        if filter.len() > LONGEST { format!("   {}…", &filter[..end]) } else { format!("   {filter}") }
    };
    let heading = (!active.is_empty()).then(|| "Active filters:".to_owned());
    heading.into_iter().chain(active.iter().map(line)).collect()
}

/// `--comments`.
pub(super) fn write_comments(scene: &Scene<'_>) -> String {
    if scene.report.layout == Layout::Json {
        return json::document(scene, json::NoMore {});
    }
    scene.head.comments.iter().map(|comment| format!("{}\n", scene.report.paint.foreign(comment))).collect()
}

/// The lines above a table.
pub(super) fn head_text(scene: &Scene<'_>, lines: &[String]) -> String {
    let line = |line: &String| {
        let line = scene.report.paint.foreign(line);
        format!("{}\n", scene.report.paint.faint(&line))
    };
    lines.iter().map(line).collect()
}
