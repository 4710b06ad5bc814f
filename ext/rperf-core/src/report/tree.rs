//! The functions with their callers above and their callees below, as in `go tool pprof -tree` and
//! `-peek`.

use hashbrown::{HashMap, HashSet};
use serde::Serialize;

use super::edges::{Call, Edges};
use super::json::Weighed;
use super::notation::Notation;
use super::paint::LEAST_NAME;
use super::scene::Scene;
use super::shown::{Shown, fraction_of};
use super::top::{FIGURES, Function, row};
use super::weights::Weights;
use super::{Layout, ReportError, around, json};
use crate::ids::LocationId;
use crate::profile::name_of;
use crate::query::Pattern;
use crate::unit::share;

const LEGEND: &str = "      flat  flat%   sum%        cum   cum%   calls calls% + context \t \t ";
/// The legend on a narrow terminal, on which the weights of calls are below `cum`.
const NARROW_LEGEND: &str = "      flat  flat%   sum%        cum   cum% + context";

/// Space between the figures of a function and the column of names.
const GAP: usize = 16;
const NARROW_GAP: usize = 1;

/// Number of functions that pprof shows by default.
const COUNT: usize = 80;

/// Share of the total below which pprof leaves calls out.
const EDGE_FRACTION: f64 = 0.001;

/// Writes `--tree`, or `--peek` with its pattern, which leaves nothing out for its weight.
pub(super) fn write(scene: &Scene<'_>, pattern: Option<&Pattern>) -> Result<String, ReportError> {
    let weights = Weights::sum(&scene.parts);
    let (mut shown, edge_fraction) = match pattern {
        Some(_) => (Shown::all(&weights, scene.report), 0.0),
        None => (Shown::choose(&weights, scene.report, scene.report.limits, COUNT), EDGE_FRACTION),
    };
    let is_wanted = |name: &str| pattern.is_none_or(|pattern| pattern.is_in(name));
    let wanted: Vec<bool> = weights.nodes.iter().map(|node| is_wanted(node.name)).collect();
    let edges = edges(scene, &weights, &shown, &wanted, edge_fraction);
    let notation = shown.notation(&weights, scene);
    let head = shown.head(&weights, scene, &notation);
    let any = !shown.nodes.is_empty();
    shown.nodes.retain(|node| wanted[*node as usize]);
    if pattern.is_some() && shown.nodes.is_empty() {
        return Err(ReportError::NoMatch);
    }
    let needed = FIGURES + GAP + 4 + LEAST_NAME;
    let is_narrow = scene.report.paint.columns().is_some_and(|columns| columns < needed);
    let (gap, legend) = if is_narrow { (NARROW_GAP, NARROW_LEGEND) } else { (GAP, LEGEND) };
    let separator = format!("{}+-------------", "-".repeat(FIGURES + gap));
    let tree = Tree { scene, weights: &weights, shown: &shown, edges: &edges, gap };
    Ok(match scene.report.layout {
        Layout::Json => json::document(scene, tree.functions(pattern.is_some())),
        Layout::Text => {
            let mut lines = tree.lines(&notation, &separator);
            lines.extend(any.then(|| separator.clone()));
            let mut above = around::head_text(scene, &head);
            // On a terminal, at most three lines come before the first row.
            match scene.report.paint.is_terminal() {
                true => drop(lines.drain(..usize::from(any))),
                false => above.push_str(&format!("{separator}\n")),
            }
            let text = format!("{above}{legend}\n{}", lines.join("\n"));
            let mut tail = shown.tail(scene);
            if pattern.is_some() && scene.report.paint.is_terminal() {
                tail.extend(tree.namesakes());
            }
            match tail.is_empty() {
                true => text,
                false => format!("{text}\n{}", around::head_text(scene, &tail)),
            }
        }
    })
}

fn edges(scene: &Scene<'_>, weights: &Weights<'_>, shown: &Shown, wanted: &[bool], fraction: f64) -> Edges {
    let mut kept = vec![shown.dropped + shown.beyond == 0; weights.nodes.len()];
    for node in &shown.nodes {
        kept[*node as usize] = true;
    }
    Edges::between(&scene.parts, weights, &kept, wanted, fraction_of(shown.flat, fraction))
}

