//! Reports for scripts: one JSON document, the same fields first in each.

use serde::Serialize;

use super::scene::Scene;
use crate::parts::Parts;

/// The number of this layout: fields may be added without a new one.
const FORMAT: u32 = 1;

#[derive(Serialize)]
struct Document<'a, Rest> {
    rperf_report: u32,
    view: &'static str,
    r#type: &'a str,
    unit: &'a str,
    total: i64,
    time_ns: i64,
    duration_ns: u64,
    comments: &'a [String],
    filters: &'a [String],
    #[serde(flatten)]
    rest: Rest,
}

/// A weight with the name that it belongs to.
#[derive(Serialize)]
pub(super) struct Weighed<'a> {
    pub(super) name: &'a str,
    pub(super) weight: i64,
}

/// The document of a view with these fields of its own.
pub(super) fn document(scene: &Scene<'_>, rest: impl Serialize) -> String {
    let mut text =
        serde_json::to_string_pretty(&whole(scene, rest)).expect("numbers and texts can be written as JSON");
    text.push('\n');
    text
}

/// The same in parts.
pub(super) fn write(scene: &Scene<'_>, rest: impl Serialize, parts: &mut Parts<'_>) {
    parts.push_pretty_json(&whole(scene, rest));
    parts.push("\n");
}

fn whole<'a, Rest>(scene: &'a Scene<'_>, rest: Rest) -> Document<'a, Rest> {
    Document {
        rperf_report: FORMAT,
        view: scene.report.kind.name(),
        r#type: &scene.head.kind,
        unit: &scene.head.unit,
        total: scene.head.total,
        time_ns: scene.head.time_ns,
        duration_ns: scene.head.duration,
        comments: &scene.head.comments,
        filters: scene.report.query.active(),
        rest,
    }
}
