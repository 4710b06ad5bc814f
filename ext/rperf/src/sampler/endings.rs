//! The ends of threads, of `Rperf.profile` blocks, and of sessions: open time is charged.

use rperf_core::accounting::{Charges, Event};
use rperf_core::collect::{DropCause, StackTable, Time};
use rperf_core::state::{Clock, VmState};
use rperf_core::time::Nanos;

use super::Sampler;
use super::times::{MANY_TICKS, Times};
use crate::os::clock::{self, CpuClock};
use crate::threads::accounts::Place;
use crate::threads::record::ThreadRecord;
use crate::vm::context::Gvl;
use crate::vm::layout::Layout;
use crate::vm::threads::RubyThread;

impl Sampler {
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
        let accounts = &mut *record.accounts();
        self.charge_rests(accounts);
        let has_many_ticks = accounts.tick_count >= MANY_TICKS;
        for (clock, moment) in [(Clock::Cpu, wall), (Clock::Wall, ended)] {
            let charged = accounts.happen_on(clock, Event::Close, moment, cpu);
            let Some(times) = &mut self.times[clock] else { continue };
            let last = Place { moment, ..accounts.last };
            times.charge(last, exact(charged));
            // The thread's last frame has ended, so its stack is empty.
            let ended = Place { stack: Ok(StackTable::EMPTY), ..last };
            times.charge(ended, [running(charged.resumed.off_gvl, 0)]);
            if has_many_ticks {
                // The count is 0: the sample of the last tick has counted that tick.
                times.charge(last, [running(charged.running, 0)]);
            } else {
                times.remainder.leave(charged.running, last.has_frames().then_some(last));
            }
        }
        if !has_many_ticks && accounts.last.has_frames() {
            self.last_tick = Some(accounts.last);
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
        let charged = accounts.happen(Event::Pause, wall, cpu);
        accounts.last.labels = record.labels();
        self.charge_gc(gvl, record, accounts, charged.map(|charged| charged.gc), wall);
        // No tick has met the thread. If none does later, its time is charged to this stack.
        if accounts.tick_count == 0
            && let Ok(stack) = self.intern_standing(gvl, record)
        {
            accounts.last.stack = Ok(stack);
        }
    }

    /// Charges the open time of a thread when the session ends. `thread`: the calling one, or one
    /// off the GVL; `None` where the thread is just ending, and its stack is not known. The session
    /// ended at `wall`, and at `own_cpu` of the calling thread's CPU clock.
    pub fn close(
        &mut self,
        gvl: Gvl<'_>,
        record: &'static ThreadRecord,
        thread: Option<RubyThread>,
        [wall, own_cpu]: [Nanos; 2],
    ) {
        self.remember(record);
        if !self.is_timed() {
            return;
        }
        let accounts = &mut *record.accounts();
        let is_own = thread == Some(RubyThread::current(gvl));
        let clock = accounts.own_clock(!accounts.is_suspended());
        let cpu = if is_own { own_cpu } else { clock.and_then(CpuClock::read).unwrap_or_default() };
        self.charge_rests(accounts);
        let charged = accounts.happen(Event::Close, wall, cpu);
        // The calling thread's current stack only stops the session, so its last one is charged.
        // (Where each sample is kept, that would show a tick that was not there.)
        let stays = record.is_parked() || is_own && self.config.aggregate && accounts.last.has_frames();
        let stack = match thread {
            _ if stays => accounts.last.stack,
            Some(thread) if Layout::proved().is_none() => self.intern_public(gvl, thread),
            Some(_) => self.intern_standing(gvl, record),
            None => Err(DropCause::NoFrames),
        };
        let labels = if stays { accounts.last.labels } else { record.labels() };
        let place = accounts.place(stack, labels, wall);
        for (clock, charged) in charged.into_pairs() {
            let [blocked, waited, mark, sweep] = exact(charged);
            let open = running(charged.running + charged.resumed.off_gvl, 0);
            self.charge(clock, place, [open, blocked, waited, mark, sweep]);
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
