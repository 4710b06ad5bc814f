//! Whose ticks the time of threads belongs to that live no longer than a period.

use crate::time::Nanos;

/// The time between two ticks that no single thread ran: half of it belongs to what each of them
/// met, the earlier one's first. Given to the later one alone it would favour what threads do
/// early, or late.
pub fn halves(time: Nanos) -> [Nanos; 2] {
    let earlier = Nanos(time.0 / 2);
    [earlier, time - earlier]
}

/// The time of short threads that have ended. A thread that lives less than a period often ends
/// without a tick. Dropping its time would make short threads vanish; charging it to what came last
/// would favour what threads do late. So it goes on to the next tick of a short thread.
#[derive(Debug, Default)]
pub struct ShortThreadRemainder {
    time: Nanos,
    count: u64,
}

impl ShortThreadRemainder {
    /// Leaves the time of a thread that ended.
    pub fn leave(&mut self, time: Nanos) {
        self.time += time;
        self.count += 1;
    }

    /// Takes the time of all: it belongs to the next tick.
    pub fn take(&mut self) -> Nanos {
        self.count = 0;
        std::mem::take(&mut self.time)
    }

    /// How many threads' time waits.
    pub fn count(&self) -> u64 {
        self.count
    }
}
