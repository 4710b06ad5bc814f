//! What happens to a thread's clock, and what it charges then, as data: `RPERF_TRACE` writes it,
//! and a test replays it.

use serde::{Deserialize, Serialize};

use crate::ids::ThreadSeq;
use crate::state::{ByClock, Clock};
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

impl ByClock<Charges> {
    /// What a suspension is charged with: its length by the wall clock, what was computed in it by
    /// the CPU clock.
    pub fn resumed(&self) -> Resumed {
        Resumed { off_gvl: self.cpu.resumed.off_gvl, ..self.wall.resumed }
    }
}

/// An event of a thread: the method of [`ThreadClock`](super::ThreadClock) with this name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the methods have them")]
pub enum Event {
    /// The thread is seen for the first time, or its time counts from here on.
    Begin {
        suspended: bool,
    },
    Tick {
        span: Nanos,
    },
    Owe {
        more: Nanos,
    },
    SettleCpu,
    RebaseCpu,
    Reopen {
        waiting: Nanos,
    },
    Suspend,
    Ready,
    Resume {
        read: bool,
    },
    WasOffGvl {
        time: Nanos,
    },
    Cut,
    GcEnter(GcPhase),
    GcPhase(GcPhase),
    GcExit {
        at_least: Nanos,
    },
    Close,
}

/// An event of one thread, the readings of its clocks in nanoseconds, and what was charged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Which thread.
    pub thread: ThreadSeq,
    /// Which of its clocks.
    pub clock: Clock,
    /// What happened.
    pub event: Event,
    /// The wall clock.
    pub wall: Nanos,
    /// The thread's CPU clock; 0 where the event needs none.
    pub cpu: Nanos,
    /// What the clock charged then.
    #[serde(default, skip_serializing_if = "Charges::is_nothing")]
    pub charged: Charges,
}
