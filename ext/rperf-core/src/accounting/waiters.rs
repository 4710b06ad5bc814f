//! Number of threads that wait for the GVL, and the time that all have waited: two numbers that
//! events of any thread change, and that the sampling thread reads at a tick.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::time::Nanos;

/// Offset of each moment in the sum. A reading between the two additions of an event is wrong by
/// this offset. It is more than all threads can have waited, so the error is noticed.
const FAR: u64 = 1 << 60;

/// Counters of the threads that wait for the GVL.
#[derive(Debug, Default)]
pub struct Waiters {
    count: AtomicU64,
    /// Sum of the moments at which waits ended, less the moments at which waits began, modulo 2 to
    /// the power of 64.
    sum: AtomicU64,
}

/// Waits of all threads up to a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waited {
    /// Number of threads that wait.
    pub count: u64,
    /// Time that these threads have waited so far, and others before, in all.
    pub time: Nanos,
}

impl Waiters {
    /// Creates counters without waits.
    pub const fn new() -> Self {
        Self { count: AtomicU64::new(0), sum: AtomicU64::new(0) }
    }

    /// Adds a thread that waits from `now` on.
    pub fn begin(&self, now: Nanos) {
        self.count.fetch_add(1, Ordering::Relaxed);
        self.sum.fetch_sub(now.0.wrapping_add(FAR), Ordering::Relaxed);
    }

    /// Removes a thread that has waited until `now`.
    pub fn end(&self, now: Nanos) {
        self.count.fetch_sub(1, Ordering::Relaxed);
        self.sum.fetch_add(now.0.wrapping_add(FAR), Ordering::Relaxed);
    }

    /// Returns the waits up to `now`; `None` in the middle of an event.
    pub fn read(&self, now: Nanos) -> Option<Waited> {
        let count = self.count.load(Ordering::Relaxed);
        let sum = self.sum.load(Ordering::Relaxed);
        let time = sum.wrapping_add(count.wrapping_mul(now.0.wrapping_add(FAR))).cast_signed();
        // An event may be a little later than `now`.
        let is_whole = time.unsigned_abs() < FAR / 2;
        is_whole.then(|| Waited { count, time: Nanos(time.max(0).cast_unsigned()) })
    }

    /// Returns whether a thread waits.
    pub fn is_any(&self) -> bool {
        self.count.load(Ordering::Relaxed) > 0
    }

    /// Forgets all waits.
    pub fn clear(&self) {
        self.count.store(0, Ordering::Relaxed);
        self.sum.store(0, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(waiters: &Waiters, now: u64) -> Option<(u64, u64)> {
        waiters.read(Nanos(now)).map(|waited| (waited.count, waited.time.0))
    }

    #[test]
    fn waits_that_go_on_count_as_far_as_they_have_come() {
        let waiters = Waiters::new();
        assert_eq!(read(&waiters, 5), Some((0, 0)));
        waiters.begin(Nanos(100));
        waiters.begin(Nanos(150));
        assert_eq!(read(&waiters, 200), Some((2, 150)));
        waiters.end(Nanos(220));
        assert_eq!(read(&waiters, 300), Some((1, 270)));
        waiters.end(Nanos(310));
        assert_eq!((read(&waiters, 1_000), waiters.is_any()), (Some((0, 280)), false));
    }

    #[test]
    fn many_wait_on_a_clock_of_any_age() {
        let waiters = Waiters::new();
        let year = 31_536_000_000_000_000;
        for number in 0..1_000 {
            waiters.begin(Nanos(year + number));
        }
        assert_eq!(read(&waiters, year + 1_000), Some((1_000, 500_500)));
    }

    #[test]
    fn an_event_just_after_the_moment_of_reading_is_no_wait_yet() {
        let waiters = Waiters::new();
        waiters.begin(Nanos(700));
        assert_eq!(read(&waiters, 690), Some((1, 0)));
    }

    #[test]
    fn a_reading_in_the_middle_of_an_event_is_noticed() {
        let waiters = Waiters::new();
        waiters.begin(Nanos(100));
        for (middle, whole) in [(1, 1_000), (u64::MAX, 0)] {
            waiters.count.fetch_add(middle, Ordering::Relaxed);
            assert_eq!(read(&waiters, 1_100), None, "{whole}");
            waiters.count.fetch_sub(middle, Ordering::Relaxed);
        }
        assert_eq!(read(&waiters, 1_100), Some((1, 1_000)));
    }
}
