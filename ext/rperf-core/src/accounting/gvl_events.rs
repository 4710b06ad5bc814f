//! When a thread gave up the GVL, could run again, and had the GVL again: noted without a lock, and
//! flushed to the thread's clock by the next code that uses the clock.
//!
//! Work that is done when a thread has the GVL again holds up all threads: the VM's scheduler is
//! locked. After a switch the processor's cache also has little of the data for it. So only the
//! time is noted there, where that is possible.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use super::{Event, Tally};
use crate::time::Nanos;

/// Suspensions of a thread that have not been flushed to its clock.
///
/// All but `ready` is written by the thread itself with the GVL, or by a thread that holds the GVL
/// and the lock of the thread's state. (Threads of other Ractors have a GVL of their own. With
/// them, all ends of suspensions are flushed at once.)
#[derive(Debug, Default)]
#[repr(C)]
pub struct GvlEvents {
    /// Whether a suspension has begun that has not been flushed.
    begun: AtomicBool,
    suspended: AtomicU64,
    /// Moment of the last ready event. If it is before `suspended`, it is of an earlier suspension.
    ready: AtomicU64,
    /// Sums of suspensions that are over, in nanoseconds, and their numbers: [`EndedSuspensions`].
    sums: [AtomicU64; 2],
    counts: [AtomicU32; 2],
    /// Deferral budget of each sum. The end of a suspension that makes a sum exceed its budget must
    /// be flushed at once.
    budgets: [AtomicU64; 2],
}

/// Sums of suspensions that are over: of the times until the thread could run again (blocked), and
/// of the times from then on until it had the GVL (waited).
pub type EndedSuspensions = [Tally; 2];

/// Returns these suspensions, with a time of at most `most` in all.
fn within([mut blocked, mut waited]: EndedSuspensions, most: Nanos) -> EndedSuspensions {
    blocked.time = blocked.time.min(most);
    waited.time = waited.time.min(most - blocked.time);
    [blocked, waited]
}

impl GvlEvents {
    /// Notes that the calling thread gives up the GVL. (Twice in a row: the VM found an interrupt,
    /// and the thread went on running.)
    pub fn suspended(&self, now: Nanos) {
        self.suspended.store(now.0, Ordering::Relaxed);
        self.begun.store(true, Ordering::Release);
    }

    /// Notes that the thread can run again. Any thread may call this.
    pub fn ready(&self, now: Nanos) {
        self.ready.store(now.0, Ordering::Release);
    }

    /// Notes that the calling thread has the GVL again. Returns false, and notes nothing, when the
    /// thread's clock must know at once.
    pub fn resumed(&self, now: Nanos) -> bool {
        if !self.begun.load(Ordering::Relaxed) {
            return false;
        }
        let suspended = self.suspended.load(Ordering::Relaxed);
        let resumed = now.0.max(suspended);
        // The thread that calls `ready` reads the clock first, and stores the time a little later.
        let ready = self.ready_since(suspended).map_or(resumed, |ready| ready.min(resumed));
        let times = [ready - suspended, resumed - ready];
        let sums: [u64; 2] =
            std::array::from_fn(|part| self.sums[part].load(Ordering::Relaxed) + times[part]);
        let mut budgets = sums.iter().zip(&self.budgets);
        let later = budgets.all(|(sum, budget)| *sum <= budget.load(Ordering::Relaxed));
        if later {
            for (part, _) in times.into_iter().enumerate().filter(|(_, time)| *time > 0) {
                self.sums[part].store(sums[part], Ordering::Relaxed);
                let count = self.counts[part].load(Ordering::Relaxed).saturating_add(1);
                self.counts[part].store(count, Ordering::Relaxed);
            }
            self.begun.store(false, Ordering::Release);
        }
        later
    }

    /// Sets the deferral budget. From now on the end of a suspension must be flushed at once if it
    /// makes a sum larger than its budget.
    pub fn set_budget(&self, budget: [Nanos; 2]) {
        self.budgets.iter().zip(budget).for_each(|(to, budget)| to.store(budget.0, Ordering::Relaxed));
    }

    /// Returns when the thread could run again after it was suspended. An earlier time in `ready`
    /// is of the suspension before.
    fn ready_since(&self, suspended: u64) -> Option<u64> {
        let ready = self.ready.load(Ordering::Acquire);
        (ready > 0 && ready >= suspended).then_some(ready)
    }

