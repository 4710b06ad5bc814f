//! Value types of a profile's samples.

use rperf_core::profile::{ValueType, ValueTypes};
use rperf_core::state::Mode;

use crate::session::Collected;

/// Name of the second value of a wall profile that has one.
const CAUSED: &str = "gvl_wait_caused";

/// Returns the value types of samples that are not times alone. The weight of objects is the mode's
/// last value: bytes rather than objects. The weight of times is the time that passed.
pub fn value_types(collected: &Collected, mode: Mode) -> ValueTypes {
    if mode.is_timed() {
        let blame = || ValueTypes::new(vec![ValueType::time(mode.name()), ValueType::time(CAUSED)], 0);
        return if collected.settings.blames(mode) { blame() } else { ValueTypes::default() };
    }
    let own = mode.values().iter().map(|(kind, unit)| ValueType::new(*kind, *unit));
    let named = collected.snapshot.value_names.iter().map(|name| ValueType::new(name, unit_of(name)));
    ValueTypes::new(own.chain(named).collect(), mode.values().len() - 1)
}

/// Returns the unit of a value that the program has named.
fn unit_of(name: &str) -> &'static str {
    let ends_with =
        |unit: &str| name == unit || name.strip_suffix(unit).is_some_and(|rest| rest.ends_with('_'));
    if ends_with("bytes") {
        "bytes"
    } else if ends_with("ns") {
        "nanoseconds"
    } else {
        "count"
    }
}
