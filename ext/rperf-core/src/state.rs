//! What a thread does while time passes, and the mode of a session.

use std::ops::{Index, IndexMut};

use serde::{Deserialize, Serialize};

/// What a thread did during the time that a sample stands for.
///
/// Every state but [`VmState::Running`] is shown as a synthetic frame at the leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum VmState {
    /// It ran (or held the GVL).
    #[default]
    Running = 0,
    /// It was off the GVL: input and output, sleep, waiting for a lock.
    GvlBlocked = 1,
    /// It was ready to run and waited for the GVL.
    GvlWait = 2,
    /// The garbage collector marked on its behalf.
    GcMark = 3,
    /// The garbage collector swept on its behalf.
    GcSweep = 4,
    /// It held the GVL, and waited for a processor.
    CpuWait = 5,
}

impl VmState {
    /// All states, in the order of their numbers.
    pub const ALL: [Self; 6] =
        [Self::Running, Self::GvlBlocked, Self::GvlWait, Self::GcMark, Self::GcSweep, Self::CpuWait];

    /// The label of the synthetic frame, or `None` for a running thread.
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

    /// The path of the synthetic frame, or `None` for a running thread.
    pub const fn path(self) -> Option<&'static str> {
        match self {
            Self::Running => None,
            Self::GvlBlocked | Self::GvlWait => Some("<GVL>"),
            Self::GcMark | Self::GcSweep => Some("<GC>"),
            Self::CpuWait => Some("<CPU>"),
        }
    }
}

/// Which clock weighs the time of threads.
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
    /// Both.
    pub const ALL: [Self; 2] = [Self::Cpu, Self::Wall];
}

/// One of something for each clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByClock<T> {
    /// Of the CPU clock.
    pub cpu: T,
    /// Of the wall clock.
    pub wall: T,
}

impl<T> ByClock<T> {
    /// What `of` has for each.
    pub fn new(mut of: impl FnMut(Clock) -> T) -> Self {
        Self { cpu: of(Clock::Cpu), wall: of(Clock::Wall) }
    }

    /// What `of` makes of each.
    pub fn map<U>(self, mut of: impl FnMut(T) -> U) -> ByClock<U> {
        ByClock { cpu: of(self.cpu), wall: of(self.wall) }
    }

    /// Both, with their clocks.
    pub fn into_pairs(self) -> [(Clock, T); 2] {
        [(Clock::Cpu, self.cpu), (Clock::Wall, self.wall)]
    }

    /// Both.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        [&self.cpu, &self.wall].into_iter()
    }

    /// Both.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        [&mut self.cpu, &mut self.wall].into_iter()
    }
}

impl ByClock<bool> {
    /// Whether it is so of a clock.
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

/// What a session samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Mode {
    /// CPU time.
    #[default]
    Cpu,
    /// Time that passes.
    Wall,
    /// What the program says (`Rperf.sample`).
    Custom,
    /// Objects that are allocated.
    Alloc,
    /// The same, and those of them that live.
    Heap,
}

impl Mode {
    /// All modes, in the order in which messages list them.
    pub const ALL: [Self; 5] = [Self::Cpu, Self::Wall, Self::Custom, Self::Alloc, Self::Heap];

    /// The name that users write.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Wall => "wall",
            Self::Custom => "custom",
            Self::Alloc => "alloc",
            Self::Heap => "heap",
        }
    }

    /// The mode with this name, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.name() == name)
    }

    /// The clock that weighs its samples; `None` where they are not times.
    pub const fn clock(self) -> Option<Clock> {
        match self {
            Self::Cpu => Some(Clock::Cpu),
            Self::Wall => Some(Clock::Wall),
            Self::Custom | Self::Alloc | Self::Heap => None,
        }
    }

    /// Whether its samples are times.
    pub const fn is_timed(self) -> bool {
        self.clock().is_some()
    }

    /// Labels of which the first that a sample has is shown as its leaf: what was allocated.
    pub const fn leaf_labels(self) -> &'static [&'static str] {
        match self {
            Self::Alloc | Self::Heap => &["class", "type"],
            Self::Cpu | Self::Wall | Self::Custom => &[],
        }
    }

    /// Name and unit of each value of a sample, as in pprof; a program of [`Mode::Custom`] may add
    /// others.
    pub const fn values(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Cpu => &[("cpu", "nanoseconds")],
            Self::Wall => &[("wall", "nanoseconds")],
            // Not samples/count: that is how many there are.
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
