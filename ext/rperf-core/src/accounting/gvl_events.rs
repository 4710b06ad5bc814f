//! When a thread gave up the GVL, could run again, and had it again: noted without a lock, told to its clock by whoever
//! next looks at that.
//!
//! What is done when a thread has the GVL again holds up everybody: the VM's scheduler is locked. And after a switch
//! the processor's cache has little of what it needs. So no more happens there than to note the time, where that is possible.

use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};

use super::ThreadClock;
use crate::time::{Nanos, Reading, Scale, Stamp};

/// A thread's suspensions, as far as its clock has not been told.
///
/// But for `ready`, all is written by the thread itself with the GVL, or by who holds that and the lock of the thread's
/// state. (Threads of other Ractors have a GVL of their own: with them, all ends are told at once.)
#[derive(Debug, Default)]
#[repr(C)]
pub struct GvlEvents {
    /// What is known of the last suspension that has not been told.
    last: AtomicU8,
    suspended: AtomicU64,
    /// When somebody last said "ready": of the last suspension, if that had begun.
    ready: AtomicU64,
    resumed: AtomicU64,
    /// Until when the last suspension may end for that to be told later.
    until: AtomicU64,
    /// Those that are over, in units of stamps: see [`Over`].
    blocked: AtomicU64,
    waited: AtomicU64,
    blocked_count: AtomicU32,
    waited_count: AtomicU32,
}

/// Nothing is to be told of the last suspension.
const NOTHING: u8 = 0;
/// It has begun.
const BEGUN: u8 = 1;
/// It has begun and ended.
const ENDED: u8 = 2;

/// Suspensions that are over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Over {
    /// The time until the thread could run again.
    pub blocked: Nanos,
    /// The time from then on.
    pub waited: Nanos,
    /// How many had such times.
    pub counts: [u32; 2],
}

impl Over {
    fn time(self) -> Nanos {
        self.blocked + self.waited
    }

    /// The same, but no more time than this.
    fn within(self, most: Nanos) -> Self {
        let blocked = self.blocked.min(most);
        Self { blocked, waited: self.waited.min(most - blocked), ..self }
    }
}

impl GvlEvents {
    /// The calling thread gives up the GVL. (Twice in a row: the VM found an interrupt, and the thread went on running.)
    /// `until`: its [end](Self::resumed) may be told later up to then.
    pub fn suspended(&self, now: Stamp, until: Stamp) {
        self.sum_up();
        self.suspended.store(now.0, Ordering::Relaxed);
        self.until.store(until.0, Ordering::Relaxed);
        self.last.store(BEGUN, Ordering::Release);
    }

    /// Until when a suspension that begins now may end for no more than so many units to wait to be told.
    pub fn late_until(&self, now: Stamp, most: u64) -> Stamp {
        self.sum_up();
        let untold = self.blocked.load(Ordering::Relaxed) + self.waited.load(Ordering::Relaxed);
        Stamp(now.0 + most.saturating_sub(untold))
    }

    /// The thread can run again. Any thread may say so.
    pub fn ready(&self, now: Stamp) {
        self.ready.store(now.0, Ordering::Release);
    }

    /// The calling thread has the GVL again. False, and nothing is noted, when its clock must be told at once.
    pub fn resumed(&self, now: Stamp) -> bool {
        let later = self.last.load(Ordering::Relaxed) == BEGUN && now.0 < self.until.load(Ordering::Relaxed);
        if later {
            self.resumed.store(now.0, Ordering::Relaxed);
            self.last.store(ENDED, Ordering::Release);
        }
        later
    }

    /// Adds the last suspension to those that are over, if it is.
    fn sum_up(&self) {
        if self.last.load(Ordering::Relaxed) != ENDED {
            return;
        }
        let suspended = self.suspended.load(Ordering::Relaxed);
        let resumed = self.resumed.load(Ordering::Relaxed).max(suspended);
        // Whoever says "ready" may look at the clock before, and say so after.
        let ready = self.ready_since(suspended).map_or(resumed, |ready| ready.min(resumed));
        add(&self.blocked, &self.blocked_count, ready - suspended);
        add(&self.waited, &self.waited_count, resumed - ready);
        self.last.store(NOTHING, Ordering::Relaxed);
    }

    /// When it could run again after it was suspended. What was said late is of the suspension before.
    fn ready_since(&self, suspended: u64) -> Option<u64> {
        let ready = self.ready.load(Ordering::Acquire);
        (ready > 0 && ready >= suspended).then_some(ready)
    }

