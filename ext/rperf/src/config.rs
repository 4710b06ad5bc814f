//! The configuration of a session, validated.

use rperf_core::state::Mode;

/// Which signal the native probe uses, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignalChoice {
    /// The default one, where a signal is needed at all.
    Any,
    /// This real-time signal.
    Number(i32),
    /// None, and no capture from outside either: samples at safepoints only.
    None,
}

/// What users see of the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineKind {
    /// Stacks are those at the tick.
    Poll,
    /// Stacks are those at the safepoint after the tick.
    Safepoint,
}

impl EngineKind {
    /// The name that users see.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Poll => "poll",
            Self::Safepoint => "safepoint",
        }
    }
}

/// What a session does.
#[derive(Clone, Debug)]
pub struct SessionConfig {
    /// Which clock weighs samples.
    pub mode: Mode,
    /// Ticks per second, 1 to 10,000.
    pub frequency: u32,
    /// The signal.
    pub signal: SignalChoice,
    /// Whether equal stacks are merged, and short suspensions are charged together.
    pub aggregate: bool,
    /// Whether samples are kept with their moments. (Equal ones are not merged, then.)
    pub timeline: bool,
    /// Whether line numbers are recorded.
    pub lines: bool,
    /// Whether native functions are shown as leaves.
    pub native: bool,
    /// Whether threads are profiled only inside of `Rperf.profile` blocks.
    pub defer: bool,
    /// Test seam: no timer, ticks come from `Rperf::Native.tick`.
    pub manual: bool,
}

impl SessionConfig {
    /// Whether equal samples are one in the profile.
    pub fn merges_samples(&self) -> bool {
        self.aggregate && !self.timeline
    }

    /// The time between ticks in nanoseconds.
    pub fn period(&self) -> u64 {
        1_000_000_000 / u64::from(self.frequency.max(1))
    }
}
