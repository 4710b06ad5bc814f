//! A trace: the events of a session, line by line. `RPERF_TRACE` writes it as JSON, and a test
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
    /// A session begins.
    Begin {
        /// Id of the process.
        pid: u32,
        /// Clocks that weigh.
        clocks: Vec<Clock>,
        /// Name of the engine.
        engine: String,
        /// Mean time between ticks, in nanoseconds.
        period: u64,
    },
    /// A tick of the poll engine.
    Tick {
        /// Moment at which it was due.
        due: Nanos,
        /// Moment at which it came.
        now: Nanos,
        /// Time that it stands for.
        span: Nanos,
        /// The threads that run with a GVL.
        met: Vec<ThreadSeq>,
    },
    /// A thread's clock handles an event.
    Step(Step),
    /// A stack is charged.
    Charge {
        /// The thread.
        thread: ThreadSeq,
        /// Number of the stack.
        stack: u32,
        /// Number of the label set.
        labels: u32,
        /// The clock.
        clock: Clock,
        /// State of the thread.
        state: VmState,
        /// Weight of the charge.
        weight: Nanos,
    },
    /// Time is lost.
    Drop {
        /// Cause, as users see it.
        cause: String,
        /// The time that is lost.
        weight: Nanos,
    },
}

impl TraceLine {
    /// Creates the line for time that is lost for this cause.
    pub fn lost(cause: DropCause, weight: Nanos) -> Self {
        Self::Drop { cause: cause.name().to_owned(), weight }
    }
}