    /// Tells the clock, under the lock of the thread's state. Returns what is to be charged to the stack of suspensions that
    /// are over. `now` is only asked for when there is something to tell.
    pub fn tell(&self, clock: &mut ThreadClock, scale: Scale, now: impl Fn() -> Reading) -> Over {
        self.sum_up();
        let over = self.take_over(scale);
        let charged = match over.time() {
            Nanos::ZERO => over,
            time => over.within(clock.was_off_gvl(time, now().wall)),
        };
        let begun = self.last.load(Ordering::Relaxed) == BEGUN;
        if begun || clock.is_suspended() {
            self.last.store(NOTHING, Ordering::Relaxed);
            self.tell_last(clock, begun, scale, now());
        }
        charged
    }

    /// The last suspension goes on, as far as is known; `begun`: the clock does not know of it.
    fn tell_last(&self, clock: &mut ThreadClock, begun: bool, scale: Scale, now: Reading) {
        let suspended = self.suspended.load(Ordering::Relaxed);
        if begun {
            clock.suspend(scale.wall_at(Stamp(suspended), now));
        }
        if let Some(ready) = self.ready_since(suspended) {
            clock.ready(scale.wall_at(Stamp(ready), now));
        }
    }

    fn take_over(&self, scale: Scale) -> Over {
        let [blocked, waited] = [&self.blocked, &self.waited].map(|sum| sum.load(Ordering::Relaxed));
        if blocked + waited == 0 {
            return Over::default();
        }
        let counts = [&self.blocked_count, &self.waited_count].map(|count| count.load(Ordering::Relaxed));
        self.forget_over();
        Over { blocked: scale.nanos(blocked), waited: scale.nanos(waited), counts }
    }

    fn forget_over(&self) {
        for sum in [&self.blocked, &self.waited] {
            sum.store(0, Ordering::Relaxed);
        }
        for count in [&self.blocked_count, &self.waited_count] {
            count.store(0, Ordering::Relaxed);
        }
    }

    /// Forgets them: the slot gets another thread.
    pub fn clear(&self) {
        self.last.store(NOTHING, Ordering::Relaxed);
        self.forget_over();
        self.suspended.store(0, Ordering::Relaxed);
        self.ready.store(0, Ordering::Relaxed);
    }
}

