//! What rperf has taken, and lost, in the life of a process: whatever readers have taken, it only
//! grows.

use rperf_core::collect::{DropCause, Drops};
use rperf_core::state::ByClock;
use rperf_core::time::Nanos;

use crate::os::sync::Lock;
use crate::sampler::Counted;

/// Sums.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    /// CPU time of the sampling thread and of the native probe's handler.
    pub sampling_time: Nanos,
    /// What hooks took of the program's threads.
    pub hook_time: Nanos,
    /// What was lost of samples.
    pub drops: Drops,
}

/// Of all periods that are over.
pub static PAST: Lock<Option<Totals>> = Lock::new(None);

impl Totals {
    /// Of one period. What has failed is counted with samples of time, whatever they were of.
    pub fn new(times: &ByClock<Counted>, values: &Counted, sampling_time: Nanos, hook_time: Nanos) -> Self {
        let mut drops = Drops::default();
        for cause in DropCause::ALL {
            let of_times = times.iter().map(|times| times.drops.count(cause)).max().unwrap_or_default();
            let of_values = if cause == DropCause::InternalError { 0 } else { values.drops.count(cause) };
            drops.add(cause, of_times + of_values, Nanos::ZERO);
        }
        Self { sampling_time, hook_time, drops }
    }

    /// Together with another part of time.
    pub fn plus(mut self, other: &Self) -> Self {
        self.sampling_time += other.sampling_time;
        self.hook_time += other.hook_time;
        self.drops.merge(&other.drops);
        self
    }
}

/// A period is over.
pub fn add(period: &Totals) {
    let mut totals = PAST.lock();
    *totals = Some(totals.take().unwrap_or_default().plus(period));
}

/// Naming the samples of a period that is over has lost some more: `all` with those `before`.
pub fn add_lost(all: &Drops, before: &Drops) {
    let mut totals = PAST.lock();
    let drops = &mut totals.get_or_insert_default().drops;
    for cause in DropCause::ALL {
        drops.add(cause, all.count(cause) - before.count(cause), Nanos::ZERO);
    }
}

/// Those of all periods that are over.
pub fn past() -> Totals {
    PAST.lock().clone().unwrap_or_default()
}
