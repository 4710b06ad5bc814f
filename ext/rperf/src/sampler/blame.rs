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
        let stack = self.intern_synthetic(RawFrame::NO_HOLDER);
        let charge = (VmState::Running, Time { caused, ..Time::default() });
        if let Some(times) = &mut self.times.wall {
            times.charge(stack, ThreadSeq(0), Labelling::default(), [charge], moment);
        }
    }
}

/// The same charges, with what each has of the waiting that both caused together: all of that is
/// charged by the wall clock.
pub fn shared(clock: Clock, caused: Nanos, charges: [(VmState, Time); 2]) -> [(VmState, Time); 2] {
    if clock == Clock::Cpu {
        return charges;
    }
    let caused = accounting::divide(caused, charges.map(|(_, time)| time.weight));
    std::array::from_fn(|part| (charges[part].0, Time { caused: caused[part], ..charges[part].1 }))
}