fn add(sum: &AtomicU64, count: &AtomicU32, units: u64) {
    sum.store(sum.load(Ordering::Relaxed) + units, Ordering::Relaxed);
    let one = u32::from(units > 0);
    count.store(count.load(Ordering::Relaxed).saturating_add(one), Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::{GvlEvents, Over};
    use crate::accounting::{Resumed, ThreadClock};
    use crate::state::Mode;
    use crate::time::{Nanos, Reading, Scale, Stamp};

    const AT_ONCE: Stamp = Stamp(0);
    const LATER: Stamp = Stamp(u64::MAX);
    /// Long after all events.
    const NOW: Reading = Reading { stamp: Stamp(1_000_000), wall: Nanos(1_000_000) };

    fn running(mode: Mode) -> (GvlEvents, ThreadClock) {
        (GvlEvents::default(), ThreadClock::running(mode, false, Nanos(100), Nanos::ZERO))
    }

    fn tell(events: &GvlEvents, clock: &mut ThreadClock) -> Over {
        events.tell(clock, Scale::NANOS, || NOW)
    }

    fn resumed(events: &GvlEvents, clock: &mut ThreadClock, wall: u64) -> Resumed {
        assert!(!events.resumed(Stamp(wall)));
        assert_eq!(tell(events, clock), Over::default());
        clock.resume(Nanos(wall), None)
    }

    #[test]
    fn a_suspension_is_blocked_until_ready_and_waits_from_then_on() {
        let (events, mut clock) = running(Mode::Wall);
        events.suspended(Stamp(200), AT_ONCE);
        events.ready(Stamp(500));
        let expected = Resumed { blocked: Nanos(300), waited: Nanos(400), off_gvl: Nanos::ZERO };
        assert_eq!(resumed(&events, &mut clock, 900), expected);
    }

    #[test]
    fn events_are_told_once() {
        let (events, mut clock) = running(Mode::Wall);
        events.suspended(Stamp(200), AT_ONCE);
        resumed(&events, &mut clock, 300);
        assert_eq!(resumed(&events, &mut clock, 400), Resumed::default());
        events.suspended(Stamp(500), AT_ONCE);
        events.clear();
        assert_eq!(resumed(&events, &mut clock, 600), Resumed::default());
    }

    #[test]
    fn a_ready_of_the_suspension_before_is_not_taken_for_this_ones() {
        let (events, mut clock) = running(Mode::Wall);
        events.suspended(Stamp(200), AT_ONCE);
        resumed(&events, &mut clock, 300);
        events.ready(Stamp(290));
        events.suspended(Stamp(400), AT_ONCE);
        let blocked = Resumed { blocked: Nanos(300), waited: Nanos::ZERO, off_gvl: Nanos::ZERO };
        assert_eq!(resumed(&events, &mut clock, 700), blocked);
    }

    #[test]
    fn a_suspension_that_was_told_before_it_was_ready_is_still_told_that() {
        let (events, mut clock) = running(Mode::Wall);
        events.suspended(Stamp(200), LATER);
        tell(&events, &mut clock);
        events.ready(Stamp(300));
        let expected = Resumed { blocked: Nanos(100), waited: Nanos(50), off_gvl: Nanos::ZERO };
        assert_eq!(resumed(&events, &mut clock, 350), expected, "its end is told at once");
    }

    #[test]
    fn ends_are_told_together_with_what_was_before() {
        let (events, mut clock) = running(Mode::Wall);
        for begin in [1_000, 2_000, 3_000] {
            events.suspended(Stamp(begin), LATER);
            events.ready(Stamp(begin + 200));
            assert!(events.resumed(Stamp(begin + 600)));
        }
        let over = Over { blocked: Nanos(600), waited: Nanos(1_200), counts: [3, 3] };
        assert_eq!(tell(&events, &mut clock), over);
        assert_eq!(tell(&events, &mut clock), Over::default());
        assert_eq!(clock.tick(Nanos(4_100), Nanos::ZERO, false), Nanos(4_000 - 1_800));
    }

    #[test]
    fn a_ready_that_was_said_too_late_is_no_later_than_the_end() {
        let (events, mut clock) = running(Mode::Wall);
        events.suspended(Stamp(200), LATER);
        assert!(events.resumed(Stamp(300)));
        events.ready(Stamp(310));
        let over = Over { blocked: Nanos(100), waited: Nanos::ZERO, counts: [1, 0] };
        assert_eq!(tell(&events, &mut clock), over);
    }

    #[test]
    fn in_cpu_mode_time_without_the_gvl_bounds_what_was_used_with_it() {
        let (events, mut clock) = running(Mode::Cpu);
        for begin in [1_000, 2_000, 3_000] {
            events.suspended(Stamp(begin), LATER);
            assert!(events.resumed(Stamp(begin + 600)));
        }
        tell(&events, &mut clock);
        // It had the GVL for 3,900 - 3 * 600, so that 300 of what it used were used without.
        assert_eq!(clock.tick(Nanos(4_000), Nanos(2_400), false), Nanos(2_100));
    }

    #[test]
    fn in_cpu_mode_ends_are_told_before_they_come_to_much() {
        let (events, mut clock) = running(Mode::Cpu);
        let mut late = 0;
        for begin in (1..=10).map(|number| number * 20_000) {
            let end = begin + 15_000;
            events.suspended(Stamp(begin), events.late_until(Stamp(begin), 50_000));
            if events.resumed(Stamp(end)) {
                late += 1;
            } else {
                tell(&events, &mut clock);
                clock.resume(Nanos(end), None);
            }
        }
        // Three of 15 us each, then one that tells: of ten.
        assert_eq!(late, 8);
    }

    #[test]
    fn of_two_suspensions_in_a_row_the_later_counts() {
        let (events, mut clock) = running(Mode::Wall);
        events.suspended(Stamp(200), AT_ONCE);
        events.suspended(Stamp(300), AT_ONCE);
        assert_eq!(resumed(&events, &mut clock, 350).blocked, Nanos(50));
        assert_eq!(clock.tick(Nanos(400), Nanos::ZERO, false), Nanos(250));
    }

    #[test]
    fn no_more_is_over_than_time_has_passed() {
        let (events, mut clock) = running(Mode::Wall);
        events.suspended(Stamp(7_000), LATER);
        events.ready(Stamp(7_400));
        assert!(events.resumed(Stamp(9_000)), "the machine slept, and the counter went on");
        let now = Reading { stamp: Stamp(9_000), wall: Nanos(600) };
        let over = Over { blocked: Nanos(400), waited: Nanos(100), counts: [1, 1] };
        assert_eq!(events.tell(&mut clock, Scale::NANOS, || now), over);
        assert_eq!(clock.tick(Nanos(650), Nanos::ZERO, false), Nanos(50));
    }

    #[test]
    fn stamps_become_times_of_the_wall_clock() {
        let (events, mut clock) = running(Mode::Wall);
        let at = |stamp: u64, wall: u64| Reading { stamp: Stamp(stamp), wall: Nanos(wall) };
        let scale = Scale::between(at(0, 0), at(2, 1)).expect("two units in a nanosecond");
        events.suspended(Stamp(7_000), LATER);
        assert!(events.resumed(Stamp(7_400)));
        events.suspended(Stamp(8_000), LATER);
        let over = Over { blocked: Nanos(200), waited: Nanos::ZERO, counts: [1, 0] };
        assert_eq!(events.tell(&mut clock, scale, || at(8_600, 900)), over);
        // It has run for 600 - 100, but for those 200, before it was suspended at 600.
        assert_eq!(clock.resume(Nanos(900), None).blocked, Nanos(300));
        assert_eq!(clock.tick(Nanos(900), Nanos::ZERO, false), Nanos(300));
    }
}
