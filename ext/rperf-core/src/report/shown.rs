//! Choice of the functions that a report shows, with their order and their unit.

use super::around;
use super::notation::Notation;
use super::scene::Scene;
use super::weights::{Node, Weights};
use super::{Limits, Report, Sort};
use crate::unit::share;

/// Share of the total below which pprof leaves functions out.
const FRACTION: f64 = 0.005;

impl Limits {
    /// Returns the maximum number of rows. Without a limit it is `count` (0 for all).
    pub(super) fn most(self, count: usize) -> usize {
        match self.count.unwrap_or(count) {
            0 => usize::MAX,
            count => count,
        }
    }

    /// Returns the weight below which rows are left out.
    pub(super) fn cutoff(self, total: i64) -> u64 {
        fraction_of(total, self.fraction.unwrap_or(FRACTION))
    }
}

/// Functions that are shown, and numbers of functions that are not.
pub(super) struct Shown {
    /// Indices of the nodes that are shown.
    pub(super) nodes: Vec<u32>,
    /// Number of nodes with any weight.
    pub(super) all: usize,
    /// Number of nodes left out because of their small weight.
    pub(super) dropped: usize,
    /// Number of nodes left out because of the maximum number.
    pub(super) beyond: usize,
    /// Sum of the flat weights of all nodes.
    pub(super) flat: i64,
    limits: Limits,
}

impl Shown {
    /// Chooses nodes by the user's limits. Their maximum number is `count` by default (0 for all).
    pub(super) fn choose(weights: &Weights<'_>, report: &Report, limits: Limits, count: usize) -> Self {
        let node = |index: &u32| &weights.nodes[*index as usize];
        let mut nodes: Vec<u32> = (0..weights.nodes.len() as u32).collect();
        nodes.retain(|index| node(index).flat != 0 || node(index).cum != 0);
        let all = nodes.len();
        let flat: i64 = nodes.iter().map(|index| node(index).flat).sum();
        let cutoff = limits.cutoff(flat);
        nodes.retain(|index| node(index).cum.unsigned_abs() >= cutoff);
        let heavy = nodes.len();
        nodes.sort_unstable_by(|a, b| order(node(a), node(b), report));
        nodes.truncate(limits.most(count));
        Self { all, dropped: all - heavy, beyond: heavy - nodes.len(), nodes, flat, limits }
    }

    /// Chooses all functions that have any weight.
    pub(super) fn all(weights: &Weights<'_>, report: &Report) -> Self {
        Self::choose(weights, report, Limits { count: Some(0), fraction: Some(0.0) }, 0)
    }

    /// Returns a notation with one unit for all values that are shown.
    pub(super) fn notation(&self, weights: &Weights<'_>, scene: &Scene<'_>) -> Notation {
        if self.nodes.is_empty() {
            return scene.notation.clone();
        }
        let total = scene.total().unsigned_abs();
        let values = self.nodes.iter().map(|index| {
            let Node { flat, cum, .. } = weights.nodes[*index as usize];
            if flat == 0 { cum } else { flat }.unsigned_abs()
        });
        let smallest = values.filter(|value| *value > 0).min().unwrap_or(total);
        scene.notation.common(smallest, total)
    }

    /// Returns the lines above a table of functions.
    pub(super) fn head(&self, weights: &Weights<'_>, scene: &Scene<'_>, notation: &Notation) -> Vec<String> {
        let mut lines = around::above(scene, notation);
        if !scene.report.paint.is_terminal() {
            lines.extend(self.extent(weights, scene, notation));
        }
        lines
    }

    /// Returns the lines below a table on a terminal: the number of functions that are not shown,
    /// and a note if the leaves are classes of objects.
    pub(super) fn tail(&self, scene: &Scene<'_>) -> Vec<String> {
        if !scene.report.paint.is_terminal() {
            return Vec::new();
        }
        let rest = not_shown("functions", self.all, [self.dropped, self.beyond]);
        let has_classes = scene.report.query.has_leaves_of(scene.subject.target().meta.mode);
        let classes = has_classes.then(|| {
            "the leaves are classes of objects (--tagleaf '': the methods that make them)".to_owned()
        });
        rest.into_iter().chain(classes).collect()
    }

    /// Returns pprof's lines about the functions that are shown.
    fn extent(&self, weights: &Weights<'_>, scene: &Scene<'_>, notation: &Notation) -> Vec<String> {
        let total = scene.total();
        let mut lines = Vec::new();
        let flat: i64 = self.nodes.iter().map(|index| weights.nodes[*index as usize].flat).sum();
        let ratio = share(flat, total);
        let (flat, all) = (notation.format(flat), notation.format(total));
        lines.push(format!("Showing nodes accounting for {flat}, {} of {all} total", ratio.trim_start()));
        if total != 0 && self.dropped > 0 {
            let nodes = if self.dropped == 1 { "node" } else { "nodes" };
            let limit = notation.format(self.limits.cutoff(total) as i64);
            lines.push(format!("Dropped {} {nodes} (cum <= {limit})", self.dropped));
        }
        if total != 0 && self.beyond > 0 && !self.nodes.is_empty() {
            let shown = self.nodes.len();
            lines.push(format!("Showing top {shown} nodes out of {}", shown + self.beyond));
        }
        lines
    }
}

/// Returns the line about rows that are not shown, with the options that show them. `dropped` are
/// small, `beyond` are more than the maximum number.
pub(super) fn not_shown(rows: &str, all: usize, [dropped, beyond]: [usize; 2]) -> Option<String> {
    let options = match (dropped, beyond) {
        (0, 0) => return None,
        (_, 0) => "--nodefraction 0 shows them",
        (0, _) => "--nodecount 0 shows them",
        _ => "--nodecount 0 --nodefraction 0 shows them",
    };
    Some(format!("{} of {all} {rows} not shown ({options})", dropped + beyond))
}

fn order(a: &Node<'_>, b: &Node<'_>, report: &Report) -> std::cmp::Ordering {
    let (flat, cum) =
        (b.flat.unsigned_abs().cmp(&a.flat.unsigned_abs()), b.cum.unsigned_abs().cmp(&a.cum.unsigned_abs()));
    let name = a.name.cmp(b.name);
    match report.sort {
        // If the leaves are classes of objects, most functions have no weight of their own.
        Sort::Flat if report.paint.is_terminal() => flat.then(cum).then(name),
        Sort::Flat => flat.then(name).then(cum),
        Sort::Cumulative => cum.then(name).then(flat),
    }
}

/// Returns a share of a total, without its sign.
pub(super) fn fraction_of(total: i64, fraction: f64) -> u64 {
    ((total as f64 * fraction) as i64).unsigned_abs()
}
