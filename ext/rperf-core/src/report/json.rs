//! Reports for scripts: one JSON document, with the same first fields in each view.

use serde::Serialize;

use super::folded::Folded;
use super::scene::Scene;
use crate::parts::Parts;

/// Version of this layout. New fields do not change it.
const FORMAT: u32 = 1;

#[derive(Serialize)]
struct Document<'a, Rest> {
    rperf_report: u32,
    view: &'static str,
    r#type: &'a str,
    unit: &'a str,
    total: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    idle: Option<&'a Folded>,
    time_ns: i64,
    duration_ns: u64,
    comments: &'a [String],
    filters: &'a [String],
    #[serde(flatten)]
    rest: Rest,
}

/// Name with its weight.
#[derive(Serialize)]
pub(super) struct Weighed<'a> {
    pub(super) name: &'a str,
    pub(super) weight: i64,
}

/// Returns the document of a view. `rest`: the fields that only this view has.
pub(super) fn document(scene: &Scene<'_>, rest: impl Serialize) -> String {
    let mut text =
        serde_json::to_string_pretty(&whole(scene, rest)).expect("numbers and texts can be written as JSON");
    text.push('\n');
    text
}

/// The fields of a view that has none of its own.
#[derive(Serialize)]
pub(super) struct NoMore {}

/// Writes the document of a view whose only own field is a list. `elements` writes the text between
/// the brackets, in lines of their own.
pub(super) fn write_with_list(
    scene: &Scene<'_>,
    name: &str,
    parts: &mut Parts<'_>,
    elements: impl FnOnce(&mut Parts<'_>),
) {
    let all = document(scene, NoMore {});
    parts.push(all.strip_suffix("\n}\n").unwrap_or(&all));
    parts.push(format!(",\n  \"{name}\": ["));
    let before = parts.len();
    elements(parts);
    parts.push(if parts.len() == before { "]\n}\n" } else { "\n  ]\n}\n" });
}

fn whole<'a, Rest>(scene: &'a Scene<'_>, rest: Rest) -> Document<'a, Rest> {
    Document {
        rperf_report: FORMAT,
        view: scene.report.view.name(),
        r#type: &scene.head.kind,
        unit: &scene.head.unit,
        total: scene.head.total,
        idle: scene.head.folded.as_ref(),
        time_ns: scene.head.time_ns,
        duration_ns: scene.head.duration,
        comments: &scene.head.comments,
        filters: scene.report.query.active(),
        rest,
    }
}
