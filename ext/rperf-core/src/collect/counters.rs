//! Counters of lost samples and their time, by cause.

use crate::time::Nanos;

/// Cause of a lost sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(usize)]
pub enum DropCause {
    /// The table of stacks, or of samples, was full.
    StackLimit,
    /// The table of frames was full.
    FrameLimit,
    /// The native probe had no room for a note; no time was lost.
    ProbeFull,
    /// A tick's frames could not be read consistently; its time went to the next tick.
    Unreadable,
    /// No frame of the stack could be named.
    NoFrames,
    /// A signal came for a thread or session that was not (or no longer) profiled.
    StraySignal,
    /// A callback of the profiler failed.
    InternalError,
    /// A short thread ended that no tick had met, and no tick met a short thread after it.
    ThreadEnded,
    /// The function of an interrupted native instruction cannot be known; the sample keeps its
    /// frames and time.
    UnknownNative,
    /// No tick met the program between the profiler's own work at the start and at the end.
    NoTick,
    /// The table of kinds of objects was full.
    KindLimit,
    /// Objects were allocated, and not watched.
    NotSeen,
    /// Memory was allocated while the profiler's own data were in use.
    Busy,
}

impl DropCause {
    /// All causes, with the names that users see.
    pub const ALL: [(Self, &'static str); 13] = [
        (Self::StackLimit, "stack limit"),
        (Self::FrameLimit, "frame limit"),
        (Self::ProbeFull, "probe full"),
        (Self::Unreadable, "unreadable stack"),
        (Self::NoFrames, "no frames"),
        (Self::StraySignal, "stray signal"),
        (Self::InternalError, "internal error"),
        (Self::ThreadEnded, "thread ended"),
        (Self::UnknownNative, "unknown native code"),
        (Self::NoTick, "no tick"),
        (Self::KindLimit, "class limit"),
        (Self::NotSeen, "not seen"),
        (Self::Busy, "profiler busy"),
    ];

    /// Returns the name that users see.
    pub const fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }
}

/// Counters of samples.
#[derive(Clone, Debug, Default)]
pub struct Counted {
    /// Number of samples taken.
    pub taken: u64,
    /// Samples that were lost.
    pub drops: Drops,
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
        for (count, (samples, weight)) in self.counts.iter_mut().zip(other.counts) {
            count.0 += samples;
            count.1 += weight;
        }
    }

    /// Returns the causes that happened, sorted by name, with their samples and time.
    pub fn to_list(&self) -> Vec<(String, u64, Nanos)> {
        let all = DropCause::ALL.into_iter().zip(self.counts);
        let lost = all.filter(|(_, (samples, _))| *samples > 0);
        let mut list: Vec<_> =
            lost.map(|((_, name), (samples, weight))| (name.to_owned(), samples, weight)).collect();
        list.sort();
        list
    }
}