struct Tree<'a> {
    scene: &'a Scene<'a>,
    weights: &'a Weights<'a>,
    shown: &'a Shown,
    edges: &'a Edges,
    gap: usize,
}

impl<'a> Tree<'a> {
    fn lines(&self, notation: &Notation, separator: &str) -> Vec<String> {
        let mut lines = Vec::new();
        let mut sum = 0;
        let paint = self.scene.report.paint;
        let (gap, before) = (self.gap, FIGURES + self.gap);
        let width = before - " 12.34%".len() - 1;
        for index in &self.shown.nodes {
            let node = &self.weights.nodes[*index as usize];
            let call = |call: &Call<'_>| {
                let ratio = share(call.weight, node.cum);
                let name = paint.name(call.name, before + 4);
                format!("{:>width$} {ratio} |   {name}", notation.format(call.weight))
            };
            sum += node.flat;
            lines.push(separator.to_owned());
            lines.extend(self.edges.callers(&self.weights.nodes, *index).iter().map(call));
            let row = row(self.scene, node, sum, notation);
            let name = paint.name(node.name, before + 2);
            lines.push(format!("{row}{:gap$}| {}", "", paint.heading(&name)));
            lines.extend(self.edges.callees(&self.weights.nodes, *index).iter().map(call));
        }
        lines
    }

    /// Returns the number of files by the name of a function, for names that functions of several
    /// files have: they count as one.
    fn file_counts(&self) -> HashMap<&'a str, usize> {
        let profile = self.scene.target();
        let function = |at: &LocationId| profile.locations[at.index()].function;
        let stacks = profile.samples.iter().flat_map(|sample| profile.stack(sample));
        let used: HashSet<_> = stacks.map(function).collect();
        let mut files: HashMap<&str, HashSet<&str>> = HashMap::new();
        for function in used.into_iter().map(|id| &profile.functions[id.index()]) {
            files.entry(name_of(&function.label)).or_default().insert(&function.path);
        }
        files.into_iter().map(|(name, paths)| (name, paths.len())).filter(|(_, count)| *count > 1).collect()
    }

    /// Returns a line about such names among those that are shown.
    fn namesakes(&self) -> Option<String> {
        let counts = self.file_counts();
        let names = self.shown.nodes.iter().map(|index| self.weights.nodes[*index as usize].name);
        let several: Vec<_> = names.filter(|name| counts.contains_key(name)).collect();
        let subject = match several[..] {
            [] => return None,
            [name] => format!("{name} is in {} files: its", counts[name]),
            _ => format!("{} names are in several files: their", several.len()),
        };
        Some(format!("{subject} functions count as one (see --method)"))
    }

    /// `with_files`: whether functions of several files that count as one have the number of files.
    fn functions(&self, with_files: bool) -> Functions<'a> {
        let counts = if with_files { self.file_counts() } else { HashMap::new() };
        let function = |index: &u32| {
            let node = &self.weights.nodes[*index as usize];
            FunctionWithCalls {
                function: Function { name: node.name, flat: node.flat, cum: node.cum },
                file_count: counts.get(node.name).copied(),
                callers: weighed(self.edges.callers(&self.weights.nodes, *index)),
                callees: weighed(self.edges.callees(&self.weights.nodes, *index)),
            }
        };
        Functions {
            functions: self.shown.nodes.iter().map(function).collect(),
            function_count: self.shown.all,
        }
    }
}

/// Returns the fields of calls in JSON.
pub(super) fn weighed(calls: Vec<Call<'_>>) -> Vec<Weighed<'_>> {
    calls.into_iter().map(|Call { name, weight }| Weighed { name, weight }).collect()
}

#[derive(Serialize)]
struct Functions<'a> {
    functions: Vec<FunctionWithCalls<'a>>,
    function_count: usize,
}

#[derive(Serialize)]
struct FunctionWithCalls<'a> {
    #[serde(flatten)]
    function: Function<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file_count: Option<usize>,
    callers: Vec<Weighed<'a>>,
    callees: Vec<Weighed<'a>>,
}
