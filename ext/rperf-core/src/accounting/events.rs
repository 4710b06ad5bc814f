//! Events of a thread's clock, and its charges at each event, as data: `RPERF_TRACE` writes them,
//! and a test replays them.

use serde::{Deserialize, Serialize};

use crate::ids::ThreadSeq;
use crate::state::{ByClock, Clock};
use crate::time::Nanos;

/// Phase of a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GcPhase {
    /// Marking.
    Mark,
    /// Sweeping.
    Sweep,
}

/// Charges of a suspension, made when the thread gets the GVL back. All of them belong to the stack
/// of the suspension.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resumed {
    /// Wall mode: time off the GVL until the thread was ready.
    pub blocked: Nanos,
    /// Wall mode: time in which the thread was ready, but another thread held the GVL.
    pub waited: Nanos,
    /// Cpu mode: CPU time used off the GVL.
    pub off_gvl: Nanos,
}

/// Charges at the end of a step of the collector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GcTimes {
    /// Time of marking, by the clock of the mode.
    pub mark: Nanos,
    /// Time of sweeping, by the same clock.
    pub sweep: Nanos,
}

/// Charges of a thread's clock at an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Charges {
    /// Time that the thread ran: the weight of a tick, or at the end what no tick was charged with.
    pub running: Nanos,
    /// Charges of a suspension.
    pub resumed: Resumed,
    /// Charges of a step of the collector.
    pub gc: GcTimes,
}

impl Charges {
    /// Returns whether nothing is charged.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

impl ByClock<Charges> {
    /// Returns the charges of a suspension: its length by the wall clock, and the CPU time used in
    /// it by the CPU clock.
    pub fn resumed(&self) -> Resumed {
        Resumed { off_gvl: self.cpu.resumed.off_gvl, ..self.wall.resumed }
    }
}

/// An event of a thread: a call of the method of [`ThreadClock`](super::ThreadClock) with its name.
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
    /// Cpu mode: a suspension was charged with `more` than was measured: it stands for others.
    Owe {
        more: Nanos,
    },
    SettleCpu,
    /// The CPU clock is known from now on, or another one: what it showed before is not counted.
    RebaseCpu,
    Pause,
    Reopen,
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

/// An event of one thread, the readings of its clocks in nanoseconds, and the charges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The thread.
    pub thread: ThreadSeq,
    /// The clock that handles the event.
    pub clock: Clock,
    /// The event.
    pub event: Event,
    /// Reading of the wall clock.
    pub wall: Nanos,
    /// Reading of the thread's CPU clock; 0 where the event needs none.
    pub cpu: Nanos,
    /// Charges of the clock at the event.
    #[serde(default, skip_serializing_if = "Charges::is_nothing")]
    pub charged: Charges,
}
