//! What ticks weigh, and threads that end after few ticks: what lies between the ticks of one and
//! of the next.

use rperf_core::accounting::{Between, Event, EventSink};
use rperf_core::collect::{Labelling, StackTable};
use rperf_core::ids::{StackId, ThreadSeq};
use rperf_core::state::{Clock, VmState};
use rperf_core::time::Nanos;

use super::Sampler;
use crate::threads::accounts::ThreadAccounts;

/// A thread with so many ticks is long enough for the time after its last one not to matter.
pub const MANY_TICKS: u64 = 20;

/// What the last tick met of a short thread that has ended, in this period.
#[derive(Clone, Copy, Debug)]
pub struct LastTick {
    stack: StackId,
    thread: ThreadSeq,
    labels: Labelling,
}

impl Sampler {
    /// What a tick of the thread with these accounts weighs.
    pub(super) fn weigh(
        &mut self,
        accounts: &mut ThreadAccounts,
        [wall, cpu]: [Nanos; 2],
        covers: Nanos,
    ) -> Nanos {
        let is_short = accounts.tick_count <= MANY_TICKS;
        // The time of short threads belongs to short threads; and where there are few ticks nothing
        // is held back, since other threads go on with what is left.
        let ended = if is_short { self.carry.take() } else { Nanos::ZERO };
        let covers = if is_short { Nanos::ZERO } else { covers };
        let own = accounts.happen(Event::Tick { covers }, wall, cpu).running;
        let time = own + ended + std::mem::take(&mut accounts.inherited);
        if is_short { self.share_with_last_tick(accounts, time, wall) } else { time }
    }

    /// A tick met the short thread with these accounts, `time` after the last one. Returns what its
    /// stack is charged with: where others have ended, half; the other half is charged to what the
    /// last tick met. (In wall mode no ticks are left out.)
    fn share_with_last_tick(&mut self, accounts: &mut ThreadAccounts, time: Nanos, wall: Nanos) -> Nanos {
        if self.clock == Some(Clock::Wall) {
            return time;
        }
        let Some(last) = self.last_tick else { return time };
        let Between { earlier, later } = Between::ticks(time);
        let LastTick { stack, thread, labels } = match accounts.last_stack {
            StackTable::EMPTY => last,
            stack => LastTick { stack, thread: accounts.seq, labels: accounts.last_labels },
        };
        // That sample has counted its tick.
        self.charge(Ok(stack), thread, labels, [(VmState::Running, earlier, 0)], wall);
        later
    }

    /// The labels that the next tick may charge, beside those of its own thread.
    pub fn last_labels(&self) -> Option<Labelling> {
        self.last_tick.map(|last| last.labels)
    }

    /// The short thread with these accounts has ended: the next tick may share with its last one.
    pub(super) fn remember_last_tick(&mut self, accounts: &ThreadAccounts) {
        if accounts.last_stack != StackTable::EMPTY {
            let (stack, labels) = (accounts.last_stack, accounts.last_labels);
            self.last_tick = Some(LastTick { stack, thread: accounts.seq, labels });
        }
    }
}
