//! `--top` of a difference: each function before and after, its change, and the part of the change
//! that chance explains.

use std::fmt::Write;

use hashbrown::HashMap;
use serde::Serialize;

use super::around::{filters, head_text};
use super::notation::Notation;
use super::paint::LEAST_NAME;
use super::scene::Scene;
use super::shown::not_shown;
use super::{Layout, Sort, json};
use crate::profile::{CONFIDENCE, Chance, Change, Diff, FunctionDiff, Profile, ShortPaths, diff, name_of};
use crate::unit::share;

/// Functions that are shown, with the data for their comparison.
struct Table<'a> {
    scene: &'a Scene<'a>,
    chance: Chance,
    rows: Vec<FunctionDiff<'a>>,
    /// Number of functions with any weight.
    all: usize,
    /// Number of functions that are not small, shown or not.
    heavy: usize,
    /// Number of these that changed beyond chance.
    changed: usize,
    /// Number of functions of each name.
    namesakes: HashMap<&'a str, usize>,
    paths: ShortPaths<'a>,
}

/// Minimum change of a time that is shown, as 1/`LEAST_PART` of the total.
const LEAST_PART: u64 = 10_000_000;

/// Number of characters of a function's figures, and of those of the other change.
const FIGURES: usize = 65;
const OTHER: usize = 12;

/// Writes the views `--top` and `--text` of a difference.
pub(super) fn write(scene: &Scene<'_>) -> String {
    let table = Table::of(scene);
    match scene.report.layout {
        Layout::Text => table.text(),
        Layout::Json => json::document(scene, table.document()),
    }
}

impl Scene<'_> {
    /// Returns the difference of the filtered profiles, by function.
    pub(super) fn diff(&self) -> Diff<'_> {
        let [(target, _), (base, _)] = &self.parts[..] else { unreachable!("it is a difference") };
        diff(base, target).expect("they have been checked")
    }

    /// Returns the line with the totals of both sides and their change.
    pub(super) fn totals_line(&self, notation: &Notation) -> String {
        let [base, target] = [self.base(), self.subject.target()].map(|it| it.total().0 as i64);
        let (before, after) = (notation.format(base), notation.format(target));
        let delta = self.shown_change(target - base);
        let (change, part) = (notation.change(delta), self.share_of_base(delta));
        format!("Type: {}, {before} before, {after} after: {change} ({part})", self.head.kind)
    }

    /// Returns a change as it is shown: 0 for a very small part of the total, if this is a time.
    /// Scaled times and means of recordings are rounded, and differ by some nanoseconds then.
    pub(super) fn shown_change(&self, delta: i64) -> i64 {
        let is_rounded = delta.unsigned_abs() < self.total().unsigned_abs() / LEAST_PART;
        if is_rounded && self.subject.target().value_type().is_time() { 0 } else { delta }
    }

    /// Formats the share of the base's total; a decrease is negative.
    pub(super) fn share_of_base(&self, delta: i64) -> String {
        let sign = if delta < 0 { "-" } else { "" };
        format!("{sign}{}", share(delta, self.total()).trim_start())
    }

    /// Returns what chance explains of changes. It is computed from the unfiltered profiles.
    pub(super) fn chance(&self) -> Chance {
        Chance::of(self.base(), self.subject.target())
    }

    /// Returns the unfiltered base.
    pub(super) fn base(&self) -> &Profile {
        self.subject.base().expect("it is a difference")
    }
}

