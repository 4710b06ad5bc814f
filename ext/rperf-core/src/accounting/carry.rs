//! Time that a short thread ran after its last tick, handed on with what was left of its period.
//!
//! A thread that lives less than a period often ends without a tick. Dropping its time would make short
//! threads vanish; charging it to whatever came last would make them lie; and a fresh period in each
//! thread would favour what threads do late. So the next thread goes on where this one ended: its first
//! tick comes when the period is over, and carries the time of both. Seen over many threads the ticks are
//! those of one thread that did all the work in a row.

use crate::time::Nanos;

/// What a thread leaves behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rest {
    /// The time that no tick has been charged with.
    pub time: Nanos,
    /// What was left of the period, in nanoseconds; `None` where no clock of its own ticked the thread.
    pub period: Option<u64>,
}

/// The time between two ticks that no single thread ran: half of it belongs to what each of them met.
///
/// Given to the later one alone it would favour what threads do early, or late: where all ticks that come while a thread runs
/// are left out (a processor was missing), the thread's time would go to the beginning of the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Between {
    /// What belongs to the tick that came first.
    pub earlier: Nanos,
    /// What belongs to the other.
    pub later: Nanos,
}

impl Between {
    /// Two ticks with so much time between them.
    pub fn ticks(time: Nanos) -> Self {
        let earlier = Nanos(time.0 / 2);
        Self { earlier, later: time - earlier }
    }
}

/// The rests of threads that have ended.
#[derive(Debug, Default)]
pub struct Carry {
    rests: Vec<Rest>,
}

impl Carry {
    /// Leaves the rest of a thread that ended.
    pub fn leave(&mut self, rest: Rest) {
        self.rests.push(rest);
    }

    /// Takes the rest of one thread, for the next that begins.
    pub fn take(&mut self) -> Option<Rest> {
        self.rests.pop()
    }

    /// Takes the time of all rests: where one clock ticks all threads, it belongs to the next tick.
    pub fn take_time(&mut self) -> Nanos {
        self.rests.drain(..).map(|rest| rest.time).sum()
    }

    /// How many rests wait.
    pub fn len(&self) -> usize {
        self.rests.len()
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.rests.is_empty()
    }
}
