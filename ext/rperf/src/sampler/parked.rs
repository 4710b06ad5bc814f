//! Threads that are profiled in parts: what a part leaves open.

use rperf_core::accounting::{Closing, Rest};
use rperf_core::state::VmState;
use rperf_core::time::Nanos;

use super::{MANY_TICKS, Sampler};
use crate::threads::slot::ThreadSlot;
use crate::threads::slot_state::SlotState;
use crate::vm::context::Gvl;

impl Sampler {
    /// The thread of `slot`, the calling one, is not profiled any more for a while. Its time since the last tick waits
    /// for the next one.
    pub fn pause(&mut self, gvl: Gvl<'_>, slot: &'static ThreadSlot, wall: Nanos, cpu: Nanos) {
        self.drain(gvl, slot);
        let state = &mut *slot.state();
        self.release_ticks(slot, state);
        self.charge_gathered(state);
        let Closing { running, resumed, gc } = state.clock.close(wall, cpu);
        state.inherited += running + resumed.off_gvl;
        state.last_labels = slot.labels();
        self.charge_gc(gvl, slot, state, gc);
        // Too short for a tick: if none comes later either, this is the place.
        if state.tick_count == 0 && self.intern_standing(gvl, slot, state).is_ok() {
            state.last_stack.clone_from(&self.scratch);
        }
    }

    /// The thread of `slot` ends, or the session does, while it is not profiled: the time that waits goes where that of
    /// others goes that end. See [`exited`](Self::exited).
    pub fn exited_parked(&mut self, slot: &'static ThreadSlot) {
        let state = &mut *slot.state();
        if state.tick_count >= MANY_TICKS {
            self.charge_last_stack(state);
        } else {
            self.carry.leave(Rest { time: std::mem::take(&mut state.inherited), period: state.period_left });
        }
    }

    /// Charges the time that waits to the last stack, with its labels.
    pub(super) fn charge_last_stack(&mut self, state: &mut SlotState) {
        let time = std::mem::take(&mut state.inherited);
        let charges = [(VmState::Running, time, 1)];
        self.record_at(&mut state.last_stack, state.seq, state.last_labels, charges);
    }
}
