//! `--by KEY` of a difference: each value of a label before and after, its change, and the part of
//! the change that chance explains. Names of units of work also have the number and the durations
//! of these units on both sides.

use std::cmp::Reverse;

use hashbrown::{HashMap, HashSet};
use serde::Serialize;

use super::around::{filters, head_text};
use super::by::{NOT_SET, no_label};
use super::change::{TickFields, margin, ticks_text};
use super::columns::{UNITS, WIDTH};
use super::notation::Notation;
use super::paint::{LEAST_NAME, shortened};
use super::scene::Scene;
use super::units;
use super::values::Values;
use super::{Layout, ReportError, json};
use crate::ids::ThreadSeq;
use crate::profile::{Chance, Change, PROCESS, Process, Profile, THREAD, diff};
use crate::work::Units;

/// Number of characters of the weights of a row.
const FIGURES: usize = 52;

/// Name of a thread without a name: its number means nothing in another recording.
const NO_NAME: &str = "(no name)";

/// A value on both sides.
struct Row {
    /// `None`: the label is not set.
    name: Option<String>,
    change: Change,
    /// Figures of the units of work of this name, before and after.
    units: [Option<Units>; 2],
}

/// Values, with what chance explains of their changes.
struct Table {
    chance: Chance,
    /// Values, the largest change first. Equal ones are sorted by name.
    rows: Vec<Row>,
    rest: Row,
}

/// Writes the view `--by` of a difference.
pub(super) fn write(scene: &Scene<'_>, key: &str) -> Result<String, ReportError> {
    let table = Table::of(scene, key);
    if table.rows.is_empty() {
        return Err(no_label(scene, key));
    }
    Ok(match scene.report.layout {
        Layout::Text => table.text(scene, key),
        Layout::Json => json::document(scene, Document::of(scene, key, &table)),
    })
}

impl Table {
    fn of(scene: &Scene<'_>, key: &str) -> Self {
        let unit = &scene.report.unit;
        let [base, target] = [scene.base(), scene.subject.target()].map(|side| by_value(side, key, unit));
        let chance = Chance::of(&base, &target);
        let [target, base] = [0, 1].map(|part| by_value(&scene.parts[part].0, key, unit));
        let functions = diff(&base, &target).expect("they have been checked").functions;
        // The value is the caller of the state.
        let changes = functions.iter().filter(|row| row.path == VALUE_PATH);
        let mut changes: HashMap<&str, Change> = changes.map(|row| (row.label, row.cumulative)).collect();
        let rest = changes.remove(NOT_SET).unwrap_or_default();
        let ledgers = [1, 0].map(|part| units(&scene.parts[part].0, key));
        let mut names: HashSet<&str> = changes.keys().copied().collect();
        if scene.report.query.active().is_empty() {
            names.extend(ledgers.iter().flat_map(|ledger| ledger.keys().copied()));
        }
        let row = |name: &str| Row {
            name: Some(name.to_owned()),
            change: changes.get(name).copied().unwrap_or_default(),
            units: ledgers.each_ref().map(|ledger| ledger.get(name).copied()),
        };
        let mut rows: Vec<_> = names.into_iter().map(row).collect();
        rows.sort_by(|one, other| {
            let key = |row: &Row| Reverse(row.change.delta().unsigned_abs());
            key(one).cmp(&key(other)).then_with(|| one.name.cmp(&other.name))
        });
        Self { chance, rows, rest: Row { name: None, change: rest, units: [None, None] } }
    }

    /// Returns all rows that are shown.
    fn shown(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().chain(self.rest.change.is_any().then_some(&self.rest))
    }

    fn has_units(&self) -> bool {
        self.rows.iter().any(|row| row.units.iter().any(Option::is_some))
    }

    fn text(&self, scene: &Scene<'_>, key: &str) -> String {
        let weights = self.shown().flat_map(|row| [row.change.base.weight, row.change.target.weight]);
        let total = scene.total().unsigned_abs();
        let smallest = weights.filter(|weight| *weight > 0).min().unwrap_or(total);
        let notation = scene.notation.common(smallest, total);
        let changed = self.rows.iter().filter(|row| self.chance.is_exceeded_by(row.change)).count();
        let mut lines = vec![
            scene.totals_line(&notation),
            format!(
                "{}: {changed} of {} values changed beyond chance (*)",
                ticks_text(&self.chance),
                self.rows.len()
            ),
        ];
        if !scene.report.paint.is_terminal() {
            lines.extend(scene.head.folded_line());
        }
        lines.extend(filters(scene));
        let mut out = head_text(scene, &lines);
        let mut heading = format!(
            "{:>WIDTH$} {:>WIDTH$} {:>11} {:>7} {:>WIDTH$}",
            "before", "after", "change", "of all", "±"
        );
        let (units, names) = self.columns(scene);
        for name in &UNITS[UNITS.len() - units..] {
            heading += &format!(" {name:>WIDTH$} {:>WIDTH$}", "after");
        }
        let key = shortened(key, names);
        out.push_str(&scene.report.paint.heading(&format!("{heading}  {key}")));
        out.push('\n');
        self.shown().for_each(|row| self.line(&mut out, scene, &notation, (units, names), row));
        out
    }

