//! The clocks of one thread: that of each mode that the session samples.

use super::charges::{Charges, Resumed};
use super::journal::Event;
use super::thread_clock::ThreadClock;
use crate::state::{ByClock, Clock};
use crate::time::Nanos;

/// One clock, or two that are told the same events; none where no time is sampled.
#[derive(Clone, Debug, Default)]
pub struct ThreadClocks(ByClock<Option<ThreadClock>>);

impl ThreadClocks {
    /// Those of `clocks`, of a thread that runs with the GVL now.
    pub fn running(clocks: ByClock<bool>, wall: Nanos, cpu: Nanos) -> Self {
        let clock = |clock| ThreadClock::running(clock, wall, cpu);
        Self(ByClock::new(|which| clocks[which].then(|| clock(which))))
    }

    /// An event happened, of which this clock is told, with readings of the wall clock and of the
    /// thread's CPU clock (0 where the event needs none). Returns what it charges; `None` where
    /// there is no such clock.
    pub fn happen_on(&mut self, clock: Clock, event: Event, wall: Nanos, cpu: Nanos) -> Option<Charges> {
        self.0[clock].as_mut().map(|clock| clock.happen(event, wall, cpu))
    }

    /// The CPU clock.
    pub fn cpu(&self) -> Option<&ThreadClock> {
        self.0.cpu.as_ref()
    }

    /// The wall clock.
    pub fn wall(&self) -> Option<&ThreadClock> {
        self.0.wall.as_ref()
    }

    /// The same, to be told something.
    pub fn wall_mut(&mut self) -> Option<&mut ThreadClock> {
        self.0.wall.as_mut()
    }

    /// Whether the thread is off the GVL, as far as the events tell: all clocks were told the same.
    pub fn is_suspended(&self) -> bool {
        self.0.iter().flatten().any(ThreadClock::is_suspended)
    }
}

impl ByClock<Charges> {
    /// What a suspension is charged with: its length by the wall clock, what was computed in it by
    /// the CPU clock.
    pub fn resumed(&self) -> Resumed {
        Resumed { off_gvl: self.cpu.resumed.off_gvl, ..self.wall.resumed }
    }
}
