//! The ends of threads, of `Rperf.profile` blocks, and of sessions: open time is charged.

use rperf_core::accounting::{Charges, Event};
use rperf_core::collect::{DropCause, StackTable, Time};
use rperf_core::state::{Clock, VmState};
use rperf_core::time::Nanos;

use super::Sampler;
use super::times::{LastTick, MANY_TICKS, Times};
use crate::os::clock::{self, CpuClock};
use crate::threads::accounts::ThreadAccounts;
use crate::threads::record::ThreadRecord;
use crate::vm::context::Gvl;

/// The stack that is charged with the open time of a thread when the session ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClosingStack {
    /// The thread's current stack: the thread lives, and is the calling one or off the GVL.
    Standing,
    /// The stack of the thread's last sample, or the current one where there is no sample.
    LastSample,
    /// No stack is known.
    Unknown,
}

impl Sampler {
    /// Charges the placed time when a period ends: see [`Times::charge_placed`].
    pub fn charge_placed(&mut self) {
        self.times.iter_mut().flatten().for_each(Times::charge_placed);
    }

    /// Counts the unplaced time as lost when the session ends: see [`Times::drop_unplaced`].
    pub fn drop_unplaced(&mut self) {
        self.times.iter_mut().flatten().for_each(Times::drop_unplaced);
    }

    /// Charges the thread of `record`, the calling one, which ends. By the wall clock it ended at
    /// `ended`, when it last gave up the GVL. The time since its last tick goes to the next tick of
    /// a short thread; after many ticks it goes to the last stack, since the difference is small.
    pub fn exited(&mut self, record: &'static ThreadRecord, ended: Nanos) {
        let (wall, cpu) = (clock::monotonic(), clock::thread_cpu());
        self.remember(record);
        if !self.is_timed() {
            return;
        }
        let accounts = &mut *record.accounts();
        if record.is_parked() {
            return self.exited_parked(accounts, wall);
        }
        self.charge_rests(accounts);
        let has_many_ticks = accounts.tick_count >= MANY_TICKS;
        let (stack, seq, labels) = (Ok(accounts.last_stack), accounts.seq, accounts.last_labels);
        let (inherited, place) = (std::mem::take(&mut accounts.inherited), LastTick::of(accounts));
        for (clock, moment) in [(Clock::Cpu, wall), (Clock::Wall, ended)] {
            let charged = accounts.happen_on(clock, Event::Close, moment, cpu);
            let Some(times) = &mut self.times[clock] else { continue };
            let off_gvl = charged.resumed.off_gvl;
            times.charge(stack, seq, labels, exact(charged), moment);
            // The thread's last frame has ended, so its stack is empty.
            times.charge(Ok(StackTable::EMPTY), seq, labels, [running(off_gvl, 0)], moment);
            let time = charged.running + inherited[clock];
            if has_many_ticks {
                // The count is 0: the sample of the last tick has counted that tick.
                times.charge(stack, seq, labels, [running(time, 0)], moment);
            } else {
                times.remainder.leave(time, place.map(|place| (place, moment)));
            }
        }
        if !has_many_ticks {
            self.last_tick = place.or(self.last_tick);
        }
    }

    /// Passes on the time of a thread that ends while it is not profiled: its time that waits for a
    /// tick goes where the time of other ending threads goes.
    fn exited_parked(&mut self, accounts: &mut ThreadAccounts, wall: Nanos) {
        if accounts.tick_count >= MANY_TICKS {
            self.charge_last_stack(accounts, wall);
            return;
        }
        let place = LastTick::of(accounts);
        for (clock, time) in std::mem::take(&mut accounts.inherited).into_pairs() {
            if let Some(times) = &mut self.times[clock] {
                times.remainder.leave(time, place.map(|place| (place, wall)));
            }
        }
    }

    /// Charges the thread of `record`, the calling one, which is not profiled any more for a while.
    /// Its time since the last tick waits for its next tick.
    pub fn pause(&mut self, gvl: Gvl<'_>, record: &'static ThreadRecord, wall: Nanos, cpu: Nanos) {
        if !self.is_timed() {
            return;
        }
        let accounts = &mut *record.accounts();
        self.charge_rests(accounts);
        let charged = accounts.happen(Event::Close, wall, cpu);
        for (clock, Charges { running, resumed, .. }) in charged.into_pairs() {
            accounts.inherited[clock] += running + resumed.off_gvl;
        }
        accounts.last_labels = record.labels();
        self.charge_gc(gvl, record, accounts, charged.map(|charged| charged.gc), wall);
        // No tick has met the thread. If none does later, its time is charged to this stack.
        if accounts.tick_count == 0
            && let Ok(stack) = self.intern_standing(gvl, record)
        {
            accounts.last_stack = stack;
        }
    }

    /// Charges the time that waits for a tick to the last stack, with its labels.
    fn charge_last_stack(&mut self, accounts: &mut ThreadAccounts, wall: Nanos) {
        let (stack, labels) = (Ok(accounts.last_stack), accounts.last_labels);
        for (clock, time) in std::mem::take(&mut accounts.inherited).into_pairs() {
            self.charge(clock, stack, accounts.seq, labels, [running(time, 0)], wall);
        }
    }

    /// Charges the open time of a thread when the session ends.
    pub fn close(
        &mut self,
        gvl: Gvl<'_>,
        record: &'static ThreadRecord,
        stack: ClosingStack,
        wall: Nanos,
        cpu: Option<Nanos>,
    ) {
        if !self.is_timed() {
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
        let charged = accounts.happen(Event::Close, wall, cpu);
        let inherited = std::mem::take(&mut accounts.inherited);
        let is_sampled = accounts.last_stack != StackTable::EMPTY;
        let (stack, labels) = match stack {
            ClosingStack::LastSample if is_sampled => (Ok(accounts.last_stack), accounts.last_labels),
            ClosingStack::Unknown => (Err(DropCause::NoFrames), record.labels()),
            ClosingStack::Standing | ClosingStack::LastSample => {
                (self.intern_standing(gvl, record), record.labels())
            }
        };
        for (clock, charged) in charged.into_pairs() {
            let open = charged.running + charged.resumed.off_gvl + inherited[clock];
            let [blocked, waited, mark, sweep] = exact(charged);
            let charges = [running(open, 0), blocked, waited, mark, sweep];
            self.charge(clock, stack, accounts.seq, labels, charges, wall);
        }
    }
}

/// Returns the times that are measured, so that no tick stands for them.
fn exact(Charges { resumed, gc, .. }: Charges) -> [(VmState, Time); 4] {
    [
        (VmState::GvlBlocked, Time::new(resumed.blocked, 1)),
        (VmState::GvlWait, Time::new(resumed.waited, 1)),
        (VmState::GcMark, Time::new(gc.mark, 1)),
        (VmState::GcSweep, Time::new(gc.sweep, 1)),
    ]
}

fn running(time: Nanos, count: u64) -> (VmState, Time) {
    (VmState::Running, Time::new(time, count))
}
