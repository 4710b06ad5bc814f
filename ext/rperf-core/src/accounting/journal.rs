//! What a thread's clock is told, as data, and what it charges then: `RPERF_TRACE` writes it, and a
//! test replays it.

use serde::{Deserialize, Serialize};

use super::charges::{Charges, GcPhase};
use super::thread_clock::ThreadClock;
use crate::ids::ThreadSeq;
use crate::state::Clock;
use crate::time::Nanos;

/// An event of a thread: the method of [`ThreadClock`] with this name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the methods have them")]
pub enum Event {
    /// The thread is seen for the first time, or its time counts from here on.
    Begin {
        suspended: bool,
    },
    Tick {
        covers: Nanos,
    },
    Slept {
        covers: Nanos,
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

/// What is told of a thread's suspensions: its clock, or the accounts that have one or two.
pub trait EventSink {
    /// An event for which no CPU clock is read. Returns the time off the GVL that is charged.
    fn tell(&mut self, event: Event, wall: Nanos) -> Nanos;
    /// Whether the thread is off the GVL, as far as its clock was told.
    fn is_suspended(&self) -> bool;
}

impl EventSink for ThreadClock {
    fn tell(&mut self, event: Event, wall: Nanos) -> Nanos {
        self.happen(event, wall, Nanos::ZERO).resumed.blocked
    }

    fn is_suspended(&self) -> bool {
        self.is_suspended()
    }
}

impl ThreadClock {
    /// An event happened. Returns what is charged.
    pub fn happen(&mut self, event: Event, wall: Nanos, cpu: Nanos) -> Charges {
        match event {
            Event::Tick { covers } => return Charges::running(self.tick(wall, cpu, covers)),
            Event::Begin { suspended } => self.begin(suspended, wall, cpu),
            Event::Slept { covers } => self.slept(wall, cpu, covers),
            Event::Owe { more } => self.owe(more),
            Event::SettleCpu => self.settle_cpu(wall, cpu),
            Event::RebaseCpu => self.rebase_cpu(cpu),
            Event::Reopen { waiting } => self.reopen(wall, cpu, waiting),
            Event::Suspend => self.suspend(wall),
            Event::Ready => self.ready(wall),
            Event::Resume { read } => return Charges::resumed(self.resume(wall, read.then_some(cpu))),
            Event::WasOffGvl { time } => return Charges::blocked(self.was_off_gvl(time, wall)),
            Event::Cut => return Charges::resumed(self.cut(wall)),
            Event::GcEnter(phase) => self.gc_enter(wall, cpu, phase),
            Event::GcPhase(phase) => self.gc_phase(wall, cpu, phase),
            Event::GcExit { at_least } => return Charges::collected(self.gc_exit(wall, cpu, at_least)),
            Event::Close => return self.close(wall, cpu),
        }
        Charges::default()
    }
}
