//! The functions with the most weight, in the layout and with the meanings of `go tool pprof -top`.
//!
//! Unlike pprof, this view ignores the `drop_frames` expression of a profile.

use std::fmt::Write;

use serde::Serialize;

use super::notation::Notation;
use super::scene::Scene;
use super::shown::Shown;
use super::weights::{Node, Weights};
use super::{Layout, around, change, json};
use crate::unit::share;

/// Number of functions that pprof shows by default: all.
const COUNT: usize = 0;

/// Number of characters of a function's figures.
pub(super) const FIGURES: usize = 42;

/// Writes the views `--top` and `--text`.
pub(super) fn write(scene: &Scene<'_>) -> String {
    if scene.subject.base().is_some() {
        return change::write(scene);
    }
    let weights = Weights::sum(&scene.parts);
    let shown = Shown::choose(&weights, scene.report, scene.report.limits, COUNT);
    match scene.report.layout {
        Layout::Text => text(scene, &weights, &shown),
        Layout::Json => json::document(scene, Functions::of(&weights, &shown)),
    }
}

fn text(scene: &Scene<'_>, weights: &Weights<'_>, shown: &Shown) -> String {
    let notation = shown.notation(weights, scene);
    let mut out = around::head_text(scene, &shown.head(weights, scene, &notation));
    let heading = format!("{:>10} {:>5}% {:>5}% {:>10} {:>5}%", "flat", "flat", "sum", "cum", "cum");
    out.push_str(&scene.report.paint.heading(&heading));
    out.push('\n');
    let mut sum = 0;
    for index in &shown.nodes {
        let node = &weights.nodes[*index as usize];
        sum += node.flat;
        let row = row(scene, node, sum, &notation);
        writeln!(out, "{row}  {}", scene.report.paint.name(node.name, FIGURES + 2))
            .expect("writing to memory cannot fail");
    }
    out + &around::head_text(scene, &shown.tail(scene))
}

/// Formats the figures of a function. `sum`: the flat weight of all functions down to this one.
pub(super) fn row(scene: &Scene<'_>, node: &Node<'_>, sum: i64, notation: &Notation) -> String {
    let total = scene.total();
    let (flat, cum) = (notation.format(node.flat), notation.format(node.cum));
    let [flat_share, sum_share, cum_share] = [node.flat, sum, node.cum].map(|value| share(value, total));
    let paint = scene.report.paint;
    let flat = format!("{flat:>10} {flat_share}");
    let cum = format!("{cum:>10} {cum_share}");
    format!(
        "{} {sum_share} {}",
        paint.by_share(&flat, node.flat, total),
        paint.by_share(&cum, node.cum, total)
    )
}

/// Fields of a function in JSON.
#[derive(Serialize)]
pub(super) struct Function<'a> {
    pub(super) name: &'a str,
    pub(super) flat: i64,
    pub(super) cum: i64,
}

#[derive(Serialize)]
struct Functions<'a> {
    functions: Vec<Function<'a>>,
    /// Number of functions, shown or not.
    function_count: usize,
}

impl<'a> Functions<'a> {
    fn of(weights: &Weights<'a>, shown: &Shown) -> Self {
        let function = |index: &u32| {
            let Node { name, flat, cum } = weights.nodes[*index as usize];
            Function { name, flat, cum }
        };
        Self { functions: shown.nodes.iter().map(function).collect(), function_count: shown.all }
    }
}
