//! States of threads, clocks, and modes of a session.

use std::ops::{Index, IndexMut};

use serde::{Deserialize, Serialize};

/// State of a thread during the time that a sample stands for.
///
/// Every state but [`VmState::Running`] is shown as a synthetic frame at the leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum VmState {
    /// The thread ran, or held the GVL.
    #[default]
    Running = 0,
    /// The thread was off the GVL: input and output, sleep, waiting for a lock.
    GvlBlocked = 1,
    /// The thread was ready to run, and waited for the GVL.
    GvlWait = 2,
    /// The garbage collector marked on the thread's behalf.
    GcMark = 3,
    /// The garbage collector swept on the thread's behalf.
    GcSweep = 4,
    /// The thread held the GVL, and waited for a processor.
    CpuWait = 5,
}

impl VmState {
    /// All states, in the order of their numbers.
    pub const ALL: [Self; 6] =
        [Self::Running, Self::GvlBlocked, Self::GvlWait, Self::GcMark, Self::GcSweep, Self::CpuWait];

    /// Returns the label of the synthetic frame, or `None` for a running thread.
    pub const fn label(self) -> Option<&'static str> {
        match self {
            Self::Running => None,
            Self::GvlBlocked => Some("[GVL blocked]"),
            Self::GvlWait => Some("[GVL wait]"),
            Self::GcMark => Some("[GC marking]"),
            Self::GcSweep => Some("[GC sweeping]"),
            Self::CpuWait => Some("[CPU wait]"),
        }
    }

    /// Returns the path of the synthetic frame, or `None` for a running thread.
    pub const fn path(self) -> Option<&'static str> {
        match self {
            Self::Running => None,
            Self::GvlBlocked | Self::GvlWait => Some("<GVL>"),
            Self::GcMark | Self::GcSweep => Some("<GC>"),
            Self::CpuWait => Some("<CPU>"),
        }
    }
}

/// Clock that weighs the time of threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Clock {
    /// The CPU time of each thread (`CLOCK_THREAD_CPUTIME_ID`).
    #[default]
    Cpu,
    /// The time of the wall clock (`CLOCK_MONOTONIC`).
    Wall,
}

impl Clock {
    /// Both clocks.
    pub const ALL: [Self; 2] = [Self::Cpu, Self::Wall];
}

/// One value for each clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByClock<T> {
    /// Value of the CPU clock.
    pub cpu: T,
    /// Value of the wall clock.
    pub wall: T,
}

impl<T> ByClock<T> {
    /// Creates the values that `of` returns for each clock.
    pub fn new(mut of: impl FnMut(Clock) -> T) -> Self {
        Self { cpu: of(Clock::Cpu), wall: of(Clock::Wall) }
    }

    /// Returns the values that `of` makes of these values.
    pub fn map<U>(self, mut of: impl FnMut(T) -> U) -> ByClock<U> {
        ByClock { cpu: of(self.cpu), wall: of(self.wall) }
    }

    /// Returns both values, with their clocks.
    pub fn into_pairs(self) -> [(Clock, T); 2] {
        [(Clock::Cpu, self.cpu), (Clock::Wall, self.wall)]
    }

    /// Returns both values.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        [&self.cpu, &self.wall].into_iter()
    }

    /// Returns both values, to be changed.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        [&mut self.cpu, &mut self.wall].into_iter()
    }
}

impl ByClock<bool> {
    /// Returns whether the value of any clock is true.
    pub fn any(self) -> bool {
        self.cpu || self.wall
    }
}

impl<T> Index<Clock> for ByClock<T> {
    type Output = T;

    fn index(&self, clock: Clock) -> &T {
        match clock {
            Clock::Cpu => &self.cpu,
            Clock::Wall => &self.wall,
        }
    }
}

impl<T> IndexMut<Clock> for ByClock<T> {
    fn index_mut(&mut self, clock: Clock) -> &mut T {
        match clock {
            Clock::Cpu => &mut self.cpu,
            Clock::Wall => &mut self.wall,
        }
    }
}

/// Mode of a session: what it samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Mode {
    /// CPU time.
    #[default]
    Cpu,
    /// Time that passes.
    Wall,
    /// Values that the program reports (`Rperf.sample`).
    Custom,
    /// Objects that are allocated.
    Alloc,
    /// Objects that are allocated, and of these the objects that live.
    Heap,
}

impl Mode {
    /// All modes, in the order in which messages list them.
    pub const ALL: [Self; 5] = [Self::Cpu, Self::Wall, Self::Custom, Self::Alloc, Self::Heap];

    /// Returns the name that users write.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Wall => "wall",
            Self::Custom => "custom",
            Self::Alloc => "alloc",
            Self::Heap => "heap",
        }
    }

    /// Returns the mode with this name, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.name() == name)
    }

    /// Returns the clock that weighs its samples; `None` where they are not times.
    pub const fn clock(self) -> Option<Clock> {
        match self {
            Self::Cpu => Some(Clock::Cpu),
            Self::Wall => Some(Clock::Wall),
            Self::Custom | Self::Alloc | Self::Heap => None,
        }
    }

    /// Returns whether its samples are times.
    pub const fn is_timed(self) -> bool {
        self.clock().is_some()
    }

    /// Returns keys of labels that say what was allocated. The first one of a sample is its leaf.
    pub const fn leaf_labels(self) -> &'static [&'static str] {
        match self {
            Self::Alloc | Self::Heap => &["class", "type"],
            Self::Cpu | Self::Wall | Self::Custom => &[],
        }
    }

    /// Returns name and unit of each value of a sample, as in pprof. A program may add other values
    /// in [`Mode::Custom`].
    pub const fn values(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Cpu => &[("cpu", "nanoseconds")],
            Self::Wall => &[("wall", "nanoseconds")],
            // Not samples/count, which is the number of samples.
            Self::Custom => &[("weight", "count")],
            Self::Alloc => &[("alloc_objects", "count"), ("alloc_space", "bytes")],
            Self::Heap => &[
                ("alloc_objects", "count"),
                ("alloc_space", "bytes"),
                ("inuse_objects", "count"),
                ("inuse_space", "bytes"),
            ],
        }
    }
}
