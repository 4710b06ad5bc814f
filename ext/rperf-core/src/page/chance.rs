//! What the page needs to find out what chance explains of a change, as [`Chance`] does it: the
//! page has filters, and each of them makes other profiles.
//!
//! [`Chance`]: crate::profile::Chance

use serde::Serialize;

use crate::profile::certainty::{MOVED, STATES};
use crate::profile::chance::{LEAST_TICKS, SPEED, SPEED_PART, UNEVENNESS};
use crate::profile::precision::PERIOD_NS;
use crate::profile::{CONFIDENCE, INSTRUCTION_PATH};

/// The constants of the calculation.
#[derive(Serialize)]
pub(super) struct ChanceTerms {
    confidence: f64,
    speed: f64,
    unevenness: f64,
    speed_part: f64,
    least_ticks: f64,
    /// What a tick is taken to weigh where that is not known, in nanoseconds.
    tick_ns: f64,
    /// The deviations of time in the states of threads, and of time that is found elsewhere.
    states: f64,
    moved: f64,
    /// The path of leaves whose time is found elsewhere.
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
        states: STATES,
        moved: MOVED,
        instruction_path: INSTRUCTION_PATH,
    };
}
