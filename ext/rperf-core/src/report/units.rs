//! Cells of the units of work of one name, in views `--by`.

use super::columns::UNITS;
use crate::unit::{self, MINIMUM};
use crate::work::Units;

/// Returns the cells of the columns [`UNITS`].
pub(super) fn cells(units: Units) -> [String; UNITS.len()] {
    let time = |time: u64| unit::label(time.cast_signed(), "nanoseconds", MINIMUM);
    [units.units.to_string(), time(units.mean_ns), time(units.p95_ns)]
}
