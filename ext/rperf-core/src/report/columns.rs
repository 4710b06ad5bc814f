//! Columns of the view `--by`. A terminal that is too narrow for all of them shows fewer: its rows
//! are not wrapped.

use super::paint::{LEAST_NAME, Paint, shortened};
use crate::profile::{Profile, padded};
use crate::state::VmState;

/// Column of the time in some states: its name and the states.
pub(super) type Column = (&'static str, &'static [VmState]);

/// Columns after the total and its share.
pub(super) const STATES: [Column; 5] = [
    ("running", &[VmState::Running]),
    ("runnable", &[VmState::CpuWait]),
    ("GVL wait", &[VmState::GvlWait]),
    ("blocked", &[VmState::GvlBlocked]),
    ("collector", &[VmState::GcMark, VmState::GcSweep]),
];
/// Further columns if the ledger knows units of work: their number, and their durations.
pub(super) const UNITS: [&str; 3] = ["units", "mean", "p95"];
/// Number of these, from the last on, that are durations.
const DURATIONS: usize = 2;
/// Width of a column.
pub(super) const WIDTH: usize = 10;
/// Width of the total and its share.
const FIGURES: usize = WIDTH + 1 + 6;
const GAP: usize = 2;
/// Heading of the column of the heaviest method.
pub(super) const METHOD: &str = "heaviest method";
/// Width of the share of the heaviest method.
const METHOD_SHARE: usize = " (99.99%)".len();

/// Columns that fit.
pub(super) struct Columns {
    pub(super) states: Vec<Column>,
    pub(super) units: &'static [&'static str],
    /// Width of the names.
    pub(super) names: usize,
    /// Whether the heaviest method has a column.
    pub(super) has_method: bool,
}

impl Columns {
    /// Chooses the columns. `names`, `methods`: widths of the longest name of a row and of a
    /// heaviest method. `total`: returns the total of a column.
    pub(super) fn of(
        profile: &Profile,
        paint: Paint,
        ([names, methods], has_units): ([usize; 2], bool),
        total: impl Fn(&Column) -> i64,
    ) -> Self {
        // Only times have states.
        let states = if profile.value_type().is_time() { &STATES[..] } else { &[] };
        let units: &[_] = if has_units { &UNITS } else { &[] };
        let all = Self { states: states.to_vec(), units, names, has_method: true };
        let method = GAP + METHOD.len().max(methods.min(LEAST_NAME) + METHOD_SHARE);
        match paint.columns() {
            Some(width) if all.width() + method > width => all.cut(width, method, total),
            _ => all,
        }
    }

    /// Leaves out columns until names and the heaviest method have room: first the states without
    /// time. Where even they have none beside the durations of units of work, the method is left
    /// out instead of these. `method`: width of its column.
    fn cut(mut self, width: usize, method: usize, total: impl Fn(&Column) -> i64) -> Self {
        let longest = self.names;
        self.names = longest.min(LEAST_NAME);
        self.states.retain(|column| total(column) != 0);
        let durations = (WIDTH + 1) * self.units.len().min(DURATIONS);
        self.has_method = FIGURES + durations + GAP + self.names + method <= width;
        let others = if self.has_method { method } else { 0 };
        while self.width() + others > width && self.leave_out(&total) {}
        let room = width.saturating_sub(self.before_names() + others);
        self.names = longest.min(room.max(self.names));
        self
    }

    /// Leaves out the state with the least time, or else the first column about units of work.
    /// Returns whether there was one.
    fn leave_out(&mut self, total: impl Fn(&Column) -> i64) -> bool {
        let least = self.states.iter().enumerate().rev().min_by_key(|(_, column)| total(column));
        match (least, self.units) {
            (Some((at, _)), _) => drop(self.states.remove(at)),
            (None, [_, rest @ ..]) => self.units = rest,
            (None, []) => return false,
        }
        true
    }

    /// Returns the width without the column of the method.
    fn width(&self) -> usize {
        self.before_names() + self.names
    }

    fn before_names(&self) -> usize {
        FIGURES + (WIDTH + 1) * (self.states.len() + self.units.len()) + GAP
    }

    /// Returns the number of characters before the name of the method.
    pub(super) fn before_method(&self) -> usize {
        self.width() + GAP
    }

    /// Returns a name as wide as its column.
    pub(super) fn name(&self, name: &str) -> String {
        padded(&shortened(name, self.names), self.names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_wide_characters_are_as_wide_as_their_column() {
        let columns = Columns { states: Vec::new(), units: &[], names: 9, has_method: true };
        assert_eq!(columns.name("GET /a"), "GET /a   ");
        assert_eq!(columns.name("GET /漢字"), "GET /漢字");
        assert_eq!(columns.name("GET /漢字の"), "GET /漢\u{2026} ");
    }
}
