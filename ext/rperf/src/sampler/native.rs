//! CPU time without the GVL, when native functions are asked for.
//!
//! Where the time goes is known exactly, from the clock; which function it was only from ticks, and many absences are
//! too short for one. So the time waits until a tick comes in an absence from the same stack.

use rperf_core::ids::LabelSetId;
use rperf_core::state::VmState;
use rperf_core::time::Nanos;

use super::{Sampler, StackResult, tick_ring};
use crate::threads::slot::ThreadSlot;
use crate::threads::slot_state::{AwayTime, SlotState};

/// More time than this does not wait for a tick.
const PATIENCE: Nanos = Nanos(20_000_000);

impl Sampler {
    /// The thread of `slot`, the calling one, has the GVL again: takes the instruction pointers of its absence, if
    /// that is charged now (`off_gvl`: CPU time). Short absences are charged together with later ones, and so are
    /// their ticks.
    pub(super) fn ips_without_gvl(&mut self, slot: &ThreadSlot, state: &mut SlotState, off_gvl: Nanos) {
        if let Some(waiting) = slot.away.come_back().or(state.away.take()) {
            if off_gvl > Nanos::ZERO {
                self.ips.extend(tick_ring().ips(waiting));
                tick_ring().release(waiting);
            } else {
                state.away = Some(waiting);
            }
        }
    }

    /// Charges CPU time without the GVL to the stack in `scratch`, now or when a tick has come.
    pub(super) fn charge_off_gvl(
        &mut self,
        stack: StackResult,
        state: &mut SlotState,
        labels: LabelSetId,
        off_gvl: Nanos,
    ) {
        let same = state.away_time.stack == self.scratch && state.away_time.labels == labels;
        if stack.is_err() || !same {
            self.charge_away_time(state);
        }
        let waiting = &mut state.away_time;
        let (time, count) = (waiting.time + off_gvl, waiting.count.saturating_add(1));
        if stack.is_ok() && self.ips.is_empty() && time < PATIENCE {
            waiting.stack.clone_from(&self.scratch);
            (waiting.labels, waiting.time, waiting.count) = (labels, time, count);
        } else {
            (waiting.time, waiting.count) = (Nanos::ZERO, 0);
            self.record(stack, state.seq, labels, &[(VmState::Running, time)], count);
        }
    }

    /// Charges the time that still waits, without a function.
    pub(super) fn charge_away_time(&mut self, state: &mut SlotState) {
        let AwayTime { stack, labels, time, count } = &mut state.away_time;
        let (time, count) = (std::mem::take(time), std::mem::take(count));
        self.record_at(stack, state.seq, *labels, [(VmState::Running, time, count)]);
    }
}
