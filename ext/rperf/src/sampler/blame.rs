//! Blame: the time for which threads waited for the GVL, charged to the stack of the GVL's holder.

use rperf_core::accounting;
use rperf_core::collect::{Labelling, RawFrame, Time};
use rperf_core::ids::ThreadSeq;
use rperf_core::state::{Clock, VmState};
use rperf_core::time::Nanos;

use super::Sampler;
use crate::threads::accounts::Place;

impl Sampler {
    /// Charges the time for which threads waited up to `moment` while no thread that is profiled
    /// had the GVL. For the most part, the next holder was on its way.
    pub fn blame_no_thread(&mut self, caused: Nanos, moment: Nanos) {
        let stack = self.intern_synthetic(RawFrame::NO_HOLDER);
        let place = Place { stack, thread: ThreadSeq(0), labels: Labelling::default(), moment };
        self.charge(Clock::Wall, place, [(VmState::Running, Time { caused, ..Time::default() })]);
    }
}

/// Returns the charges with their shares of `caused`, the time for which other threads waited
/// during both together. Only the wall clock charges waiting.
pub fn shared(clock: Clock, caused: Nanos, charges: [(VmState, Time); 2]) -> [(VmState, Time); 2] {
    if clock == Clock::Cpu {
        return charges;
    }
    let caused = accounting::divide(caused, charges.map(|(_, time)| time.weight));
    std::array::from_fn(|part| (charges[part].0, Time { caused: caused[part], ..charges[part].1 }))
}
