//! What a thread's clock charges at an event.

use serde::{Deserialize, Serialize};

use crate::time::Nanos;

/// Which part of a collection is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GcPhase {
    /// Marking.
    Mark,
    /// Sweeping.
    Sweep,
}

/// What is charged when a thread gets the GVL back. All of it belongs to the stack of the
/// suspension.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resumed {
    /// Wall mode: off the GVL.
    pub blocked: Nanos,
    /// Wall mode: ready, but another thread held the GVL.
    pub waited: Nanos,
    /// Cpu mode: CPU time used off the GVL.
    pub off_gvl: Nanos,
}

/// What is charged when a collector's step ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GcTimes {
    /// Marking, on the clock of the mode.
    pub mark: Nanos,
    /// Sweeping, on the same clock.
    pub sweep: Nanos,
}

/// What a thread's clock charges at an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Charges {
    /// Time it ran: the weight of a tick, or at the end what no tick was charged with.
    pub running: Nanos,
    /// Of a suspension.
    pub resumed: Resumed,
    /// Of a step of the collector.
    pub gc: GcTimes,
}

impl Charges {
    /// Whether nothing is charged.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// Time it ran.
    pub fn running(running: Nanos) -> Self {
        Self { running, ..Self::default() }
    }

    /// Of a suspension.
    pub fn resumed(resumed: Resumed) -> Self {
        Self { resumed, ..Self::default() }
    }

    /// Of suspensions that are over, in wall mode.
    pub fn blocked(blocked: Nanos) -> Self {
        Self::resumed(Resumed { blocked, ..Resumed::default() })
    }

    /// Of a step of the collector.
    pub fn collected(gc: GcTimes) -> Self {
        Self { gc, ..Self::default() }
    }
}
