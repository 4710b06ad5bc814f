//! The time of each value of one label, such as an endpoint, a job or a thread, by state and with
//! the heaviest method. Names of units of work also have the number and the durations of these
//! units. The key `wait` stands for what threads waited for off the GVL.

use std::collections::BTreeSet;

use hashbrown::HashMap;
use serde::Serialize;

use super::columns::{self, Columns, METHOD, UNITS, WIDTH};
use super::labels;
use super::notation::Notation;
use super::paint::printable;
use super::scene::Scene;
use super::units;
use super::values::Values;
use super::{Layout, ReportError, around, json};
use crate::ids::ThreadSeq;
use crate::profile::{PROCESS, Process, Profile, Sample, States, THREAD, columns_of, name_of};
use crate::state::VmState;
use crate::unit::share;
use crate::work::{Figures, Units};

/// Name of the row of samples without the label.
pub(super) const NOT_SET: &str = "(not set)";
const STATE_COUNT: usize = VmState::ALL.len();
/// Weights of one value.
#[derive(Default)]
struct Row<'p> {
    states: [i64; STATE_COUNT],
    /// Weights by method name: own time, and time in states such as `[GVL wait]`.
    methods: HashMap<&'p str, i64>,
    /// Figures of the units of work that have this name.
    units: Option<&'p Figures>,
}

impl<'p> Row<'p> {
    fn total(&self) -> i64 {
        self.states.iter().sum()
    }

    fn column(&self, states: &[VmState]) -> i64 {
        states.iter().map(|state| self.states[*state as usize]).sum()
    }

    /// Returns the method with the most time of its own, if there is any time. Of equal ones, it is
    /// the first by name.
    fn heaviest(&self) -> Option<(&'p str, i64)> {
        let methods = self.methods.iter().map(|(name, weight)| (*name, *weight));
        methods
            .filter(|(_, weight)| *weight != 0)
            .max_by(|(one, a), (other, b)| a.cmp(b).then_with(|| other.cmp(one)))
    }
}

/// Rows by value.
struct Table<'p> {
    /// Values with their rows, the heaviest first. Equal ones are sorted by name.
    values: Vec<(String, Row<'p>)>,
    /// Row of the samples without the label.
    rest: Row<'p>,
}

impl<'p> Table<'p> {
    /// Sums the samples of a profile by value, and adds the figures of their units of work. Units
    /// without samples are included only if nothing is filtered.
    fn sum(profile: &'p Profile, key: &str, unit: &str, filtered: bool) -> Self {
        let states = States::of(profile);
        let values = Values::of(profile, key, unit, title);
        let mut known: HashMap<Option<&str>, Row<'p>> = HashMap::new();
        for sample in profile.samples.iter().filter(|sample| sample.stack_len > 0) {
            known.entry(values.of_sample(sample)).or_default().add(profile, &states, sample);
        }
        let mut rows: HashMap<Option<String>, Row<'p>> =
            known.into_iter().map(|(value, row)| (value.map(str::to_owned), row)).collect();
        for (_, name, row) in profile.ledger.rows().into_iter().filter(|(.., row)| &*row.label == key) {
            let value = Some(name.to_owned());
            if !filtered || rows.contains_key(&value) {
                rows.entry(value).or_default().units = Some(&row.figures);
            }
        }
        Self::of(rows)
    }

    fn of(mut rows: HashMap<Option<String>, Row<'p>>) -> Self {
        let rest = rows.remove(&None).unwrap_or_default();
        let mut values: Vec<_> = rows.into_iter().filter_map(|(value, row)| Some((value?, row))).collect();
        values.sort_by(|(one, a), (other, b)| b.total().cmp(&a.total()).then_with(|| one.cmp(other)));
        Self { values, rest }
    }

    fn has_units(&self) -> bool {
        self.values.iter().any(|(_, row)| row.units.is_some())
    }

    fn labelled(&self) -> i64 {
        self.values.iter().map(|(_, row)| row.total()).sum()
    }
}

/// Returns the title of the thread or of its process, if rows are threads or processes. A title is
/// unique, unlike a name.
fn title(profile: &Profile, thread: ThreadSeq, key: &str) -> Option<String> {
    match key {
        THREAD => profile.thread(thread).map(|thread| profile.thread_title(thread.seq)),
        PROCESS => profile.process_of(thread).map(Process::title),
        _ => None,
    }
}

impl<'p> Row<'p> {
    fn add(&mut self, profile: &'p Profile, states: &States, sample: &Sample) {
        let weight = sample.weight.0 as i64;
        let function = |at: &crate::ids::LocationId| profile.locations[at.index()].function;
        let mut functions = profile.stack(sample).iter().map(function);
        self.states[states.of_sample(profile, sample) as usize] += weight;
        // The time of a state counts for the method that is its caller.
        if let Some(method) = functions.find(|function| !states.is_state(*function)) {
            let name = name_of(&profile.functions[method.index()].label);
            *self.methods.entry(name).or_default() += weight;
        }
    }
}

/// Writes the view `--by`.
pub(super) fn write(scene: &Scene<'_>, key: &str) -> Result<String, ReportError> {
    let profile = scene.target();
    let filtered = !scene.report.query.active().is_empty();
    let table = Table::sum(profile, key, &scene.report.unit, filtered);
    if table.values.is_empty() {
        return Err(no_label(scene, key));
    }
    Ok(match scene.report.layout {
        Layout::Text => text(scene, key, &table),
        Layout::Json => json::document(scene, Document::of(key, &table)),
    })
}

