//! When a thread gave up the GVL, and when it could run again: noted without a lock, told to its clock by whoever next
//! looks at that.

use std::sync::atomic::{AtomicU64, Ordering};

use rperf_core::accounting::ThreadClock;
use rperf_core::time::Nanos;

/// Short suspensions of so much time, in nanoseconds, wait to be told together.
const UNTOLD: u64 = 50_000;

/// Events that the thread's clock has not been told yet, by the monotonic clock; 0 for none.
#[derive(Debug, Default)]
pub struct GvlEvents {
    suspended: AtomicU64,
    ready: AtomicU64,
    /// The time of all suspensions that were [brief](Self::resumed_briefly). Only the thread itself adds to it.
    brief: AtomicU64,
    /// What the clock knows of it. Only written under the lock of the thread's state.
    told: AtomicU64,
}

impl GvlEvents {
    /// The calling thread gives up the GVL. (Twice in a row: the VM found an interrupt, and the thread went on running.)
    pub fn suspended(&self, wall: Nanos) {
        self.suspended.store(wall.0, Ordering::Release);
    }

    /// The thread can run again. Any thread may say so.
    pub fn ready(&self, wall: Nanos) {
        self.ready.store(wall.0, Ordering::Release);
    }

    /// The calling thread has the GVL again: in cpu mode, where that charges nothing but now and then, it need not lock
    /// its state to say so. False, and nothing is noted, when the clock must be told: since it knows of the suspension
    /// already, or of too few of those before.
    pub fn resumed_briefly(&self, wall: Nanos) -> bool {
        let since = Nanos(self.suspended.load(Ordering::Relaxed));
        let brief = self.brief.load(Ordering::Relaxed);
        let total = brief + (wall - since).0;
        if since == Nanos::ZERO || total - self.told.load(Ordering::Relaxed) > UNTOLD {
            return false;
        }
        let is_mine = take(&self.suspended).is_some();
        if is_mine {
            self.brief.store(total, Ordering::Release);
        }
        is_mine
    }

    /// Tells the clock. Only under the lock of the thread's state.
    pub fn tell(&self, clock: &mut ThreadClock) {
        let (suspended, ready) = (take(&self.suspended), take(&self.ready));
        // After the look at `suspended`: what was brief before that is known here.
        let brief = self.brief.load(Ordering::Acquire);
        let untold = brief - self.told.load(Ordering::Relaxed);
        if untold > 0 {
            self.told.store(brief, Ordering::Relaxed);
            clock.was_off_gvl(Nanos(untold));
        }
        if let Some(wall) = suspended {
            clock.suspend(wall);
        }
        // One that was said late is of the suspension before.
        if let Some(wall) = ready.filter(|ready| suspended.is_none_or(|suspended| suspended <= *ready)) {
            clock.ready(wall);
        }
    }

    /// Forgets them: the slot gets another thread.
    pub fn clear(&self) {
        take(&self.suspended);
        take(&self.ready);
        self.told.store(self.brief.load(Ordering::Acquire), Ordering::Relaxed);
    }
}

fn take(event: &AtomicU64) -> Option<Nanos> {
    // Most of the time there is none, and looking is much cheaper than taking.
    let there = event.load(Ordering::Acquire) != 0;
    there.then(|| Nanos(event.swap(0, Ordering::AcqRel))).filter(|wall| *wall != Nanos::ZERO)
}

#[cfg(test)]
mod tests {
    use rperf_core::accounting::{Resumed, ThreadClock};
    use rperf_core::state::Mode;
    use rperf_core::time::Nanos;

    use super::GvlEvents;

    fn running() -> ThreadClock {
        ThreadClock::running(Mode::Wall, false, Nanos(100), Nanos::ZERO)
    }

    fn resumed(events: &GvlEvents, clock: &mut ThreadClock, wall: u64) -> Resumed {
        events.tell(clock);
        clock.resume(Nanos(wall), None)
    }

    #[test]
    fn a_suspension_is_blocked_until_ready_and_waits_from_then_on() {
        let (events, mut clock) = (GvlEvents::default(), running());
        events.suspended(Nanos(200));
        events.ready(Nanos(500));
        let expected = Resumed { blocked: Nanos(300), waited: Nanos(400), off_gvl: Nanos::ZERO };
        assert_eq!(resumed(&events, &mut clock, 900), expected);
    }

    #[test]
    fn events_are_told_once() {
        let (events, mut clock) = (GvlEvents::default(), running());
        events.suspended(Nanos(200));
        resumed(&events, &mut clock, 300);
        assert_eq!(resumed(&events, &mut clock, 400), Resumed::default());
        events.suspended(Nanos(500));
        events.clear();
        assert_eq!(resumed(&events, &mut clock, 600), Resumed::default());
    }

    #[test]
    fn a_ready_of_the_suspension_before_is_not_taken_for_this_ones() {
        let (events, mut clock) = (GvlEvents::default(), running());
        events.suspended(Nanos(200));
        resumed(&events, &mut clock, 300);
        events.ready(Nanos(290));
        events.suspended(Nanos(400));
        let blocked = Resumed { blocked: Nanos(300), waited: Nanos::ZERO, off_gvl: Nanos::ZERO };
        assert_eq!(resumed(&events, &mut clock, 700), blocked);
    }

    #[test]
    fn brief_suspensions_are_told_together() {
        let (events, mut clock) =
            (GvlEvents::default(), ThreadClock::running(Mode::Cpu, false, Nanos(0), Nanos(0)));
        for begin in [1_000, 2_000, 3_000] {
            events.suspended(Nanos(begin));
            assert!(events.resumed_briefly(Nanos(begin + 600)));
        }
        events.tell(&mut clock);
        // It had the GVL for 4,000 - 3 * 600, so that 200 of what it used were used without.
        assert_eq!(clock.tick(Nanos(4_000), Nanos(2_400), false), Nanos(2_200));
        events.tell(&mut clock);
        assert_eq!(clock.tick(Nanos(5_000), Nanos(3_400), false), Nanos(1_000));
    }

    #[test]
    fn a_suspension_that_the_clock_knows_is_not_brief() {
        let (events, mut clock) =
            (GvlEvents::default(), ThreadClock::running(Mode::Cpu, false, Nanos(0), Nanos(0)));
        assert!(!events.resumed_briefly(Nanos(100)), "there is none");
        events.suspended(Nanos(200));
        events.tell(&mut clock);
        assert!(!events.resumed_briefly(Nanos(300)));
        assert!(clock.is_suspended());
    }

    #[test]
    fn brief_suspensions_are_told_before_they_come_to_much() {
        let (events, mut clock) =
            (GvlEvents::default(), ThreadClock::running(Mode::Cpu, false, Nanos(0), Nanos(0)));
        let mut brief = 0;
        for begin in (0..10).map(|number| 1 + number * 20_000) {
            events.suspended(Nanos(begin));
            let wall = Nanos(begin + 15_000);
            if events.resumed_briefly(wall) {
                brief += 1;
            } else {
                events.tell(&mut clock);
                clock.resume(wall, None);
            }
        }
        // Three of 15 us each, then one that tells: of ten.
        assert_eq!(brief, 8);
    }

    #[test]
    fn of_two_suspensions_in_a_row_the_later_counts() {
        let (events, mut clock) = (GvlEvents::default(), running());
        events.suspended(Nanos(200));
        events.suspended(Nanos(300));
        assert_eq!(resumed(&events, &mut clock, 350).blocked, Nanos(50));
        assert_eq!(clock.tick(Nanos(400), Nanos::ZERO, false), Nanos(250));
    }
}
