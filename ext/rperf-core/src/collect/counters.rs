//! Counters of lost samples and their time, by cause.

use crate::time::Nanos;

/// Cause of a lost sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(usize)]
pub enum DropCause {
    /// The table of stacks, or of samples, was full.
    StackLimit = 0,
    /// The table of frames was full.
    FrameLimit = 1,
    /// The native probe had no room for a note; no time was lost.
    ProbeFull = 2,
    /// A tick's frames could not be read consistently; its time went to the next tick.
    Unreadable = 3,
    /// No frame of the stack could be named.
    NoFrames = 4,
    /// A signal came for a thread or session that was not (or no longer) profiled.
    StraySignal = 5,
    /// A callback of the profiler failed.
    InternalError = 6,
    /// A short thread ended that no tick had met, and no tick met a short thread after it.
    ThreadEnded = 7,
    /// The function of an interrupted native instruction cannot be known; the sample keeps its
    /// frames and time.
    UnknownNative = 8,
    /// No tick met the program between the profiler's own work at the start and at the end.
    NoTick = 9,
    /// The table of kinds of objects was full.
    KindLimit = 10,
    /// Objects were allocated, and not watched.
    NotSeen = 11,
    /// Memory was allocated while the profiler's own data were in use.
    Busy = 12,
}

impl DropCause {
    /// All causes.
    pub const ALL: [Self; 13] = [
        Self::StackLimit,
        Self::FrameLimit,
        Self::ProbeFull,
        Self::Unreadable,
        Self::NoFrames,
        Self::StraySignal,
        Self::InternalError,
        Self::ThreadEnded,
        Self::UnknownNative,
        Self::NoTick,
        Self::KindLimit,
        Self::NotSeen,
        Self::Busy,
    ];

    /// Returns the name that users see.
    pub const fn name(self) -> &'static str {
        match self {
            Self::StackLimit => "stack limit",
            Self::FrameLimit => "frame limit",
            Self::ProbeFull => "probe full",
            Self::Unreadable => "unreadable stack",
            Self::NoFrames => "no frames",
            Self::StraySignal => "stray signal",
            Self::InternalError => "internal error",
            Self::ThreadEnded => "thread ended",
            Self::UnknownNative => "unknown native code",
            Self::NoTick => "no tick",
            Self::KindLimit => "class limit",
            Self::NotSeen => "not seen",
            Self::Busy => "profiler busy",
        }
    }
}

/// Lost samples and their time, by cause.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drops {
    counts: [(u64, Nanos); DropCause::ALL.len()],
}

impl Drops {
    /// Counts `samples` lost samples with `weight` in all. A weight of 0 means that the time was
    /// not lost with them.
    pub fn add(&mut self, cause: DropCause, samples: u64, weight: Nanos) {
        let entry = &mut self.counts[cause as usize];
        entry.0 += samples;
        entry.1 += weight;
    }

    /// Returns the number of samples that were lost for this cause.
    pub fn count(&self, cause: DropCause) -> u64 {
        self.counts[cause as usize].0
    }

    /// Adds all counts of `other`.
    pub fn merge(&mut self, other: &Self) {
        for cause in DropCause::ALL {
            let (samples, weight) = other.counts[cause as usize];
            self.add(cause, samples, weight);
        }
    }

    /// Returns the causes that happened, sorted by name, with their samples and time.
    pub fn to_list(&self) -> Vec<(String, u64, Nanos)> {
        let mut list: Vec<_> = DropCause::ALL
            .into_iter()
            .map(|cause| (cause.name().to_owned(), self.counts[cause as usize]))
            .filter(|(_, (samples, _))| *samples > 0)
            .map(|(name, (samples, weight))| (name, samples, weight))
            .collect();
        list.sort();
        list
    }
}
