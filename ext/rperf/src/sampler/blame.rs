//! Blame: how long threads waited for the GVL, charged to what the thread did that had it.

use rperf_core::accounting;
use rperf_core::collect::{Labelling, RawFrame, Time};
use rperf_core::ids::ThreadSeq;
use rperf_core::state::{Clock, VmState};
use rperf_core::time::Nanos;

use super::Sampler;

impl Sampler {
    /// Threads have waited for so long up to `moment`, and no thread had the GVL that is profiled:
    /// the next one was on its way, for the most part.
    pub fn blame_no_thread(&mut self, caused: Nanos, moment: Nanos) {
        let stack = self.intern_raw([RawFrame::NO_HOLDER]);
        let charge = (VmState::Running, Time { caused, ..Time::default() });
        if let Some(times) = &mut self.times.wall {
            times.charge_all(stack, ThreadSeq(0), Labelling::default(), [charge], moment);
        }
    }
}

/// What of this waiting is charged by a clock: all of it by that of the wall.
pub fn by(clock: Clock, caused: Nanos) -> Nanos {
    if clock == Clock::Wall { caused } else { Nanos::ZERO }
}

/// The same charges, with what each has of the waiting that both caused together.
pub fn shared(caused: Nanos, charges: [(VmState, Nanos, u32); 2]) -> [(VmState, Time); 2] {
    let caused = accounting::divide(caused, charges.map(|(_, weight, _)| weight));
    std::array::from_fn(|part| {
        let (state, weight, count) = charges[part];
        (state, Time { weight, caused: caused[part], count: u64::from(count) })
    })
}