    /// Flushes to the thread's clock, which says whether it `is_suspended`, under the lock of the
    /// thread's state. `happen` returns the time off the GVL that is charged. Returns the charges
    /// of suspensions that are over. `now` is only called when there are some.
    pub fn flush(
        &self,
        is_suspended: bool,
        now: impl Fn() -> Nanos,
        mut happen: impl FnMut(Event, Nanos) -> Nanos,
    ) -> EndedSuspensions {
        let ended = self.take_ended();
        let charged = match ended.iter().map(|ended| ended.time).sum() {
            Nanos::ZERO => ended,
            time => within(ended, happen(Event::WasOffGvl { time }, now())),
        };
        // The last suspension goes on, as far as is known. If `begun` is set, the clock does not
        // know of it.
        let begun = self.begun.swap(false, Ordering::Relaxed);
        let suspended = self.suspended.load(Ordering::Relaxed);
        if begun {
            happen(Event::Suspend, Nanos(suspended));
        }
        if begun || is_suspended && ended == EndedSuspensions::default() {
            self.ready_since(suspended).map(|ready| happen(Event::Ready, Nanos(ready)));
        }
        charged
    }

    fn take_ended(&self) -> EndedSuspensions {
        let ended = std::array::from_fn(|part| Tally {
            time: Nanos(self.sums[part].load(Ordering::Relaxed)),
            count: self.counts[part].load(Ordering::Relaxed),
        });
        if ended != EndedSuspensions::default() {
            self.sums.iter().for_each(|sum| sum.store(0, Ordering::Relaxed));
            self.counts.iter().for_each(|count| count.store(0, Ordering::Relaxed));
        }
        ended
    }

