//! Events for a [`ThreadClock`] with their readings, and the sums of what it charges.

use rperf_core::accounting::{Charges, Event, GcTimes, Resumed, ThreadClock};
use rperf_core::time::Nanos;

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
    let Charges { running, resumed, gc } = clock.close(Nanos(end_wall), Nanos(end_cpu));
    charged.end += running.0;
    charged.resumed(resumed);
    charged.collected(gc);
    // Closed for good: nothing is charged twice.
    assert_eq!(clock.close(Nanos(end_wall + 5), Nanos(end_cpu + 5)), Charges::default());
    charged
}

fn feed(clock: &mut ThreadClock, step: &Step, charged: &mut Charged) {
    let Charges { running, resumed, gc } = clock.happen(step.event, Nanos(step.wall), Nanos(step.cpu));
    charged.ticks += running.0;
    charged.resumed(resumed);
    charged.collected(gc);
}
