//! The lines of a file with their weights.

use serde::Serialize;

use super::lines::{Lines, lines_by};
use super::listing::Listing;
use super::method::heading;
use super::notation::Notation;
use super::scene::Scene;
use super::wanted::Wanted;
use super::{Layout, ReportError, json};
use crate::profile::Function;

/// Writes the view `--source`.
pub(super) fn write(scene: &Scene<'_>, wanted: &Wanted) -> Result<String, ReportError> {
    let profile = scene.target();
    let paths = wanted.paths(profile);
    if paths.is_empty() {
        return Err(ReportError::NotFound { what: "source file", name: wanted.name().to_owned() });
    }
    let is_wanted = |function: &Function| paths.contains(&function.path.as_str());
    let lines =
        lines_by(profile, |function| is_wanted(function).then_some(())).remove(&()).unwrap_or_default();
    let files: Vec<_> = paths.iter().map(|path| Listing::of(scene, path, &lines, |_| true)).collect();
    Ok(match scene.report.layout {
        Layout::Json => json::document(scene, Files { files }),
        Layout::Text => {
            let notation = notation(scene, &lines);
            let paths = scene.paths();
            let texts: Vec<String> = files.iter().map(|file| file.text(scene, &notation, &paths)).collect();
            format!("{}\n{}", heading(scene, &notation), texts.join("\n"))
        }
    })
}

/// Returns a notation with one unit for all lines.
fn notation(scene: &Scene<'_>, lines: &Lines<'_>) -> Notation {
    let values = lines.values().flat_map(|line| [line.flat, line.cum]).filter(|value| *value > 0);
    let total = scene.total().unsigned_abs();
    scene.notation.common(values.min().map_or(total, i64::unsigned_abs), total)
}

#[derive(Serialize)]
struct Files<'a> {
    files: Vec<Listing<'a>>,
}
