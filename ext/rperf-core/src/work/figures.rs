//! What units of work of one name come to.

use super::Histogram;
use crate::time::Nanos;

/// Where a thread spent time without running the program, by the wall clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waits {
    /// It could run, and waited for the GVL.
    pub gvl: Nanos,
    /// It had given up the GVL: input, output, locks, sleep.
    pub blocked: Nanos,
    /// The collector ran on it.
    pub gc: Nanos,
}

/// The sums of units of work. What was not measured for any of them is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// How many have ended.
    pub units: u64,
    /// Those of them that failed.
    pub errors: u64,
    /// From begin to end.
    pub wall: Nanos,
    /// Processor time of the thread that did it.
    pub cpu: Nanos,
    /// Of sessions that measure wall time.
    pub waits: Option<Waits>,
    /// How many objects were allocated, where objects are sampled: an estimate.
    pub objects: Option<u64>,
    /// How long each took.
    pub durations: Histogram,
}

impl Figures {
    /// One more, which took so much and has no histogram of its own.
    pub fn add(&mut self, unit: &Self) {
        self.sum(unit);
        self.durations.add(unit.wall);
    }

    /// Those of another part of the recording, too.
    pub fn merge(&mut self, other: &Self) {
        self.sum(other);
        self.durations.merge(&other.durations);
    }

    /// The mean duration; 0 of none.
    pub fn mean(&self) -> Nanos {
        Nanos(self.wall.0.checked_div(self.units).unwrap_or(0))
    }

    /// Figures of a forged file may overflow.
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
