//! Charging suspensions: the time that a thread was off the GVL, to the stack that gave it up.

use rperf_core::accounting::{Event, EventSink, Resumed};
use rperf_core::time::Nanos;

use super::Sampler;
use crate::threads::accounts::ThreadAccounts;
use crate::threads::record::ThreadRecord;
use crate::threads::suspensions::{Due, LabelledStack};
use crate::vm::context::Gvl;

impl Sampler {
    /// The thread of `record`, the calling one, has the GVL again since `wall`; `measured`: what
    /// its CPU clock said then, if the suspension is measured.
    pub fn resumed(
        &mut self,
        gvl: Gvl<'_>,
        record: &ThreadRecord,
        accounts: &mut ThreadAccounts,
        wall: Nanos,
        measured: Option<Nanos>,
    ) {
        let charged = accounts.resume(wall, measured);
        if measured.is_some() {
            record.leave_gap(accounts.next_gap(wall));
        }
        self.charge_suspension(gvl, record, accounts, charged);
    }

    /// A snapshot is taken: the thread of `record`, which is off the GVL, is charged with that up
    /// to now.
    pub fn cut(&mut self, gvl: Gvl<'_>, record: &'static ThreadRecord, wall: Nanos) {
        let accounts = &mut *record.accounts();
        let charged = accounts.happen(Event::Cut, wall, Nanos::ZERO).resumed;
        self.charge_suspension(gvl, record, accounts, charged);
    }

    fn charge_suspension(
        &mut self,
        gvl: Gvl<'_>,
        record: &ThreadRecord,
        accounts: &mut ThreadAccounts,
        charged: Resumed,
    ) {
        let due = if self.merges { accounts.suspensions.due(charged) } else { Due::own(charged) };
        record.set_budget(accounts);
        if due.is_nothing() {
            return;
        }
        let stack = self.intern_standing(gvl, record, accounts);
        let labels = record.labels();
        match stack {
            Ok(stack) if self.merges => {
                let place = LabelledStack { stack, labels };
                if !accounts.suspensions.gathers_from(place) {
                    self.charge_suspensions(accounts);
                }
                accounts.suspensions.gather(due, place);
            }
            stack => self.charge(stack, accounts.seq, labels, due.charges()),
        }
    }

    /// Charges what the thread has gathered: before a snapshot, and when it ends.
    pub fn charge_gathered(&mut self, accounts: &mut ThreadAccounts) {
        self.charge_suspensions(accounts);
        let seq = accounts.seq;
        for (place, state, rest) in accounts.suspensions.take_rests() {
            self.charge(Ok(place.stack), seq, place.labels, [(state, rest.time, rest.count)]);
        }
    }

    fn charge_suspensions(&mut self, accounts: &mut ThreadAccounts) {
        let (place, due) = accounts.suspensions.take();
        self.charge(Ok(place.stack), accounts.seq, place.labels, due.charges());
    }
}