impl<'a> Table<'a> {
    fn of(scene: &'a Scene<'a>) -> Self {
        let limits = scene.report.limits;
        let mut rows = scene.diff().functions;
        rows.retain(|row| row.cumulative.is_any());
        let all = rows.len();
        let mut namesakes = HashMap::new();
        rows.iter().for_each(|row| *namesakes.entry(row.label).or_default() += 1);
        let cutoff = limits.cutoff(scene.total());
        rows.retain(|row| row.cumulative.base.weight.max(row.cumulative.target.weight) >= cutoff);
        let (chance, heavy) = (scene.chance(), rows.len());
        let beyond = |row: &&FunctionDiff<'_>| {
            [row.self_time, row.cumulative].into_iter().any(|change| chance.is_exceeded_by(change))
        };
        let changed = rows.iter().filter(beyond).count();
        let sort = scene.report.sort;
        rows.sort_unstable_by_key(|row| {
            let key = |change: Change| std::cmp::Reverse(change.delta().unsigned_abs());
            (in_order(row, sort).map(key), row.label, row.path)
        });
        rows.truncate(limits.most(0));
        let paths = scene.paths();
        Self { scene, chance, rows, all, heavy, changed, namesakes, paths }
    }

    fn text(&self) -> String {
        let sort = self.scene.report.sort;
        let notation = self.notation();
        let mut lines = self.head(&notation);
        if !self.scene.report.paint.is_terminal() {
            lines.extend(self.scene.head.folded_line());
        }
        lines.extend(filters(self.scene));
        let mut out = head_text(self.scene, &lines);
        let (one, other) = match sort {
            Sort::Flat => ("flat", "cum"),
            Sort::Cumulative => ("cum", "flat"),
        };
        let [before, change] = [format!("{one} before"), format!("{other} change")];
        let other = if self.has_other() { format!(" {change:>11}") } else { String::new() };
        let heading = format!(
            "{before:>11} {:>10} {:>11} {:>7} {:>10}{other}  function",
            "after", "change", "of all", "±"
        );
        out.push_str(&self.scene.report.paint.heading(&heading));
        out.push('\n');
        for row in &self.rows {
            self.line(&mut out, row, &notation);
        }
        let rest = [self.all - self.heavy, self.heavy - self.rows.len()];
        out + &head_text(self.scene, not_shown("functions", self.all, rest).as_slice())
    }

    /// Whether rows have the other change. It has no room on a narrow terminal.
    fn has_other(&self) -> bool {
        let columns = self.scene.report.paint.columns();
        columns.is_none_or(|columns| FIGURES + 2 + LEAST_NAME <= columns)
    }

    fn line(&self, out: &mut String, row: &FunctionDiff<'_>, notation: &Notation) {
        let (sort, paint) = (self.scene.report.sort, self.scene.report.paint);
        let [one, other] = in_order(row, sort);
        let [before, after] = [one.base, one.target].map(|side| notation.format(side.weight as i64));
        let margin = margin(&self.chance, one, notation);
        let part = self.scene.share_of_base(self.scene.shown_change(one.delta()));
        let figures =
            format!("{before:>11} {after:>10} {:>11} {part:>7} {margin:>10}", self.change(one, notation));
        let has_other = self.has_other();
        let others = if has_other { format!(" {:>11}", self.change(other, notation)) } else { String::new() };
        let name = format!("  {}", self.name(row, FIGURES + 2 - if has_other { 0 } else { OTHER }));
        let [is_one, is_other] = [one, other].map(|change| self.chance.is_exceeded_by(change));
        let grey = |text: String, is_beyond| if is_beyond { text } else { paint.faint(&text).into_owned() };
        let line = grey(figures, is_one) + &grey(others, is_other) + &grey(name, is_one || is_other);
        writeln!(out, "{line}").expect("writing to memory cannot fail");
    }

    /// Formats a change, such as "+12.30ms", with an asterisk if chance does not explain it.
    fn change(&self, change: Change, notation: &Notation) -> String {
        let mark = if self.chance.is_exceeded_by(change) { "*" } else { " " };
        format!("{}{mark}", notation.change(self.scene.shown_change(change.delta())))
    }

    /// Returns the name of a function, with its file if other functions have the same name.
    /// `before`: number of characters in front of it.
    fn name(&self, row: &FunctionDiff<'_>, before: usize) -> String {
        let paint = self.scene.report.paint;
        let name = name_of(row.label);
        if self.namesakes[row.label] == 1 {
            return paint.name(name, before).into_owned();
        }
        paint.name_and_path([name, "  ", &self.paths.shorten(row.path)], before)
    }

    fn notation(&self) -> Notation {
        let changes = self.rows.iter().map(|row| in_order(row, self.scene.report.sort)[0]);
        let weights = changes.flat_map(|change| [change.base.weight, change.target.weight]);
        let total = self.scene.total().unsigned_abs();
        let smallest = weights.filter(|weight| *weight > 0).min().unwrap_or(total);
        self.scene.notation.common(smallest, total)
    }

    fn head(&self, notation: &Notation) -> Vec<String> {
        let ticks = ticks_text(&self.chance);
        vec![
            self.scene.totals_line(notation),
            format!("{ticks}: {} of {} functions changed beyond chance (*)", self.changed, self.heavy),
        ]
    }

    fn document(&self) -> Document<'a> {
        Document {
            total_after: self.scene.subject.target().total().0,
            ticks: TickFields::of(&self.chance),
            functions: self.rows.iter().map(|row| self.function(row)).collect(),
            function_count: self.all,
        }
    }

    fn function(&self, row: &FunctionDiff<'a>) -> Function<'a> {
        let changes = [row.self_time, row.cumulative];
        Function {
            name: name_of(row.label),
            path: row.path,
            flat: row.self_time.delta(),
            cum: row.cumulative.delta(),
            before: Pair::of(changes.map(|change| change.base.weight)),
            after: Pair::of(changes.map(|change| change.target.weight)),
            chance: Pair::of(changes.map(|change| self.chance.margin(change) as u64)),
            beyond_chance: Pair::of(changes.map(|change| self.chance.is_exceeded_by(change))),
        }
    }
}