/// Returns the error that no sample has this label. It names the labels that there are.
pub(super) fn no_label(scene: &Scene<'_>, key: &str) -> ReportError {
    let labels =
        scene.parts.iter().flat_map(|(part, _)| labels::collect(part, &scene.report.unit).into_keys());
    let known: BTreeSet<_> = labels.map(str::to_owned).collect();
    ReportError::NoLabel { key: key.to_owned(), known: known.into_iter().collect() }
}

fn text(scene: &Scene<'_>, key: &str, table: &Table<'_>) -> String {
    let totals = table.values.iter().map(|(_, row)| row.total()).chain([table.rest.total()]);
    let smallest = totals.filter(|total| *total > 0).min().unwrap_or(0).unsigned_abs();
    let notation = scene.notation.common(smallest, scene.total().unsigned_abs());
    let labelled = table.labelled();
    let mut out = around::head_text(scene, &around::above(scene, &notation));
    let names = table.values.iter().map(|(name, _)| name.as_str()).chain([NOT_SET, key]);
    let names = names.map(columns_of).max().unwrap_or(0);
    let rows = table.values.iter().map(|(_, row)| row).chain([&table.rest]);
    let methods = rows.filter_map(Row::heaviest).map(|(name, _)| columns_of(name)).max().unwrap_or(0);
    let total_of = |(_, states): &columns::Column| {
        table.values.iter().map(|(_, row)| row.column(states)).sum::<i64>() + table.rest.column(states)
    };
    let columns =
        Columns::of(scene.target(), scene.report.paint, ([names, methods], table.has_units()), total_of);
    out.push_str(&scene.report.paint.heading(&heading(&columns, key)));
    out.push('\n');
    for (name, row) in &table.values {
        line(&mut out, scene, &notation, &columns, name, row, Some(labelled));
    }
    if table.rest.total() != 0 {
        line(&mut out, scene, &notation, &columns, NOT_SET, &table.rest, None);
    }
    out
}

fn heading(columns: &Columns, key: &str) -> String {
    let names = columns.states.iter().map(|(name, _)| name).chain(columns.units);
    let names: String = names.map(|name| format!(" {name:>WIDTH$}")).collect();
    let method = if columns.has_method { format!("  {METHOD}") } else { String::new() };
    format!("{:>WIDTH$} {:>6}{names}  {}{method}", "total", "share", columns.name(key))
}

/// Writes a row. `labelled`: total of the share, if it has one.
fn line(
    out: &mut String,
    scene: &Scene<'_>,
    notation: &Notation,
    columns: &Columns,
    name: &str,
    row: &Row<'_>,
    labelled: Option<i64>,
) {
    let paint = scene.report.paint;
    let total = row.total();
    let ratio = labelled.map_or_else(|| "-".to_owned(), |labelled| share(total, labelled));
    let figures = format!("{:>WIDTH$} {ratio:>6}", notation.format(total));
    out.push_str(&paint.by_share(&figures, total, labelled.unwrap_or(0)));
    for (_, states) in &columns.states {
        out.push_str(&format!(" {:>WIDTH$}", notation.format(row.column(states))));
    }
    let unit_cells = row.units.map(|figures| units::cells(Units::of(figures)));
    // The first ones may have no column.
    for column in UNITS.len() - columns.units.len()..UNITS.len() {
        let cell = unit_cells.as_ref().map_or("-", |cells| &cells[column]);
        out.push_str(&format!(" {cell:>WIDTH$}"));
    }
    out.push_str(&format!("  {}", columns.name(name)));
    if let Some((method, weight)) = row.heaviest().filter(|_| columns.has_method) {
        let part = share(weight, total);
        let part = part.trim_start();
        let before = columns.before_method() + part.len() + 3;
        out.push_str(&format!("  {} ({part})", paint.name(&printable(method), before)));
    }
    out.push('\n');
}

#[derive(Serialize)]
struct Document<'a> {
    key: &'a str,
    /// Sum of all values.
    labelled: i64,
    values: Vec<Value<'a>>,
    not_set: Value<'a>,
}

/// Weights of a value, in the unit of the document.
#[derive(Serialize)]
struct Value<'a> {
    /// `None`: the label is not set.
    name: Option<&'a str>,
    total: i64,
    running: i64,
    runnable: i64,
    gvl_wait: i64,
    blocked: i64,
    collector: i64,
    heaviest: Option<json::Weighed<'a>>,
    /// `None`: the ledger has no units of work of this name.
    #[serde(flatten)]
    units: Option<Units>,
}

impl<'a> Document<'a> {
    fn of(key: &'a str, table: &'a Table<'a>) -> Self {
        let values = table.values.iter().map(|(name, row)| Value::of(Some(name), row)).collect();
        Self { key, labelled: table.labelled(), values, not_set: Value::of(None, &table.rest) }
    }
}

impl<'a> Value<'a> {
    fn of(name: Option<&'a str>, row: &'a Row<'a>) -> Self {
        let [running, runnable, gvl_wait, blocked, collector] =
            columns::STATES.map(|(_, states)| row.column(states));
        let heaviest = row.heaviest().map(|(name, weight)| json::Weighed { name, weight });
        let units = row.units.map(Units::of);
        Self { name, total: row.total(), running, runnable, gvl_wait, blocked, collector, heaviest, units }
    }
}
