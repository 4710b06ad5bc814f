//! Charging suspensions: the time that a thread was off the GVL, to the stack that gave it up.

use rperf_core::accounting::Resumed;
use rperf_core::state::VmState;
use rperf_core::time::Nanos;

use super::Sampler;
use super::stacks::fingerprint;
use crate::threads::slot::{SlotState, ThreadSlot};
use crate::vm::context::Gvl;

impl Sampler {
    /// The thread of `slot`, the calling one, has the GVL again.
    pub fn resumed(&mut self, gvl: Gvl<'_>, slot: &ThreadSlot, state: &mut SlotState, wall: Nanos) {
        let resumed = state.resume(wall);
        if self.native {
            self.ips_without_gvl(slot, state, resumed.off_gvl);
        }
        self.charge_suspension(gvl, slot, state, resumed);
        self.ips.clear();
    }

    /// A snapshot is taken: the thread of `slot`, which is off the GVL, is charged with that up to now.
    pub fn cut(&mut self, gvl: Gvl<'_>, slot: &'static ThreadSlot, wall: Nanos) {
        let state = &mut *slot.state();
        let resumed = state.clock.cut(wall);
        self.charge_suspension(gvl, slot, state, resumed);
    }

    /// The thread of `slot`, the calling one, is about to give up the GVL: suspensions from here are gathered from now on.
    /// False where no stack stands.
    pub fn gather_from_here(&mut self, gvl: Gvl<'_>, slot: &ThreadSlot) -> bool {
        let state = &mut *slot.state();
        let stands = self.intern_standing(gvl, slot, state).is_ok();
        if stands {
            self.gather(slot, state);
        }
        stands
    }

    /// Suspensions from the stack in `scratch`, where the thread stands, are gathered from now on.
    fn gather(&mut self, slot: &ThreadSlot, state: &mut SlotState) {
        let labels = slot.labels();
        if state.suspensions.stack() != self.scratch || state.suspensions.labels() != labels {
            self.charge_suspensions(state);
            state.suspensions.begin(&self.scratch, labels);
        }
        slot.gathers_from(fingerprint(slot));
    }

    fn charge_suspension(
        &mut self,
        gvl: Gvl<'_>,
        slot: &ThreadSlot,
        state: &mut SlotState,
        resumed: Resumed,
    ) {
        if resumed == Resumed::default() {
            return;
        }
        let stack = self.intern_standing(gvl, slot, state);
        let labels = slot.labels();
        let deferred = if self.native { resumed.off_gvl } else { Nanos::ZERO };
        let rest = Resumed { off_gvl: resumed.off_gvl - deferred, ..resumed };
        if self.merges && stack.is_ok() {
            self.gather(slot, state);
            state.suspensions.add(rest);
        } else {
            let charges = [
                (VmState::GvlBlocked, rest.blocked),
                (VmState::GvlWait, rest.waited),
                (VmState::Running, rest.off_gvl),
            ];
            self.record(stack, state.seq, labels, &charges, 1);
        }
        if deferred > Nanos::ZERO {
            self.charge_off_gvl(stack, state, labels, deferred);
        }
    }

    /// Puts what the thread has gathered into the buffer: before a snapshot, and when it ends.
    pub fn charge_gathered(&mut self, state: &mut SlotState) {
        self.charge_suspensions(state);
        self.charge_away_time(state);
    }

    fn charge_suspensions(&mut self, state: &mut SlotState) {
        let (charges, labels) = state.suspensions.take();
        self.record_at(state.suspensions.stack_mut(), state.seq, labels, charges);
    }
}
