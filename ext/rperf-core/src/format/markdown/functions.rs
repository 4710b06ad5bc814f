//! The tables of functions and lines.

use hashbrown::HashMap;

use super::text::{Page, code, limited};
use crate::profile::{FunctionTotal, Groups, Profile, Totals, name_of};
use crate::time::Nanos;

/// Maximum number of functions in a table.
const FUNCTIONS: usize = 30;
/// Maximum number of lines in a table.
const LINES: usize = 20;

pub(super) fn by_self(page: &mut Page<'_>, totals: &Totals<'_>) {
    write(page, "self", &totals.by_self_time());
}

pub(super) fn by_cumulative(page: &mut Page<'_>, totals: &Totals<'_>) {
    write(page, "cumulative", &totals.by_cumulative());
}

fn write(page: &mut Page<'_>, order: &str, functions: &[FunctionTotal<'_>]) {
    let limit = limited(FUNCTIONS, functions.len());
    page.heading(&format!("Functions by {order} {}{limit}", page.measured));
    page.table(&["self", "self %", "cumulative", "cum %", "function", "file"], 4);
    for function in functions.iter().take(FUNCTIONS) {
        let own = [page.weight(function.self_time), page.share(function.self_time)].join(" | ");
        let all = [page.weight(function.cumulative), page.share(function.cumulative)].join(" | ");
        let (name, file) = (code(name_of(function.label)), code(&page.path(function.path)));
        page.line(format_args!("| {own} | {all} | {name} | {file} |"));
    }
}

/// Writes the lines with the most self time, where the profile has lines.
pub(super) fn by_line(page: &mut Page<'_>, profile: &Profile) {
    let groups = Groups::of(profile);
    let lines = self_by_line(profile, &groups);
    if lines.is_empty() {
        return;
    }
    page.heading(&format!("Lines by self {}{}", page.measured, limited(LINES, lines.len())));
    page.table(&["self", "self %", "line", "function"], 2);
    for ((group, line), weight) in lines.into_iter().take(LINES) {
        let function = &profile.functions[groups.first[group].index()];
        let own = [page.weight(weight), page.share(weight)].join(" | ");
        let place = code(&format!("{}:{line}", page.path(&function.path)));
        page.line(format_args!("| {own} | {place} | {} |", code(name_of(&function.label))));
    }
}

/// Returns the self time by function and line, the longest first.
fn self_by_line(profile: &Profile, groups: &Groups) -> Vec<((usize, u32), Nanos)> {
    let mut lines: HashMap<(usize, u32), Nanos> = HashMap::new();
    for sample in &profile.samples {
        if let Some(leaf) = profile.stack(sample).first() {
            let line = profile.locations[leaf.index()].line;
            *lines.entry((groups.at(*leaf), line)).or_default() += sample.weight;
        }
    }
    lines.retain(|(_, line), weight| *line > 0 && *weight > Nanos::ZERO);
    let mut lines: Vec<_> = lines.into_iter().collect();
    lines.sort_unstable_by_key(|(place, weight)| (std::cmp::Reverse(*weight), *place));
    lines
}
