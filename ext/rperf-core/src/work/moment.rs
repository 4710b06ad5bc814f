//! Clocks and sums of a thread at a moment.

use super::{Figures, Waits};
use crate::time::Nanos;

/// The clocks and running sums of a thread, read by itself when a unit of work begins or ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// Reading of the wall clock.
    pub wall: Nanos,
    /// Reading of the CPU clock of the native thread that runs the thread.
    pub cpu: Nanos,
    /// That native thread; `None` where it runs other threads, too.
    pub native: Option<i32>,
    /// Running sums of waits, where wall time is measured.
    pub waits: Option<Waits>,
    /// Running sum of allocated objects, where objects are sampled.
    pub objects: Option<u64>,
}

impl Moment {
    /// Returns the figures of a unit of work that began at `before` on the same thread. Its CPU
    /// time is only known where the same native thread ran it all the time; otherwise it is 0.
    pub fn since(&self, before: &Self, failed: bool) -> Figures {
        let same_native = self.native.is_some() && self.native == before.native;
        let waits = |(now, before): (Waits, Waits)| Waits {
            gvl: now.gvl - before.gvl,
            blocked: now.blocked - before.blocked,
            gc: now.gc - before.gc,
        };
        Figures {
            units: 1,
            errors: u64::from(failed),
            wall: self.wall - before.wall,
            cpu: if same_native { self.cpu - before.cpu } else { Nanos::ZERO },
            waits: self.waits.zip(before.waits).map(waits),
            objects: self.objects.zip(before.objects).map(|(now, before)| now.saturating_sub(before)),
            ..Figures::default()
        }
    }
}
