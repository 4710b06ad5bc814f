//! Short threads: which ticks are charged with the time of threads that end after few ticks.

use crate::time::Nanos;

/// Number of ticks, approximately, that the time of a stopped program is divided among. A
/// container's limit stops it for 40 ms. Where the thread ends before the sampling thread runs
/// again, the next tick always meets the beginning of another thread. (Measured: that beginning had
/// up to 8 % of the time of threads of 1 ms.)
const TICKS: u64 = 8;

/// Returns the halves of the time between two ticks, parts of which several threads ran: the first
/// for the stack of the earlier tick, the second for that of the later one. Charging the later tick
/// with all of it would favour what threads do early, or late.
pub fn halves(time: Nanos) -> [Nanos; 2] {
    let earlier = Nanos(time.0 / 2);
    [earlier, time - earlier]
}

/// Time of short threads that have ended. A thread that lives less than a period often ends without
/// a tick. Dropping its time would make short threads vanish. Charging the time to the thread's
/// last stack would favour what threads do late. So the next tick of a short thread gets it.
///
/// Where no such tick comes, the time of each thread that a tick has met belongs to the `Place` of
/// the thread's last tick.
#[derive(Debug)]
pub struct ShortThreadRemainder<Place> {
    time: Nanos,
    count: u64,
    placed: Vec<(Place, Nanos)>,
}

impl<Place> ShortThreadRemainder<Place> {
    /// Adds the time of a thread that has ended. `place`: place of its last tick, if it had one.
    pub fn leave(&mut self, time: Nanos, place: Option<Place>) {
        match place {
            Some(place) => self.placed.push((place, time)),
            None => {
                self.time += time;
                self.count += 1;
            }
        }
    }

    /// Takes time for a tick: all if it is at most `least`, else that much or a [part](TICKS).
    pub fn take(&mut self, least: Nanos) -> Nanos {
        let placed: Nanos = self.placed.iter().map(|(_, time)| *time).sum();
        let most = least.max(Nanos((placed + self.time).0 / TICKS));
        let mut left = most;
        while let Some((_, time)) = self.placed.last_mut().filter(|_| left > Nanos::ZERO) {
            let part = left.min(*time);
            (left, *time) = (left - part, *time - part);
            if *time == Nanos::ZERO {
                self.placed.pop();
            }
        }
        let part = left.min(self.time);
        self.time = self.time - part;
        self.count = if self.time == Nanos::ZERO { 0 } else { self.count };
        most - left + part
    }

    /// Returns the places of the threads' last ticks.
    pub fn places(&self) -> impl Iterator<Item = &Place> {
        self.placed.iter().map(|(place, _)| place)
    }

    /// Takes the time of threads with a last tick, and the places of these, where no tick comes.
    pub fn take_placed(&mut self) -> Vec<(Place, Nanos)> {
        std::mem::take(&mut self.placed)
    }

    /// Takes the time of the threads that no tick has met. Returns it, and how many they are.
    pub fn take_unplaced(&mut self) -> (Nanos, u64) {
        (std::mem::take(&mut self.time), std::mem::take(&mut self.count))
    }
}

impl<Place> Default for ShortThreadRemainder<Place> {
    fn default() -> Self {
        Self { time: Nanos::ZERO, count: 0, placed: Vec::new() }
    }
}