    /// Returns the number of the figures of units of work that fit, and the width of names.
    fn columns(&self, scene: &Scene<'_>) -> (usize, usize) {
        let all = if self.has_units() { UNITS.len() } else { 0 };
        let Some(columns) = scene.report.paint.columns() else { return (all, usize::MAX) };
        let room = |units: usize| columns.saturating_sub(FIGURES + units * 2 * (WIDTH + 1) + 2);
        let units = (0..=all).rfind(|units| room(*units) >= LEAST_NAME).unwrap_or(0);
        (units, room(units).max(LEAST_NAME))
    }

    fn line(
        &self,
        out: &mut String,
        scene: &Scene<'_>,
        notation: &Notation,
        (units, names): (usize, usize),
        row: &Row,
    ) {
        let (change, paint) = (row.change, scene.report.paint);
        let [before, after] = [change.base, change.target].map(|side| notation.format(side.weight as i64));
        let is_beyond = self.chance.is_exceeded_by(change);
        let mark = if is_beyond { "*" } else { " " };
        let shown = scene.shown_change(change.delta());
        let delta = format!("{}{mark}", notation.change(shown));
        let part = scene.share_of_base(shown);
        let margin = margin(&self.chance, change, notation);
        let figures = format!("{before:>WIDTH$} {after:>WIDTH$} {delta:>11} {part:>7} {margin:>WIDTH$}");
        out.push_str(&if is_beyond { figures } else { paint.faint(&figures).into_owned() });
        let sides = row.units.map(|units| units.map(units::cells));
        // The first ones may have no column, as in the view of one profile.
        for column in UNITS.len() - units..UNITS.len() {
            for side in &sides {
                let cell = side.as_ref().map_or("-", |cells| &cells[column]);
                out.push_str(&format!(" {cell:>WIDTH$}"));
            }
        }
        out.push_str(&format!("  {}\n", shortened(row.name.as_deref().unwrap_or(NOT_SET), names)));
    }
}

/// Path of the functions that stand for values.
const VALUE_PATH: &str = "<value>";

/// Returns the profile with stacks of two frames: the value, and the state of the thread if it did
/// not run. Values then are functions, whose changes are compared like those of others.
fn by_value(profile: &Profile, key: &str, unit: &str) -> Profile {
    let values = Values::of(profile, key, unit, name);
    profile.with_callers(VALUE_PATH, |sample| values.of_sample(sample).unwrap_or(NOT_SET))
}

/// Returns the name of the thread or of its process, if rows are threads or processes. Their
/// numbers are left out, since each recording has others.
fn name(profile: &Profile, thread: ThreadSeq, key: &str) -> Option<String> {
    match key {
        THREAD => profile.thread(thread).map(|_| profile.thread_name(thread).unwrap_or(NO_NAME).to_owned()),
        PROCESS => profile.process_of(thread).map(Process::role),
        _ => None,
    }
}

/// Returns the units of work of a side whose label has this key, by name. If the side has several
/// recordings, their numbers are means.
fn units<'p>(profile: &'p Profile, key: &str) -> HashMap<&'p str, Units> {
    let recordings = profile.meta.recordings.len().max(1) as u64;
    let rows = profile.ledger.rows().into_iter().filter(|(.., row)| &*row.label == key);
    rows.map(|(_, name, row)| (name, Units::of(&row.figures).per_recording(recordings))).collect()
}

#[derive(Serialize)]
struct Document<'a> {
    key: &'a str,
    /// Total weight of the target; `total` is that of the base.
    total_after: u64,
    ticks: TickFields,
    values: Vec<Value<'a>>,
    not_set: Value<'a>,
}

/// Weights of a value, in the unit of the document.
#[derive(Serialize)]
struct Value<'a> {
    /// `None`: the label is not set.
    name: Option<&'a str>,
    before: u64,
    after: u64,
    change: i64,
    chance: u64,
    beyond_chance: bool,
    /// `None`: the ledger has no units of work of this name.
    units_before: Option<Units>,
    units_after: Option<Units>,
}

impl<'a> Document<'a> {
    fn of(scene: &Scene<'_>, key: &'a str, table: &'a Table) -> Self {
        let value = |row| Value::of(row, &table.chance);
        Self {
            key,
            total_after: scene.subject.target().total().0,
            ticks: TickFields::of(&table.chance),
            values: table.rows.iter().map(value).collect(),
            not_set: value(&table.rest),
        }
    }
}

impl<'a> Value<'a> {
    fn of(row: &'a Row, chance: &Chance) -> Self {
        let change = row.change;
        let [units_before, units_after] = row.units;
        Self {
            name: row.name.as_deref(),
            before: change.base.weight,
            after: change.target.weight,
            change: change.delta(),
            chance: chance.margin(change) as u64,
            beyond_chance: chance.is_exceeded_by(change),
            units_before,
            units_after,
        }
    }
}
