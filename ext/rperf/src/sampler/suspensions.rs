//! Charging suspensions: the time that a thread was off the GVL, to the stack that gave it up.

use std::sync::atomic::Ordering;

use rperf_core::accounting::{Event, Resumed};
use rperf_core::collect::Time;
use rperf_core::state::{Clock, VmState};
use rperf_core::time::Nanos;

use super::Sampler;
use crate::os::clock;
use crate::threads::accounts::ThreadAccounts;
use crate::threads::record::ThreadRecord;
use crate::vm::context::Gvl;

impl Sampler {
    /// Charges the suspension of the thread of `record`, the calling one, which has the GVL again
    /// since `wall`. `measured`: its CPU clock at that moment, if the suspension is measured.
    pub fn resumed(
        &mut self,
        gvl: Gvl<'_>,
        record: &ThreadRecord,
        accounts: &mut ThreadAccounts,
        wall: Nanos,
        measured: Option<Nanos>,
    ) {
        let is_long = accounts.is_long(wall);
        let cpu = measured.or_else(|| is_long.then(clock::thread_cpu));
        let charged = accounts.resume(wall, cpu, is_long);
        self.charge_suspension(gvl, record, accounts, charged, wall);
        if cpu.is_some() {
            record.gap.store(accounts.inspections.next_gap(wall), Ordering::Relaxed);
            accounts.inspections.leave_out(clock::monotonic() - wall);
        }
    }

    /// Charges a fork by the thread of `record`, the calling one. `wall` and `cpu`: its clocks at
    /// the beginning. A tick that comes meanwhile waits until the address space has been copied,
    /// and finds the thread at its position afterwards. So the time of the fork is measured.
    pub fn forked(&mut self, record: &ThreadRecord, wall: Nanos, cpu: Nanos) {
        // The wall clock is read last: the first system call after a fork may cost the thread its
        // processor, if others wait for one (beside two busy processes one in 8, for 5 ms).
        let used = clock::thread_cpu();
        let now = clock::monotonic();
        let accounts = &mut *record.accounts();
        accounts.happen_on(Clock::Wall, Event::WasOffGvl { time: now - wall }, now, Nanos::ZERO);
        accounts.happen_on(Clock::Cpu, Event::SettleCpu, now, cpu);
        accounts.happen(Event::RebaseCpu, now, used);
        let stack = self.intern_outside(record);
        for (clock, time) in [(Clock::Wall, now - wall), (Clock::Cpu, used - cpu)] {
            let place = accounts.place(stack, record.labels(), now);
            self.charge(clock, place, [(VmState::Running, Time::new(time, 0))]);
        }
    }

    /// Charges the thread of `record`, which is off the GVL, with its suspension up to `wall`,
    /// since a snapshot is taken.
    pub fn cut(&mut self, gvl: Gvl<'_>, record: &'static ThreadRecord, wall: Nanos) {
        let accounts = &mut *record.accounts();
        let charged = accounts.happen_on(Clock::Wall, Event::Cut, wall, Nanos::ZERO).resumed;
        self.charge_suspension(gvl, record, accounts, charged, wall);
    }

    fn charge_suspension(
        &mut self,
        gvl: Gvl<'_>,
        record: &ThreadRecord,
        accounts: &mut ThreadAccounts,
        charged: Resumed,
        wall: Nanos,
    ) {
        let (computed, off_gvl) = (charged.off_gvl, accounts.charge_off_gvl(charged));
        record.set_budget(accounts);
        if computed + off_gvl.iter().map(|(_, time)| time.weight).sum() == Nanos::ZERO {
            return;
        }
        let place = accounts.place(self.intern_standing(gvl, record), record.labels(), wall);
        // A short suspension that chance has selected is charged with another time than its own.
        let times = [charged.blocked, charged.waited].into_iter().zip(off_gvl);
        for ((own, (_, due)), selected) in times.zip(&mut accounts.selected) {
            if place.stack.is_ok() && ![Nanos::ZERO, own].contains(&due.weight) {
                *selected = place;
            }
        }
        self.charge(Clock::Wall, place, off_gvl);
        // The count is 0: it is measured, so no tick has met it.
        self.charge(Clock::Cpu, place, [(VmState::Running, Time::new(computed, 0))]);
    }

    /// Charges the time of short suspensions that no stack has been charged with yet: before a
    /// snapshot, and when the thread ends.
    pub fn charge_rests(&mut self, accounts: &mut ThreadAccounts) {
        let rests = accounts.take_rests();
        for (place, rest) in accounts.selected.into_iter().zip(rests) {
            self.charge(Clock::Wall, place, [rest]);
        }
    }
}
