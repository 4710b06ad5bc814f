//! Charging suspensions: the time that a thread was off the GVL, to the stack that gave it up.

use rperf_core::accounting::Resumed;
use rperf_core::collect::DropCause;
use rperf_core::ids::ThreadSeq;
use rperf_core::state::VmState;
use rperf_core::time::Nanos;

use super::Sampler;
use crate::threads::live::LIVE;
use crate::threads::slot::ThreadSlot;
use crate::threads::slot_state::{Resumption, SlotState};
use crate::threads::suspensions::{Due, Rest};
use crate::vm::context::Gvl;

impl Sampler {
    /// The thread of `slot`, the calling one, has the GVL again.
    pub fn resumed(&mut self, gvl: Gvl<'_>, slot: &ThreadSlot, state: &mut SlotState, wall: Nanos) {
        let resumption = state.resume(wall);
        if self.native {
            self.ips_without_gvl(slot, state, resumption.charged.off_gvl);
        }
        self.charge_suspension(gvl, slot, state, resumption);
        self.ips.clear();
        if self.native || !self.merges {
            // Each is measured.
        } else if resumption.measured {
            slot.gvl_events.let_pass(state.suspensions.cpu.next(wall, LIVE.turns()));
        } else if state.suspensions.cpu.is_overdue(wall) {
            slot.gvl_events.let_pass(0);
        }
    }

    /// A snapshot is taken: the thread of `slot`, which is off the GVL, is charged with that up to now.
    pub fn cut(&mut self, gvl: Gvl<'_>, slot: &'static ThreadSlot, wall: Nanos) {
        let state = &mut *slot.state();
        let mut charged = state.clock.cut(wall);
        // It is measured at its end, if at all.
        state.suspensions.cpu.add_unmeasured(std::mem::take(&mut charged.off_gvl));
        self.charge_suspension(gvl, slot, state, Resumption { charged, ..Resumption::default() });
    }

    fn charge_suspension(
        &mut self,
        gvl: Gvl<'_>,
        slot: &ThreadSlot,
        state: &mut SlotState,
        Resumption { charged, long, .. }: Resumption,
    ) {
        let deferred = if self.native { charged.off_gvl } else { Nanos::ZERO };
        let rest = Resumed { off_gvl: charged.off_gvl - deferred, ..charged };
        let due = if self.merges { state.suspensions.due(rest, long) } else { Due::own(rest) };
        slot.leave_room(state);
        if due.is_nothing() && deferred == Nanos::ZERO {
            return;
        }
        let stack = self.intern_standing(gvl, slot, state);
        let labels = slot.labels();
        if self.merges && stack.is_ok() {
            if !state.suspensions.gathers_from(&self.scratch, labels) {
                self.charge_suspensions(state);
            }
            state.suspensions.gather(due, &self.scratch, labels);
        } else {
            for (vm_state, time, count) in due.charges() {
                self.record(stack, state.seq, labels, &[(vm_state, time)], count);
            }
        }
        if deferred > Nanos::ZERO {
            self.charge_off_gvl(stack, state, labels, deferred);
        }
    }

    fn charge_rest(&mut self, thread: ThreadSeq, Rest { stack, labels, charge }: Rest<'_>) {
        let (state, time, count) = charge;
        if stack.is_empty() && state == VmState::Running {
            // None was measured that used any.
            self.drops.add(DropCause::NoFrames, u64::from(count), time);
        } else {
            self.record_at(stack, thread, labels, [charge]);
        }
    }

    /// Puts what the thread has gathered into the buffer: before a snapshot, and when it ends.
    pub fn charge_gathered(&mut self, state: &mut SlotState) {
        self.charge_suspensions(state);
        for rest in state.suspensions.take_rests() {
            self.charge_rest(state.seq, rest);
        }
        self.charge_away_time(state);
    }

    fn charge_suspensions(&mut self, state: &mut SlotState) {
        let (due, labels) = state.suspensions.take();
        self.record_at(state.suspensions.stack_mut(), state.seq, labels, due.charges());
    }
}
