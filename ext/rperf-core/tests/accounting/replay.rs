//! Events for a [`ThreadClock`] with their readings, and the sums of what it charges.

use rperf_core::accounting::{Closing, GcPhase, GcTimes, Resumed, ThreadClock};
use rperf_core::time::Nanos;

/// What can happen to a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    Tick {
        covers: u64,
    },
    Suspend,
    Ready,
    /// `read`: whether the CPU clock is read.
    Resume {
        read: bool,
    },
    /// Suspensions that are over came to so much.
    WasOffGvl {
        time: u64,
    },
    Cut,
    SettleCpu,
    GcEnter(GcPhase),
    GcPhase(GcPhase),
    GcExit {
        at_least: u64,
    },
}

/// An event and the readings of the clocks at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    pub event: Event,
    pub wall: u64,
    pub cpu: u64,
}

/// What was charged in all, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Charged {
    pub ticks: u64,
    pub blocked: u64,
    pub waited: u64,
    pub off_gvl: u64,
    pub mark: u64,
    pub sweep: u64,
    /// What was open at the end and ran.
    pub end: u64,
}

impl Charged {
    /// Everything.
    pub fn sum(&self) -> u64 {
        self.ran() + self.blocked + self.waited + self.mark + self.sweep
    }

    /// What code ran, with the GVL or without.
    pub fn ran(&self) -> u64 {
        self.ticks + self.end + self.off_gvl
    }

    fn resumed(&mut self, resumed: Resumed) {
        self.blocked += resumed.blocked.0;
        self.waited += resumed.waited.0;
        self.off_gvl += resumed.off_gvl.0;
    }

    fn collected(&mut self, times: GcTimes) {
        self.mark += times.mark.0;
        self.sweep += times.sweep.0;
    }
}

/// Feeds the steps, and closes with the readings given.
pub fn replay(mut clock: ThreadClock, steps: &[Step], end_wall: u64, end_cpu: u64) -> Charged {
    let mut charged = Charged::default();
    for step in steps {
        feed(&mut clock, step, &mut charged);
    }
    let Closing { running, resumed, gc } = clock.close(Nanos(end_wall), Nanos(end_cpu));
    charged.end += running.0;
    charged.resumed(resumed);
    charged.collected(gc);
    // Closed for good: nothing is charged twice.
    assert_eq!(clock.close(Nanos(end_wall + 5), Nanos(end_cpu + 5)), Closing::default());
    charged
}

fn feed(clock: &mut ThreadClock, step: &Step, charged: &mut Charged) {
    let (wall, cpu) = (Nanos(step.wall), Nanos(step.cpu));
    match step.event {
        Event::Tick { covers } => charged.ticks += clock.tick(wall, cpu, Nanos(covers)).0,
        Event::Suspend => clock.suspend(wall),
        Event::Ready => clock.ready(wall),
        Event::Resume { read } => charged.resumed(clock.resume(wall, read.then_some(cpu))),
        Event::WasOffGvl { time } => charged.blocked += clock.was_off_gvl(Nanos(time), wall).0,
        Event::Cut => charged.resumed(clock.cut(wall)),
        Event::SettleCpu => clock.settle_cpu(wall, cpu),
        Event::GcEnter(phase) => clock.gc_enter(wall, cpu, phase),
        Event::GcPhase(phase) => clock.gc_phase(wall, cpu, phase),
        Event::GcExit { at_least } => charged.collected(clock.gc_exit(wall, cpu, Nanos(at_least))),
    }
}
