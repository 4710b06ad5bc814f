//! What a thread's clock charges at an event.

use crate::time::Nanos;

/// Which part of a collection is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GcPhase {
    /// Marking.
    Mark,
    /// Sweeping.
    Sweep,
}

/// What is charged when a thread gets the GVL back. All of it belongs to the stack of the
/// suspension.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resumed {
    /// Wall mode: off the GVL.
    pub blocked: Nanos,
    /// Wall mode: ready, but another thread held the GVL.
    pub waited: Nanos,
    /// Cpu mode: CPU time used off the GVL.
    pub off_gvl: Nanos,
}

/// What is charged when a collector's step ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GcTimes {
    /// Marking, on the clock of the mode.
    pub mark: Nanos,
    /// Sweeping, on the same clock.
    pub sweep: Nanos,
}

/// What is left when a thread ends, or the session does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Closing {
    /// Time it ran that no tick was charged with.
    pub running: Nanos,
    /// The suspension that was under way.
    pub resumed: Resumed,
    /// The collection that was under way.
    pub gc: GcTimes,
}
