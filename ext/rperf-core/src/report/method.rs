//! One method: its weight, its callers, its callees and its lines.

use serde::Serialize;

use super::edges::Edges;
use super::json::{self, Weighed};
use super::lines::{Lines, lines_by};
use super::listing::Listing;
use super::notation::Notation;
use super::paint::Paint;
use super::scene::Scene;
use super::shown::Shown;
use super::tree::weighed;
use super::wanted::Wanted;
use super::weights::Weights;
use super::{Layout, ReportError};
use crate::profile::{Function, Profile, ShortPaths, columns_of, name_of};
use crate::unit::share;

/// Writes the view `--method`.
pub(super) fn write(scene: &Scene<'_>, wanted: &Wanted) -> Result<String, ReportError> {
    let profile = scene.target();
    let names = wanted.methods(profile);
    if names.is_empty() {
        return Err(ReportError::NotFound { what: "method", name: wanted.name().to_owned() });
    }
    let weights = Weights::sum(&scene.parts);
    let shown = Shown::all(&weights, scene.report);
    let notation = shown.notation(&weights, scene);
    // The names are sorted.
    let is_wanted = |name: &str| names.binary_search(&name).is_ok();
    let wanted: Vec<bool> = weights.nodes.iter().map(|node| is_wanted(node.name)).collect();
    let edges = Edges::between(&scene.parts, &weights, &vec![true; wanted.len()], &wanted, 0);
    let mut nodes: Vec<u32> = (0..wanted.len() as u32).filter(|node| wanted[*node as usize]).collect();
    nodes.sort_by_key(|node| std::cmp::Reverse(weights.nodes[*node as usize].cum));
    // One pass over the samples for all methods: a name may stand for thousands.
    let mut lines =
        lines_by(profile, |function| Some(name_of(&function.label)).filter(|name| is_wanted(name)));
    let method = |node: u32| {
        let lines = lines.remove(weights.nodes[node as usize].name).unwrap_or_default();
        Method::of(scene, &weights, &edges, (node, &lines))
    };
    let methods: Vec<_> = nodes.into_iter().map(method).collect();
    Ok(match scene.report.layout {
        Layout::Json => json::document(scene, Methods { methods }),
        Layout::Text => {
            let paths = scene.paths();
            let text = |method: &Method<'_>| method.text(scene, &notation, &paths);
            let texts: Vec<String> = methods.iter().map(text).collect();
            format!("{}\n{}", heading(scene, &notation), texts.join("\n"))
        }
    })
}

/// Returns the lines above methods or files: the total and the filters.
pub(super) fn heading(scene: &Scene<'_>, notation: &Notation) -> String {
    if scene.report.paint.is_terminal() {
        return super::around::head_text(scene, &super::around::above(scene, notation));
    }
    let mut lines = vec![format!("Total: {} ({})", notation.format(scene.total()), scene.head.kind)];
    lines.extend(scene.head.folded_line());
    lines.extend(super::around::filter_lines(scene.report.query.active()));
    super::around::head_text(scene, &lines)
}

#[derive(Serialize)]
struct Methods<'a> {
    methods: Vec<Method<'a>>,
}

#[derive(Serialize)]
struct Method<'a> {
    name: &'a str,
    flat: i64,
    cum: i64,
    places: Vec<Definition<'a>>,
    callers: Vec<Weighed<'a>>,
    callees: Vec<Weighed<'a>>,
    files: Vec<Listing<'a>>,
}

/// Place where a method is defined.
#[derive(Serialize, PartialEq)]
struct Definition<'a> {
    path: &'a str,
    start_line: u32,
}

impl<'a> Method<'a> {
    fn of(
        scene: &'a Scene<'_>,
        weights: &Weights<'a>,
        edges: &Edges,
        (node, lines): (u32, &Lines<'a>),
    ) -> Self {
        let totals = &weights.nodes[node as usize];
        let is_it = |function: &Function| name_of(&function.label) == totals.name;
        let places = places(scene.target(), is_it);
        let mut paths: Vec<&str> = places.iter().map(|place| place.path).collect();
        paths.sort_unstable();
        paths.dedup();
        Self {
            name: totals.name,
            flat: totals.flat,
            cum: totals.cum,
            places,
            callers: weighed(edges.callers(&weights.nodes, node)),
            callees: weighed(edges.callees(&weights.nodes, node)),
            files: paths.into_iter().map(|path| Listing::of(scene, path, lines, is_it)).collect(),
        }
    }

    fn text(&self, scene: &Scene<'_>, notation: &Notation, paths: &ShortPaths<'_>) -> String {
        let paint = scene.report.paint;
        let figure = |value: i64| {
            let text = format!("{} {}", notation.format(value), share(value, scene.total()).trim_start());
            paint.by_share(&text, value, scene.total()).into_owned()
        };
        let mut out = self.title(paint, paths);
        out.push_str(&format!("  flat: {}, cum: {}\n", figure(self.flat), figure(self.cum)));
        out.push_str(&calls_text(scene, notation, "callers", &self.callers));
        out.push_str(&calls_text(scene, notation, "callees", &self.callees));
        for file in &self.files {
            out.push_str(&file.text(scene, notation, paths));
        }
        out
    }

    /// Returns the name with the places of its definitions. Where the line is too short, each place
    /// has a line of its own.
    fn title(&self, paint: Paint, paths: &ShortPaths<'_>) -> String {
        let places = self.places.iter().map(|place| paint.foreign(&place.text(paths)).into_owned());
        let places: Vec<_> = places.collect();
        let (name, beside) = (paint.foreign(self.name), format!("({})", places.join(", ")));
        let width = columns_of(&name) + 1 + columns_of(&beside);
        if paint.columns().is_none_or(|columns| width <= columns) {
            return format!("{} {beside}\n", paint.heading(&name));
        }
        let places: String = places.iter().map(|place| format!("  at {}\n", paint.path(place, 5))).collect();
        format!("{}\n{places}", paint.heading(&paint.name(self.name, 0)))
    }
}

impl Definition<'_> {
    fn text(&self, paths: &ShortPaths<'_>) -> String {
        let path = paths.shorten(self.path);
        match self.start_line {
            0 => path.into_owned(),
            line => format!("{path}:{line}"),
        }
    }
}

fn places(profile: &Profile, is_it: impl Fn(&Function) -> bool) -> Vec<Definition<'_>> {
    let mut places: Vec<Definition<'_>> = Vec::new();
    for function in profile.functions.iter().filter(|function| is_it(function)) {
        let place = Definition { path: &function.path, start_line: function.start_line };
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places
}

/// Formats the callers or the callees. Shares refer to the sum of their weights.
fn calls_text(scene: &Scene<'_>, notation: &Notation, what: &str, calls: &[Weighed<'_>]) -> String {
    if calls.is_empty() {
        return String::new();
    }
    let paint = scene.report.paint;
    let total: i64 = calls.iter().map(|call| call.weight).sum();
    let mut out = format!("  {what} ({} in all):\n", notation.format(total));
    for call in calls {
        let (weight, ratio) = (notation.format(call.weight), share(call.weight, total));
        out.push_str(&format!("{weight:>12} {ratio}  {}\n", paint.name(call.name, 22)));
    }
    out
}
