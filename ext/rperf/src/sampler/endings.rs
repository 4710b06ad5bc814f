//! The ends of threads, of blocks of `Rperf.profile`, and of sessions: what is open is charged.

use rperf_core::accounting::{Charges, Event, EventSink};
use rperf_core::collect::{DropCause, StackTable};
use rperf_core::state::VmState;
use rperf_core::time::Nanos;

use super::Sampler;
use super::short_threads::MANY_TICKS;
use crate::os::clock::{self, CpuClock};
use crate::threads::accounts::ThreadAccounts;
use crate::threads::record::ThreadRecord;
use crate::vm::context::Gvl;

/// What is charged with the time that is open when the session ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClosingStack {
    /// The stack as it stands: the thread lives, and is the calling one or off the GVL.
    Standing,
    /// That of the thread's last sample, or the standing one where there is none.
    LastSample,
    /// None is known.
    Unknown,
}

impl Sampler {
    /// The session ends: the time of short threads that no tick has taken is lost.
    pub fn drop_rests(&mut self) {
        let count = self.carry.len();
        let time = self.carry.take();
        if time > Nanos::ZERO {
            self.lose(DropCause::ThreadEnded, count, time);
        }
    }

    /// The thread of `record`, the calling one, ends. The time since its last tick goes on to the
    /// next tick; after many ticks the difference is small, and it is charged to the last stack.
    pub fn exited(&mut self, record: &'static ThreadRecord) {
        let (wall, cpu) = (clock::monotonic(), clock::thread_cpu());
        self.remember(record);
        if self.clock.is_none() {
            return;
        }
        let accounts = &mut *record.accounts();
        if record.is_parked() {
            return self.exited_parked(accounts, wall);
        }
        self.charge_rests(accounts);
        let Charges { running, resumed, gc } = accounts.happen(Event::Close, wall, cpu);
        let time = running + std::mem::take(&mut accounts.inherited);
        let exact = [
            (VmState::GvlBlocked, resumed.blocked, 1),
            (VmState::GvlWait, resumed.waited, 1),
            (VmState::GcMark, gc.mark, 1),
            (VmState::GcSweep, gc.sweep, 1),
        ];
        let (stack, seq, labels) = (Ok(accounts.last_stack), accounts.seq, accounts.last_labels);
        self.charge(stack, seq, labels, exact, wall);
        self.charge(Err(DropCause::NoFrames), seq, labels, [(VmState::Running, resumed.off_gvl, 1)], wall);
        if accounts.tick_count >= MANY_TICKS {
            // That sample has counted its tick.
            self.charge(stack, seq, labels, [(VmState::Running, time, 0)], wall);
        } else {
            self.carry.leave(time);
            self.remember_last_tick(accounts);
        }
    }

    /// The thread with these accounts ends while it is not profiled: the time that waits goes where
    /// that of other threads goes that end.
    fn exited_parked(&mut self, accounts: &mut ThreadAccounts, wall: Nanos) {
        if accounts.tick_count >= MANY_TICKS {
            self.charge_last_stack(accounts, wall);
        } else {
            self.carry.leave(std::mem::take(&mut accounts.inherited));
        }
    }

    /// The thread of `record`, the calling one, is not profiled any more for a while. Its time
    /// since the last tick waits for the next one.
    pub fn pause(&mut self, gvl: Gvl<'_>, record: &'static ThreadRecord, wall: Nanos, cpu: Nanos) {
        if self.clock.is_none() {
            return;
        }
        let accounts = &mut *record.accounts();
        self.charge_rests(accounts);
        let Charges { running, resumed, gc } = accounts.happen(Event::Close, wall, cpu);
        accounts.inherited += running + resumed.off_gvl;
        accounts.last_labels = record.labels();
        self.charge_gc(gvl, record, accounts, gc, wall);
        // Too short for a tick: if none comes later either, this is the place.
        if accounts.tick_count == 0
            && let Ok(stack) = self.intern_standing(gvl, record, accounts)
        {
            accounts.last_stack = stack;
        }
    }

    /// Charges the time that waits to the last stack, with its labels.
    fn charge_last_stack(&mut self, accounts: &mut ThreadAccounts, wall: Nanos) {
        let time = std::mem::take(&mut accounts.inherited);
        let (stack, labels) = (Ok(accounts.last_stack), accounts.last_labels);
        self.charge(stack, accounts.seq, labels, [(VmState::Running, time, 0)], wall);
    }

    /// The session ends: charges what is open.
    pub fn close(
        &mut self,
        gvl: Gvl<'_>,
        record: &'static ThreadRecord,
        stack: ClosingStack,
        wall: Nanos,
        cpu: Option<Nanos>,
    ) {
        if self.clock.is_none() {
            return;
        }
        let accounts = &mut *record.accounts();
        if record.is_parked() {
            return self.charge_last_stack(accounts, wall);
        }
        let others_run = accounts.shares_native && accounts.is_suspended();
        let own_clock = accounts.cpu_clock.filter(|_| !others_run);
        let cpu = cpu.or_else(|| own_clock.and_then(CpuClock::read)).unwrap_or_default();
        self.charge_rests(accounts);
        let Charges { running, resumed, gc } = accounts.happen(Event::Close, wall, cpu);
        let running = running + resumed.off_gvl + std::mem::take(&mut accounts.inherited);
        let is_sampled = accounts.last_stack != StackTable::EMPTY;
        let (stack, labels) = match stack {
            ClosingStack::LastSample if is_sampled => (Ok(accounts.last_stack), accounts.last_labels),
            ClosingStack::Unknown => (Err(DropCause::NoFrames), record.labels()),
            ClosingStack::Standing | ClosingStack::LastSample => {
                (self.intern_standing(gvl, record, accounts), record.labels())
            }
        };
        let charges = [
            (VmState::Running, running, 0),
            (VmState::GvlBlocked, resumed.blocked, 1),
            (VmState::GvlWait, resumed.waited, 1),
            (VmState::GcMark, gc.mark, 1),
            (VmState::GcSweep, gc.sweep, 1),
        ];
        self.charge(stack, accounts.seq, labels, charges, wall);
    }
}
