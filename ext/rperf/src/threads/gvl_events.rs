//! When a thread gave up the GVL, and when it could run again: noted without a lock, told to its clock by whoever next
//! looks at that.

use std::sync::atomic::{AtomicU64, Ordering};

use rperf_core::accounting::ThreadClock;
use rperf_core::time::Nanos;

/// Events that the thread's clock has not been told yet, by the monotonic clock; 0 for none.
#[derive(Debug, Default)]
pub struct GvlEvents {
    suspended: AtomicU64,
    ready: AtomicU64,
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

    /// Tells the clock. Only under the lock of the thread's state.
    pub fn tell(&self, clock: &mut ThreadClock) {
        let (suspended, ready) = (take(&self.suspended), take(&self.ready));
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
    fn of_two_suspensions_in_a_row_the_later_counts() {
        let (events, mut clock) = (GvlEvents::default(), running());
        events.suspended(Nanos(200));
        events.suspended(Nanos(300));
        assert_eq!(resumed(&events, &mut clock, 350).blocked, Nanos(50));
        assert_eq!(clock.tick(Nanos(400), Nanos::ZERO, false), Nanos(250));
    }
}
