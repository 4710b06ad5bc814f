//! Totals: the time that rperf has taken, and the samples that it has lost, in the life of a
//! process. They only grow, whatever readers have read.

use rperf_core::collect::Drops;
use rperf_core::time::Nanos;

use crate::os::sync::Lock;

/// Sums of time and of losses.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    /// CPU time of the sampling thread and of the native probe's handler.
    pub sampling_time: Nanos,
    /// CPU time that hooks took from the program's threads.
    pub hook_time: Nanos,
    pub drops: Drops,
}

/// Totals of all periods that are over.
pub static PAST: Lock<Option<Totals>> = Lock::new(None);

impl Totals {
    /// Returns the sum of these totals and those of another part of time.
    pub fn plus(mut self, other: &Self) -> Self {
        self.sampling_time += other.sampling_time;
        self.hook_time += other.hook_time;
        self.drops.merge(&other.drops);
        self
    }
}

pub fn add(period: &Totals) {
    let mut totals = PAST.lock();
    *totals = Some(totals.take().unwrap_or_default().plus(period));
}

pub fn past() -> Totals {
    PAST.lock().clone().unwrap_or_default()
}
