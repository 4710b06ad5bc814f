//! Constants with which the page computes what chance explains of a change, as [`Chance`] does. The
//! page computes it itself, since each of its filters makes other profiles.
//!
//! [`Chance`]: crate::profile::Chance

use serde::Serialize;

use crate::profile::certainty::{MOVED, STATES};
use crate::profile::chance::{LEAST_TICKS, SPEED, SPEED_PART, UNEVENNESS};
use crate::profile::precision::PERIOD_NS;
use crate::profile::{CONFIDENCE, INSTRUCTION_PATH, ValueType};

/// The constants of the calculation.
#[derive(Serialize)]
pub(super) struct ChanceTerms {
    confidence: f64,
    speed: f64,
    unevenness: f64,
    speed_part: f64,
    least_ticks: f64,
    /// Assumed weight of a tick whose weight is unknown, in nanoseconds.
    tick_ns: f64,
    /// The kind of values whose unit may be unknown.
    no_kind: &'static str,
    /// Relative deviations: of time in thread states, and of time that moves to other methods.
    states: f64,
    moved: f64,
    /// Path of leaves whose time moves to other methods between recordings.
    instruction_path: &'static str,
}

impl ChanceTerms {
    pub(super) const ALL: Self = Self {
        confidence: CONFIDENCE,
        speed: SPEED,
        unevenness: UNEVENNESS,
        speed_part: SPEED_PART,
        least_ticks: LEAST_TICKS,
        tick_ns: PERIOD_NS,
        no_kind: ValueType::NO_KIND,
        states: STATES,
        moved: MOVED,
        instruction_path: INSTRUCTION_PATH,
    };
}
