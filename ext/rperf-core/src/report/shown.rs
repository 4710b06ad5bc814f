//! Which functions a report shows, in which order and in which unit.

use super::around;
use super::notation::Notation;
use super::scene::Scene;
use super::weights::{Node, Weights};
use super::{Limits, Report, Sort};
use crate::unit::share;

/// The share of the total below which pprof leaves functions out.
pub(super) const FRACTION: f64 = 0.005;

/// The functions that are shown, and how many are not.
pub(super) struct Shown {
    /// Indices of nodes.
    pub(super) nodes: Vec<u32>,
    /// How many have any weight.
    pub(super) all: usize,
    /// Left out because of their small weight.
    pub(super) dropped: usize,
    /// Left out because there are too many.
    pub(super) beyond: usize,
    /// The weight of all nodes as leaves.
    pub(super) flat: i64,
    fraction: f64,
}

impl Shown {
    /// Chooses with the limits of the user, or else `count` functions (0 for all).
    pub(super) fn choose(weights: &Weights<'_>, report: &Report, limits: Limits, count: usize) -> Self {
        let fraction = limits.fraction.unwrap_or(FRACTION);
        let node = |index: &u32| &weights.nodes[*index as usize];
        let mut nodes: Vec<u32> = (0..weights.nodes.len() as u32).collect();
        nodes.retain(|index| node(index).flat != 0 || node(index).cum != 0);
        let all = nodes.len();
        let flat: i64 = nodes.iter().map(|index| node(index).flat).sum();
        let cutoff = fraction_of(flat, fraction);
        nodes.retain(|index| node(index).cum.unsigned_abs() >= cutoff);
        let heavy = nodes.len();
        nodes.sort_unstable_by(|a, b| order(node(a), node(b), report));
        match limits.count.unwrap_or(count) {
            0 => {}
            count => nodes.truncate(count),
        }
        Self { all, dropped: all - heavy, beyond: heavy - nodes.len(), nodes, flat, fraction }
    }

    /// All functions that have any weight.
    pub(super) fn all(weights: &Weights<'_>, report: &Report) -> Self {
        Self::choose(weights, report, Limits { count: Some(0), fraction: Some(0.0) }, 0)
    }

    /// A unit for all values that are shown.
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

    /// What stands above a table of functions.
    pub(super) fn head(&self, weights: &Weights<'_>, scene: &Scene<'_>, notation: &Notation) -> Vec<String> {
        let mut lines = around::above(scene, notation);
        if !scene.report.paint.is_terminal() {
            lines.extend(self.extent(weights, scene, notation));
        }
        lines
    }

    /// What stands below one on a terminal: how much of the profile is shown, where it is not all,
    /// and what its leaves are, where they are no functions.
    pub(super) fn tail(&self, scene: &Scene<'_>) -> Vec<String> {
        let left_out = self.dropped + self.beyond;
        if !scene.report.paint.is_terminal() {
            return Vec::new();
        }
        let rest = (left_out > 0).then(|| {
            format!("{left_out} of {} functions are not shown (--nodefraction 0 shows them)", self.all)
        });
        let has_classes = scene.report.query.has_leaves_of(scene.subject.target().meta.mode);
        let classes = has_classes.then(|| {
            "the leaves are classes of objects (--tagleaf '': the methods that make them)".to_owned()
        });
        rest.into_iter().chain(classes).collect()
    }

    /// What pprof says of the functions that are shown.
    fn extent(&self, weights: &Weights<'_>, scene: &Scene<'_>, notation: &Notation) -> Vec<String> {
        let total = scene.total();
        let mut lines = Vec::new();
        let flat: i64 = self.nodes.iter().map(|index| weights.nodes[*index as usize].flat).sum();
        let ratio = share(flat, total);
        let (flat, all) = (notation.format(flat), notation.format(total));
        lines.push(format!("Showing nodes accounting for {flat}, {} of {all} total", ratio.trim_start()));
        if total != 0 && self.dropped > 0 {
            let nodes = if self.dropped == 1 { "node" } else { "nodes" };
            let limit = notation.format(fraction_of(total, self.fraction) as i64);
            lines.push(format!("Dropped {} {nodes} (cum <= {limit})", self.dropped));
        }
        if total != 0 && self.beyond > 0 && !self.nodes.is_empty() {
            let shown = self.nodes.len();
            lines.push(format!("Showing top {shown} nodes out of {}", shown + self.beyond));
        }
        lines
    }
}

fn order(a: &Node<'_>, b: &Node<'_>, report: &Report) -> std::cmp::Ordering {
    let (flat, cum) =
        (b.flat.unsigned_abs().cmp(&a.flat.unsigned_abs()), b.cum.unsigned_abs().cmp(&a.cum.unsigned_abs()));
    let name = a.name.cmp(b.name);
    match report.sort {
        // Most functions have no weight of their own where the leaves are classes of objects.
        Sort::Flat if report.paint.is_terminal() => flat.then(cum).then(name),
        Sort::Flat => flat.then(name).then(cum),
        Sort::Cumulative => cum.then(name).then(flat),
    }
}

/// What a share of a total is, without its sign.
pub(super) fn fraction_of(total: i64, fraction: f64) -> u64 {
    ((total as f64 * fraction) as i64).unsigned_abs()
}
