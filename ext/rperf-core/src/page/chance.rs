//! Constants with which the page computes what chance explains of a change, as [`Chance`] does. The
//! page computes it itself, since each of its filters makes other profiles.
//!
//! [`Chance`]: crate::profile::Chance

use serde::Serialize;

use crate::profile::certainty::{MOVED, STATES};
use crate::profile::chance::{LEAST_TICKS, SPEED, SPEED_PART, TIME_PART, UNEVENNESS};
use crate::profile::precision::PERIOD_NS;
use crate::profile::wait_tables::waiting_methods;
use crate::profile::{CONFIDENCE, INSTRUCTION_PATH, ValueType};

/// The constants of the calculation.
#[derive(Serialize)]
pub(super) struct ChanceTerms {
    confidence: f64,
    speed: f64,
    /// Times tell the machine's speed if they are at least this part of their totals.
    time_part: f64,
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
    /// Beginnings of names of methods that wait for other threads, and of others that wait.
    waiting_methods: [Vec<&'static str>; 2],
}

impl ChanceTerms {
    pub(super) fn all() -> Self {
        Self {
            confidence: CONFIDENCE,
            speed: SPEED,
            time_part: 1.0 / TIME_PART,
            unevenness: UNEVENNESS,
            speed_part: SPEED_PART,
            least_ticks: LEAST_TICKS,
            tick_ns: PERIOD_NS,
            no_kind: ValueType::NO_KIND,
            states: STATES,
            moved: MOVED,
            instruction_path: INSTRUCTION_PATH,
            waiting_methods: waiting_methods(),
        }
    }
}
