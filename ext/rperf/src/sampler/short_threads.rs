//! What ticks weigh, and threads that end after few ticks: what lies between the ticks of one and
//! of the next.

use rperf_core::accounting::{Carry, Event, between};
use rperf_core::collect::{Labelling, StackTable, Time};
use rperf_core::ids::{StackId, ThreadSeq};
use rperf_core::state::{Clock, VmState};
use rperf_core::time::Nanos;

use super::{Sampler, Tick};
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
    /// What a tick of the thread with these accounts weighs by this clock.
    pub(super) fn weigh(&mut self, clock: Clock, accounts: &mut ThreadAccounts, tick: Tick) -> Nanos {
        let is_short = accounts.tick_count <= MANY_TICKS;
        // The time of short threads belongs to short threads; and where there are few ticks nothing
        // is held back, since other threads go on with what is left.
        let carry = self.times[clock].as_mut().map(|times| &mut times.carry).filter(|_| is_short);
        let ended = carry.map_or(Nanos::ZERO, Carry::take);
        let covers = if is_short { Nanos::ZERO } else { tick.covers };
        let own = accounts.happen_on(clock, Event::Tick { covers }, tick.wall, tick.cpu).running;
        let time = own + ended + std::mem::take(&mut accounts.inherited[clock]);
        match clock {
            Clock::Cpu if is_short => self.share_with_last_tick(accounts, time, tick.wall),
            // By the wall clock no ticks are left out.
            _ => time,
        }
    }

    /// A tick met the short thread with these accounts, `time` after the last one. Returns what its
    /// stack is charged with: where others have ended, half; the other half is charged to what the
    /// last tick met.
    fn share_with_last_tick(&mut self, accounts: &mut ThreadAccounts, time: Nanos, wall: Nanos) -> Nanos {
        let Some(last) = self.last_tick else { return time };
        let [earlier, later] = between(time);
        let LastTick { stack, thread, labels } = match accounts.last_stack {
            StackTable::EMPTY => last,
            stack => LastTick { stack, thread: accounts.seq, labels: accounts.last_labels },
        };
        // That sample has counted its tick.
        self.charge(Clock::Cpu, Ok(stack), thread, labels, [(VmState::Running, Time::new(earlier, 0))], wall);
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
