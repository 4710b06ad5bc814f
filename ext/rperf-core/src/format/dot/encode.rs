//! Writes the graph.

use std::fmt::Write;

use super::style;
use super::text::{quoted, quoted_left, short};
use crate::format::amount::{Amount, percent, samples_text};
use crate::profile::{Call, FunctionTotal, Profile, Totals, calls, name_of, totals};
use crate::time::Nanos;

/// Maximum number of functions that are drawn.
const NODE_COUNT: usize = 80;
/// Minimum share of the total for a function to be drawn, by its cumulative time.
const NODE_FRACTION: f64 = 0.005;
/// Minimum share of the total for a call to be drawn.
const EDGE_FRACTION: f64 = 0.001;

/// Returns the graph, as one `digraph`.
pub(in crate::format) fn encode(profile: &Profile) -> Vec<u8> {
    let totals = totals(profile);
    let kept = heaviest(&totals);
    let mut is_kept = vec![false; totals.functions.len()];
    kept.iter().for_each(|function| is_kept[*function] = true);
    let mut calls = calls(profile, |function| is_kept[function]);
    let found = calls.len();
    calls.retain(|call| is_heavy(call.weight, totals.total, EDGE_FRACTION));
    let left_out = [count_used(&totals) - kept.len(), found - calls.len()];
    let graph = Graph { profile, amount: Amount::of(&profile.value_type()), totals };
    graph.write(&kept, &calls, left_out).into_bytes()
}

/// Returns the functions to draw, the heaviest first.
fn heaviest(totals: &Totals<'_>) -> Vec<usize> {
    let weight = |index: &usize| {
        let function = &totals.functions[*index];
        (function.cumulative, function.self_time)
    };
    let mut functions: Vec<usize> = (0..totals.functions.len())
        .filter(|index| is_heavy(weight(index).0, totals.total, NODE_FRACTION))
        .collect();
    functions.sort_by_key(|index| std::cmp::Reverse(weight(index)));
    functions.truncate(NODE_COUNT);
    functions
}

fn is_heavy(weight: Nanos, total: Nanos, fraction: f64) -> bool {
    weight > Nanos::ZERO && weight.0 as f64 >= total.0 as f64 * fraction
}

fn count_used(totals: &Totals<'_>) -> usize {
    totals.functions.iter().filter(|function| function.cumulative > Nanos::ZERO).count()
}

struct Graph<'p> {
    profile: &'p Profile,
    amount: Amount,
    totals: Totals<'p>,
}

impl Graph<'_> {
    fn write(&self, kept: &[usize], calls: &[Call], left_out: [usize; 2]) -> String {
        let mut lines = vec![
            "digraph rperf {".to_owned(),
            "  graph [fontname=\"Helvetica\"];".to_owned(),
            "  node [shape=box style=filled fontname=\"Helvetica\" color=\"#7f7f7f\"];".to_owned(),
            "  edge [fontname=\"Helvetica\" fontsize=10];".to_owned(),
            format!("  caption [shape=note fillcolor=\"#f8f8f8\" label={}];", self.caption(left_out)),
        ];
        let most = self.totals.functions.iter().map(|it| it.self_time).max().unwrap_or_default();
        lines.extend(kept.iter().map(|function| self.node(*function, most)));
        lines.extend(calls.iter().map(|call| self.edge(call)));
        lines.push("}\n".to_owned());
        lines.join("\n")
    }

    fn caption(&self, [functions, calls]: [usize; 2]) -> String {
        let kind = self.profile.value_type().kind;
        let mut lines = vec![format!("{kind}: total {}", self.amount(self.totals.total))];
        lines.extend(self.profile.known_tick_count().map(samples_text));
        if functions > 0 || calls > 0 {
            lines.push(format!("left out for their small weight: functions {functions}, calls {calls}"));
        }
        let drops = self.profile.counters.drops.iter();
        lines.extend(
            drops.map(|(cause, samples, _)| format!("dropped: {} ({cause})", samples_text(*samples))),
        );
        quoted_left(&lines)
    }

    fn node(&self, index: usize, most: Nanos) -> String {
        let function = &self.totals.functions[index];
        let size = style::font_size(share(function.self_time, most));
        let fill = style::fill(share(function.cumulative, self.totals.total));
        let (label, tooltip) = (self.label(function), self.tooltip(function));
        format!("  n{index} [label={label} tooltip={tooltip} fontsize={size:.1} fillcolor=\"{fill}\"];")
    }

    /// Returns name, file, self time, and the cumulative time where that is more.
    fn label(&self, function: &FunctionTotal<'_>) -> String {
        let mut lines = vec![short(name_of(function.label))];
        let file = function.path.rsplit('/').next().unwrap_or_default();
        if !file.is_empty() {
            lines.push(short(file));
        }
        let own = self.amount(function.self_time);
        let all = self.amount(function.cumulative);
        if function.self_time == function.cumulative {
            lines.push(own);
        } else {
            lines.extend([own, format!("of {all}")]);
        }
        quoted(&lines)
    }

    fn tooltip(&self, function: &FunctionTotal<'_>) -> String {
        let name = [name_of(function.label), function.path].join(" ");
        quoted(&[format!("{} ({})", name.trim_end(), self.amount(function.cumulative))])
    }

    fn edge(&self, call: &Call) -> String {
        let mut out = String::new();
        let part = share(call.weight, self.totals.total);
        let (width, colour) = (style::pen_width(part), style::line(part));
        let label = quoted(&[self.amount.with_unit(call.weight)]);
        // dot keeps arrows of a large weight short and straight. Its default weight is 1.
        let weight = 1 + (part * 100.0) as u32;
        write!(out, "  n{} -> n{} [label={label} weight={weight}", call.caller, call.callee)
            .and_then(|()| write!(out, " penwidth={width:.2} color=\"{colour}\""))
            .expect("writing to memory cannot fail");
        out.push_str(if call.indirect { " style=dashed];" } else { "];" });
        out
    }

    fn amount(&self, weight: Nanos) -> String {
        format!("{} ({:.1}%)", self.amount.with_unit(weight), percent(weight, self.totals.total))
    }
}

fn share(part: Nanos, total: Nanos) -> f64 {
    percent(part, total) / 100.0
}
