//! Threads that end after few ticks: what lies between the ticks of one and of the next.

use rperf_core::accounting::Between;
use rperf_core::ids::{FrameId, LabelSetId, ThreadSeq};
use rperf_core::state::{Mode, VmState};
use rperf_core::time::Nanos;

use super::Sampler;
use crate::threads::slot_state::SlotState;
use crate::threads::task_clocks;

/// A thread with so many ticks is long enough for the time after its last one not to matter.
pub const MANY_TICKS: u64 = 20;

/// What the last tick met of a short thread that has ended, in this period: frames and labels of others may be forgotten.
#[derive(Debug)]
pub struct LastTick {
    stack: Vec<FrameId>,
    thread: ThreadSeq,
    labels: LabelSetId,
}

impl Sampler {
    /// What a tick of the thread with this state carries of threads that have ended: the time of short threads belongs to
    /// short threads. (Where each thread has a clock of its own, it was handed on when the thread began.)
    pub(super) fn time_of_ended_threads(&mut self, state: &SlotState) -> Nanos {
        if task_clocks::in_use() || state.tick_count > MANY_TICKS {
            Nanos::ZERO
        } else {
            self.carry.take_time()
        }
    }

    /// A tick met the thread with this state, `time` after the last one. Returns what its stack is charged with: of a short
    /// thread, where others have ended, half; the other half is charged to what the last tick met. (In wall mode no ticks
    /// are left out.)
    pub(super) fn share_with_last_tick(&mut self, state: &mut SlotState, time: Nanos) -> Nanos {
        if self.mode == Mode::Wall || task_clocks::in_use() || state.tick_count > MANY_TICKS {
            return time;
        }
        let Some(mut last) = self.last_tick.take() else { return time };
        let Between { earlier, later } = Between::ticks(time);
        // That sample has counted its tick.
        let charges = [(VmState::Running, earlier, 0)];
        if state.last_stack.is_empty() {
            self.record_at(&mut last.stack, last.thread, last.labels, charges);
        } else {
            self.record_at(&mut state.last_stack, state.seq, state.last_labels, charges);
        }
        self.last_tick = Some(last);
        later
    }

    /// The short thread with this state has ended: the next tick may share with its last one.
    pub(super) fn remember_last_tick(&mut self, state: &mut SlotState) {
        if !state.last_stack.is_empty() {
            let stack = std::mem::take(&mut state.last_stack);
            self.last_tick = Some(LastTick { stack, thread: state.seq, labels: state.last_labels });
        }
    }
}
