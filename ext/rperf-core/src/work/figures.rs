//! Sums of the units of work with one name.

use super::Histogram;
use crate::time::Nanos;

/// Time that a thread spent without running the program, by the wall clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waits {
    /// Time in which the thread could run, and waited for the GVL.
    pub gvl: Nanos,
    /// Time off the GVL: input, output, locks, sleep.
    pub blocked: Nanos,
    /// Time in which the collector ran on the thread.
    pub gc: Nanos,
}

/// Sums of units of work. A sum is `None` where no unit was measured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Number of units that have ended.
    pub units: u64,
    /// Number of units that failed.
    pub errors: u64,
    /// Time from begin to end.
    pub wall: Nanos,
    /// CPU time of the thread that did the work.
    pub cpu: Nanos,
    /// Waits, in sessions that measure wall time.
    pub waits: Option<Waits>,
    /// Number of objects that were allocated, where objects are sampled: an estimate.
    pub objects: Option<u64>,
    /// Durations of the units.
    pub durations: Histogram,
}

impl Figures {
    /// Adds one unit, whose figures have no histogram of their own.
    pub fn add(&mut self, unit: &Self) {
        self.sum(unit);
        self.durations.add(unit.wall);
    }

    /// Adds the figures of another part of the recording.
    pub fn merge(&mut self, other: &Self) {
        self.sum(other);
        self.durations.merge(&other.durations);
    }

    /// Returns the mean duration; 0 where there is no unit.
    pub fn mean(&self) -> Nanos {
        Nanos(self.wall.0.checked_div(self.units).unwrap_or(0))
    }

    /// Adds the sums of `other`, which saturate: figures of a forged file may overflow.
    fn sum(&mut self, other: &Self) {
        let add = |sum: &mut u64, more: u64| *sum = sum.saturating_add(more);
        add(&mut self.units, other.units);
        add(&mut self.errors, other.errors);
        add(&mut self.wall.0, other.wall.0);
        add(&mut self.cpu.0, other.cpu.0);
        if let Some(waits) = other.waits {
            let sum = self.waits.get_or_insert_default();
            add(&mut sum.gvl.0, waits.gvl.0);
            add(&mut sum.blocked.0, waits.blocked.0);
            add(&mut sum.gc.0, waits.gc.0);
        }
        if let Some(objects) = other.objects {
            add(self.objects.get_or_insert_default(), objects);
        }
    }
}
