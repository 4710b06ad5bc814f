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
///
/// Where no such tick comes, the time of each thread that a tick has met belongs to the `Place` of
/// its last one.
#[derive(Debug)]
pub struct ShortThreadRemainder<Place> {
    time: Nanos,
    count: u64,
    placed: Vec<(Place, Nanos)>,
}

impl<Place> ShortThreadRemainder<Place> {
    /// Leaves the time of a thread that ended. `place`: what its last tick met, if there was one.
    pub fn leave(&mut self, time: Nanos, place: Option<Place>) {
        match place {
            Some(place) => self.placed.push((place, time)),
            None => {
                self.time += time;
                self.count += 1;
            }
        }
    }

    /// Takes the time of all: it belongs to the next tick.
    pub fn take(&mut self) -> Nanos {
        let placed: Nanos = self.placed.drain(..).map(|(_, time)| time).sum();
        placed + self.take_unplaced().0
    }

    /// The places that time waits for.
    pub fn places(&self) -> impl Iterator<Item = &Place> {
        self.placed.iter().map(|(place, _)| place)
    }

    /// No tick comes: takes the time of threads with a last tick, each with the place of that.
    pub fn take_placed(&mut self) -> Vec<(Place, Nanos)> {
        std::mem::take(&mut self.placed)
    }

    /// The same for those that no tick has met: their time, and how many they are.
    pub fn take_unplaced(&mut self) -> (Nanos, u64) {
        (std::mem::take(&mut self.time), std::mem::take(&mut self.count))
    }
}

impl<Place> Default for ShortThreadRemainder<Place> {
    fn default() -> Self {
        Self { time: Nanos::ZERO, count: 0, placed: Vec::new() }
    }
}
