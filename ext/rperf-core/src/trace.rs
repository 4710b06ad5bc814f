//! A trace: what happened in a session, line by line. `RPERF_TRACE` writes it as JSON, and a test
//! replays it.

use serde::{Deserialize, Serialize};

use crate::accounting::Step;
use crate::collect::DropCause;
use crate::ids::ThreadSeq;
use crate::state::{Clock, VmState};
use crate::time::Nanos;

/// A line of a trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TraceLine {
    /// A session begins, in this process, with so many nanoseconds between ticks.
    Begin {
        /// The process.
        pid: u32,
        /// Which clocks weigh.
        clocks: Vec<Clock>,
        /// The engine's name.
        engine: String,
        /// Nanoseconds.
        period: u64,
    },
    /// A tick of the poll engine.
    Tick {
        /// When it was due.
        due: Nanos,
        /// When it came.
        now: Nanos,
        /// What it stands for.
        span: Nanos,
        /// The threads that run with a GVL.
        met: Vec<ThreadSeq>,
    },
    /// A thread's clock is told of an event.
    Step(Step),
    /// A stack is charged.
    Charge {
        /// The thread.
        thread: ThreadSeq,
        /// The number of the stack.
        stack: u32,
        /// The number of the label set.
        labels: u32,
        /// By which clock.
        clock: Clock,
        /// What the thread did.
        state: VmState,
        /// With so much.
        weight: Nanos,
    },
    /// Time is lost.
    Drop {
        /// Why, as users see it.
        cause: String,
        /// How much.
        weight: Nanos,
    },
}

impl TraceLine {
    /// Time is lost, for this cause.
    pub fn lost(cause: DropCause, weight: Nanos) -> Self {
        Self::Drop { cause: cause.name().to_owned(), weight }
    }
}