/// Returns the changes of a row. It is sorted by the first one.
fn in_order(row: &FunctionDiff<'_>, sort: Sort) -> [Change; 2] {
    match sort {
        Sort::Flat => [row.self_time, row.cumulative],
        Sort::Cumulative => [row.cumulative, row.self_time],
    }
}

/// Formats the size of a change that chance explains, rounded up to two significant digits. Of a
/// change beyond chance it is rounded so far down that it is less than the change, also as text.
pub(super) fn margin(chance: &Chance, change: Change, notation: &Notation) -> String {
    let size = i64::try_from(change.delta().unsigned_abs()).unwrap_or(i64::MAX);
    let margin = chance.margin(change).ceil() as i64;
    let unit = 10i64.pow(margin.max(1).ilog10().saturating_sub(1));
    let mut rounded = (margin + unit - 1) / unit * unit;
    if chance.is_exceeded_by(change) {
        let text = notation.format(size);
        while rounded > 0 && (rounded >= size || notation.format(rounded) == text) {
            rounded -= unit;
        }
    }
    notation.format(rounded)
}

/// Formats the number of ticks of both sides, such as "n = 1204 and 1310 ticks".
pub(super) fn ticks_text(chance: &Chance) -> String {
    let [base, target] = chance.precision;
    let estimated =
        if base.is_estimated || target.is_estimated { ", estimated from the weights" } else { "" };
    let what = if target.are_ticks { "ticks" } else { "samples" };
    format!("n = {} and {} {what}{estimated}", base.ticks, target.ticks)
}

#[derive(Serialize)]
struct Document<'a> {
    /// Total weight of the target; `total` is that of the base.
    total_after: u64,
    ticks: TickFields,
    functions: Vec<Function<'a>>,
    function_count: usize,
}

#[derive(Serialize)]
pub(super) struct TickFields {
    before: u64,
    after: u64,
    estimated: bool,
    confidence: f64,
}

impl TickFields {
    pub(super) fn of(chance: &Chance) -> Self {
        let [base, target] = chance.precision;
        let estimated = base.is_estimated || target.is_estimated;
        Self { before: base.ticks, after: target.ticks, estimated, confidence: CONFIDENCE }
    }
}

/// Fields of a function in JSON. `flat` and `cum` are changes.
#[derive(Serialize)]
struct Function<'a> {
    name: &'a str,
    path: &'a str,
    flat: i64,
    cum: i64,
    before: Pair<u64>,
    after: Pair<u64>,
    chance: Pair<u64>,
    beyond_chance: Pair<bool>,
}

#[derive(Serialize)]
struct Pair<T> {
    flat: T,
    cum: T,
}

impl<T> Pair<T> {
    fn of([flat, cum]: [T; 2]) -> Self {
        Self { flat, cum }
    }
}
