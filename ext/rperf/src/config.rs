//! The configuration of a session, validated.

use rperf_core::state::{ByClock, Mode};
use rperf_core::time::Nanos;

use crate::os::clock;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignalChoice {
    /// The default signal, if a signal is needed at all.
    Any,
    Number(i32),
    /// No signal, and no remote capture either: samples are taken at safepoints only.
    None,
}

/// Engine as users see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineKind {
    /// Stacks are taken at the tick.
    Poll,
    /// Stacks are taken at the safepoint after the tick.
    Safepoint,
    /// There are no ticks: the direct watch sees each object where libruby asks for it.
    Direct,
    /// There are no ticks: the VM's event reports each object.
    Event,
    /// There are no ticks: the program itself takes samples.
    None,
}

impl EngineKind {
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

/// Sampling of memory that malloc(3) hands out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malloc {
    /// One in `interval` bytes is drawn by chance; its piece of memory is sampled. 1 or more.
    pub interval: u64,
    /// Whether memory of all libraries is sampled, or else of Ruby's library only.
    pub everywhere: bool,
}

/// Validated configuration of a session.
#[derive(Clone, Debug)]
pub struct SessionConfig {
    /// Modes, in the order of their profiles: one, or several of which at most one does not sample
    /// time.
    pub modes: Vec<Mode>,
    /// Ticks per second, 1 to 10,000, which may change while the session runs; 0 if there are no
    /// ticks.
    pub frequency: u32,
    /// One in `interval` objects is sampled, 1 or more; 0 if objects are not sampled.
    pub interval: u64,
    /// Whether objects are seen by the direct watch, which has been proved.
    pub direct: bool,
    /// Seed for the choice of objects in tests. `None`: chance decides.
    pub seed: Option<u64>,
    /// Maximum number of sampled objects that are watched at a time, 2 or more.
    pub objects: usize,
    /// Minimum number of survived collections of an object that counts as in use.
    pub min_age: u32,
    /// Whether extensions are asked how large their objects are.
    pub data_sizes: bool,
    /// Whether a full collection precedes the count of objects in use at the end.
    pub collects: bool,
    /// Sampling of memory that malloc(3) hands out. `None`: it is not sampled.
    pub malloc: Option<Malloc>,
    pub signal: SignalChoice,
    /// Maximum number of a clock's samples in a period, distinct or raw, about 50 bytes each.
    pub sample_limit: usize,
    /// Whether equal stacks are merged, and short suspensions are charged together.
    pub aggregate: bool,
    /// Whether samples of time are kept with their moments. Equal samples are not merged then.
    pub timeline: bool,
    pub lines: bool,
    /// Whether native functions are shown as leaves.
    pub native: bool,
    /// Whether ticks in wall mode also charge the waiting for the GVL to its holder.
    pub blame: bool,
    /// Whether threads are profiled only inside of `Rperf.profile` blocks.
    pub defer: bool,
    /// Duration above which a unit of work is labelled as slow.
    pub slow: Option<Nanos>,
    /// Whether ticks come from `Rperf::Native.tick` instead of a timer, for tests.
    pub manual: bool,
}

impl SessionConfig {
    pub fn samples(&self, mode: Mode) -> bool {
        self.modes.contains(&mode)
    }

    /// Whether samples of this mode are kept with their moments.
    pub fn keeps_moments(&self, mode: Mode) -> bool {
        self.timeline && mode.is_timed()
    }

    /// Whether equal samples are merged in the profile of a mode.
    pub fn merges_samples(&self, mode: Mode) -> bool {
        self.aggregate && !self.keeps_moments(mode)
    }

    /// Returns the interval of sampled objects, or `None` if no object is sampled.
    pub fn watches(&self) -> Option<u64> {
        Some(self.interval).filter(|interval| *interval > 0)
    }

    /// Returns the interval of sampled objects in the profile of a mode.
    pub fn interval_of(&self, mode: Mode) -> Option<u64> {
        self.watches().filter(|_| !mode.is_timed())
    }

    /// Returns the seed of random choices: a new one each time, unless a test sets it.
    pub fn seed(&self) -> u64 {
        self.seed.unwrap_or_else(|| clock::monotonic().0)
    }

    /// Returns the clocks that weigh ticks; none if there are no ticks.
    pub fn clocks(&self) -> ByClock<bool> {
        ByClock::new(|clock| self.modes.iter().any(|mode| mode.clock() == Some(clock)))
    }

    /// Returns the mean time between ticks, in nanoseconds.
    pub fn period(&self) -> u64 {
        1_000_000_000 / u64::from(self.frequency.max(1))
    }
}
