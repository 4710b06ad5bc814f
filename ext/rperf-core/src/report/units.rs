//! Figures of the units of work of one name, as views `--by` show them.

use serde::Serialize;

use super::columns::UNITS;
use crate::unit::{self, MINIMUM};
use crate::work::Figures;

/// The figures: fields of JSON, and cells of a table.
#[derive(Clone, Copy, Serialize)]
pub(super) struct Units {
    units: u64,
    errors: u64,
    mean_ns: u64,
    p95_ns: u64,
}

impl Units {
    pub(super) fn of(figures: &Figures) -> Self {
        Self {
            units: figures.units,
            errors: figures.errors,
            mean_ns: figures.mean().0,
            p95_ns: figures.durations.percentile(95).0,
        }
    }

    /// Returns the figures of a side of several recordings: the number of units is the mean.
    pub(super) fn per_recording(self, recordings: u64) -> Self {
        Self { units: (self.units + recordings / 2) / recordings, ..self }
    }

    /// Returns the cells of the columns [`UNITS`].
    pub(super) fn cells(self) -> [String; UNITS.len()] {
        let time = |time: u64| unit::label(time.cast_signed(), "nanoseconds", MINIMUM);
        [self.units.to_string(), time(self.mean_ns), time(self.p95_ns)]
    }
}
