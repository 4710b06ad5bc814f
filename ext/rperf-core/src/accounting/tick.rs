//! A tick, as a thread's clock is told of it.

use crate::time::Nanos;

/// Readings at a tick that met the thread with the GVL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tick {
    /// The wall clock.
    pub wall: Nanos,
    /// The thread's CPU clock.
    pub cpu: Nanos,
    /// Whether the thread waited since the last tick.
    pub slept: bool,
    /// The reading of the CPU clock at which it was due; 0 where unknown.
    pub due: Nanos,
    /// The time that it stands for: since the last one of any kind, whatever that met; 0 where unknown.
    pub covers: Nanos,
}

impl Tick {
    /// One of which only the clocks are known.
    pub const fn at(wall: Nanos, cpu: Nanos) -> Self {
        Self { wall, cpu, slept: false, due: Nanos::ZERO, covers: Nanos::ZERO }
    }
}