    /// Forgets all suspensions: the record gets another thread, and a new budget.
    pub fn clear(&self) {
        self.begun.store(false, Ordering::Relaxed);
        self.take_ended();
        self.suspended.store(0, Ordering::Relaxed);
        self.ready.store(0, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::{EndedSuspensions, GvlEvents};
    use crate::accounting::{Resumed, Tally, ThreadClock};
    use crate::state::Clock;
    use crate::time::Nanos;

    /// A moment long after all events.
    const NOW: Nanos = Nanos(1_000_000);

    /// Creates events whose ends are all flushed at once.
    fn running(mode: Clock) -> (GvlEvents, ThreadClock) {
        (GvlEvents::default(), ThreadClock::running(mode, Nanos(100), Nanos::ZERO))
    }

    /// Creates events whose ends are all flushed later.
    fn running_late(mode: Clock) -> (GvlEvents, ThreadClock) {
        let (events, clock) = running(mode);
        events.set_budget([Nanos(u64::MAX); 2]);
        (events, clock)
    }

    fn flush_at(events: &GvlEvents, clock: &mut ThreadClock, now: Nanos) -> EndedSuspensions {
        let is_suspended = clock.is_suspended();
        let happen = |event, wall| clock.happen(event, wall, Nanos::ZERO).resumed.blocked;
        events.flush(is_suspended, || now, happen)
    }

    fn flush(events: &GvlEvents, clock: &mut ThreadClock) -> EndedSuspensions {
        flush_at(events, clock, NOW)
    }

    fn resumed(events: &GvlEvents, clock: &mut ThreadClock, wall: u64) -> Resumed {
        assert!(!events.resumed(Nanos(wall)));
        assert_eq!(flush(events, clock), EndedSuspensions::default());
        clock.resume(Nanos(wall), None)
    }

    fn ended(blocked: u64, waited: u64, count: u32) -> EndedSuspensions {
        [blocked, waited].map(|time| Tally { time: Nanos(time), count: if time > 0 { count } else { 0 } })
    }

    #[test]
    fn events_are_flushed_once() {
        let (events, mut clock) = running(Clock::Wall);
        events.suspended(Nanos(200));
        resumed(&events, &mut clock, 300);
        assert_eq!(resumed(&events, &mut clock, 400), Resumed::default());
        events.suspended(Nanos(500));
        events.clear();
        assert_eq!(resumed(&events, &mut clock, 600), Resumed::default());
    }

    #[test]
    fn a_ready_of_the_suspension_before_is_not_taken_for_this_ones() {
        let (events, mut clock) = running(Clock::Wall);
        events.suspended(Nanos(200));
        resumed(&events, &mut clock, 300);
        events.ready(Nanos(290));
        events.suspended(Nanos(400));
        let blocked = Resumed { blocked: Nanos(300), waited: Nanos::ZERO, off_gvl: Nanos::ZERO };
        assert_eq!(resumed(&events, &mut clock, 700), blocked);
    }

    #[test]
    fn a_suspension_that_was_flushed_before_it_was_ready_still_gets_that() {
        let (events, mut clock) = running_late(Clock::Wall);
        events.suspended(Nanos(200));
        flush(&events, &mut clock);
        events.ready(Nanos(300));
        let expected = Resumed { blocked: Nanos(100), waited: Nanos(50), off_gvl: Nanos::ZERO };
        assert_eq!(resumed(&events, &mut clock, 350), expected, "its end is flushed at once");
    }

    #[test]
    fn ends_are_flushed_together_with_what_was_before() {
        let (events, mut clock) = running_late(Clock::Wall);
        for begin in [1_000, 2_000, 3_000] {
            events.suspended(Nanos(begin));
            events.ready(Nanos(begin + 200));
            assert!(events.resumed(Nanos(begin + 600)));
        }
        assert_eq!(flush(&events, &mut clock), ended(600, 1_200, 3));
        assert_eq!(flush(&events, &mut clock), EndedSuspensions::default());
        assert_eq!(clock.tick(Nanos(4_100), Nanos::ZERO, Nanos::ZERO), Nanos(4_000 - 1_800));
    }

    #[test]
    fn a_ready_that_was_looked_at_too_late_is_no_later_than_the_end() {
        let (events, mut clock) = running_late(Clock::Wall);
        events.suspended(Nanos(200));
        events.ready(Nanos(310));
        assert!(events.resumed(Nanos(300)));
        assert_eq!(flush(&events, &mut clock), ended(100, 0, 1));
    }

    #[test]
    fn in_cpu_mode_what_short_suspensions_used_is_charged_by_ticks() {
        let (events, mut clock) = running_late(Clock::Cpu);
        for begin in [1_000, 2_000, 3_000] {
            events.suspended(Nanos(begin));
            assert!(events.resumed(Nanos(begin + 600)));
        }
        flush(&events, &mut clock);
        assert_eq!(clock.tick(Nanos(4_000), Nanos(2_400), Nanos::ZERO), Nanos(2_400));
    }

    #[test]
    fn ends_are_flushed_before_they_come_to_more_than_the_budget() {
        let (events, mut clock) = running(Clock::Wall);
        events.set_budget([Nanos(50_000), Nanos(7_000)]);
        let mut suspension = |begin: u64, blocked: u64, waited: u64| {
            events.suspended(Nanos(begin));
            events.ready(Nanos(begin + blocked));
            let later = events.resumed(Nanos(begin + blocked + waited));
            if !later {
                flush(&events, &mut clock);
                clock.resume(Nanos(begin + blocked + waited), None);
            }
            later
        };
        let blocked: Vec<bool> = (1..=8).map(|number| suspension(number * 20_000, 15_000, 1)).collect();
        assert_eq!(
            blocked,
            [true, true, true, false, true, true, true, false],
            "three of 15 us each, then one that is flushed"
        );
        let waited: Vec<bool> = (10..14).map(|number| suspension(number * 20_000, 1, 3_000)).collect();
        assert_eq!(waited, [true, true, false, true]);
    }

    #[test]
    fn of_two_suspensions_in_a_row_the_later_counts() {
        let (events, mut clock) = running(Clock::Wall);
        events.suspended(Nanos(200));
        events.suspended(Nanos(300));
        assert_eq!(resumed(&events, &mut clock, 350).blocked, Nanos(50));
        assert_eq!(clock.tick(Nanos(400), Nanos::ZERO, Nanos::ZERO), Nanos(250));
    }

    #[test]
    fn no_more_is_over_than_time_has_passed() {
        let (events, mut clock) = running_late(Clock::Wall);
        events.suspended(Nanos(7_000));
        events.ready(Nanos(7_400));
        assert!(events.resumed(Nanos(9_000)), "the thread's last events are of another clock");
        assert_eq!(flush_at(&events, &mut clock, Nanos(600)), ended(400, 100, 1));
        assert_eq!(clock.tick(Nanos(650), Nanos::ZERO, Nanos::ZERO), Nanos(50));
    }
}
