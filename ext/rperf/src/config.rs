//! The configuration of a session, validated.

use rperf_core::state::{ByClock, Mode};
use rperf_core::time::Nanos;

use crate::os::clock;

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
    /// Nothing ticks: each object is seen where libruby asks for it.
    Direct,
    /// Nothing ticks: the VM tells of each object.
    Event,
    /// Nothing ticks: the program itself says when.
    None,
}

impl EngineKind {
    /// The name that users see.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Poll => "poll",
            Self::Safepoint => "safepoint",
            Self::Direct => "direct",
            Self::Event => "event",
            Self::None => "",
        }
    }
}

/// How memory is sampled that malloc(3) hands out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malloc {
    /// What has one of so many bytes, drawn by chance, is sampled: 1 or more.
    pub interval: u64,
    /// Whichever library takes it; otherwise that of Ruby alone.
    pub everywhere: bool,
}

/// What a session does.
#[derive(Clone, Debug)]
pub struct SessionConfig {
    /// What is sampled, in the order of the profiles: one mode, or several, of which at most one
    /// samples no time.
    pub modes: Vec<Mode>,
    /// Ticks per second, 1 to 10,000; 0 where nothing ticks.
    pub frequency: u32,
    /// One of so many objects is sampled, 1 or more; 0 where objects are not sampled.
    pub interval: u64,
    /// Objects are watched directly, which has been proved.
    pub direct: bool,
    /// Test seam: which ones; else chance decides.
    pub seed: Option<u64>,
    /// At most so many sampled objects are watched at a time, 2 or more.
    pub objects: usize,
    /// What has survived fewer collections is not counted as in use.
    pub min_age: u32,
    /// Whether extensions are asked how large their objects are.
    pub data_sizes: bool,
    /// Whether a full collection comes before what is in use is counted at the end.
    pub collects: bool,
    /// How memory is sampled that malloc(3) hands out; `None` where none is.
    pub malloc: Option<Malloc>,
    /// The signal.
    pub signal: SignalChoice,
    /// How many distinct samples of a clock have room in a period, or raw ones: some 50 bytes each.
    pub sample_limit: usize,
    /// Whether equal stacks are merged, and short suspensions are charged together.
    pub aggregate: bool,
    /// Whether samples of time are kept with their moments. (Equal ones are not merged, then.)
    pub timeline: bool,
    /// Whether line numbers are recorded.
    pub lines: bool,
    /// Whether native functions are shown as leaves.
    pub native: bool,
    /// Whether ticks also count who made other threads wait for the GVL, in wall mode.
    pub blame: bool,
    /// Whether threads are profiled only inside of `Rperf.profile` blocks.
    pub defer: bool,
    /// A unit of work that takes longer is labelled as slow.
    pub slow: Option<Nanos>,
    /// Test seam: no timer, ticks come from `Rperf::Native.tick`.
    pub manual: bool,
}

impl SessionConfig {
    /// Whether a mode is among those that are sampled.
    pub fn samples(&self, mode: Mode) -> bool {
        self.modes.contains(&mode)
    }

    /// Whether samples of time are kept with their moments.
    pub fn keeps_moments(&self, mode: Mode) -> bool {
        self.timeline && mode.is_timed()
    }

    /// Whether equal samples are one in the profile of a mode.
    pub fn merges_samples(&self, mode: Mode) -> bool {
        self.aggregate && !self.keeps_moments(mode)
    }

    /// Of how many objects one is sampled; `None` where none is.
    pub fn watches(&self) -> Option<u64> {
        Some(self.interval).filter(|interval| *interval > 0)
    }

    /// The same for the profile of a mode.
    pub fn interval_of(&self, mode: Mode) -> Option<u64> {
        self.watches().filter(|_| !mode.is_timed())
    }

    /// What chance begins with: each time another, unless a test says which.
    pub fn seed(&self) -> u64 {
        self.seed.unwrap_or_else(|| clock::monotonic().0)
    }

    /// Which clocks weigh ticks; none where nothing ticks.
    pub fn clocks(&self) -> ByClock<bool> {
        ByClock::new(|clock| self.modes.iter().any(|mode| mode.clock() == Some(clock)))
    }

    /// The time between ticks in nanoseconds.
    pub fn period(&self) -> u64 {
        1_000_000_000 / u64::from(self.frequency.max(1))
    }
}
