//! The bell: how the worker is woken and told to end. Ringing takes no lock and never waits, so hooks may ring.
//!
//! Not a channel, since those spin before they sleep: some microseconds at every tick.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread::{self, Thread};
use std::time::Instant;

/// Nobody has rung.
const SILENT: u8 = 0;
/// A buffer waits, or somebody runs again.
const RUNG: u8 = 1;
/// The session is over.
const END: u8 = 2;

/// What the worker heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    /// The bell: a buffer waits, or somebody runs again.
    Ring,
    /// That it shall end.
    End,
    /// Nothing, until the deadline.
    Nothing,
}

/// The bell of one worker.
#[derive(Debug, Default)]
pub struct Bell {
    state: AtomicU8,
    listener: OnceLock<Thread>,
}

impl Bell {
    /// Wakes the worker, from any thread.
    pub fn ring(&self) {
        self.raise(RUNG);
    }

    /// Tells it to end.
    pub fn end(&self) {
        self.raise(END);
    }

    fn raise(&self, state: u8) {
        if self.state.fetch_max(state, Ordering::AcqRel) < state
            && let Some(listener) = self.listener.get()
        {
            listener.unpark();
        }
    }

    /// Waits for a ring, at most until the deadline. Always on the same thread.
    pub fn listen(&self, deadline: Option<Instant>) -> Heard {
        // Before the first look: who rings later wakes this thread.
        self.listener.get_or_init(thread::current);
        loop {
            match self.state.compare_exchange(RUNG, SILENT, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return Heard::Ring,
                Err(END) => return Heard::End,
                Err(_) => {}
            }
            match deadline {
                None => thread::park(),
                Some(deadline) => match deadline.checked_duration_since(Instant::now()) {
                    Some(left) if !left.is_zero() => thread::park_timeout(left),
                    _ => return Heard::Nothing,
                },
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    use super::{Bell, Heard};

    #[test]
    fn a_ring_before_listening_is_heard_once() {
        let bell = Bell::default();
        bell.ring();
        bell.ring();
        assert_eq!(bell.listen(None), Heard::Ring);
        assert_eq!(bell.listen(Some(Instant::now())), Heard::Nothing);
    }

    #[test]
    fn the_end_is_heard_from_then_on() {
        let bell = Bell::default();
        bell.end();
        bell.ring();
        assert_eq!([bell.listen(None), bell.listen(None)], [Heard::End; 2]);
    }

    #[test]
    fn every_ring_while_nobody_is_awake_wakes() {
        let bell = Arc::new(Bell::default());
        let listener = {
            let bell = Arc::clone(&bell);
            std::thread::spawn(move || {
                std::iter::repeat_with(|| bell.listen(None)).position(|heard| heard == Heard::End)
            })
        };
        let deadline = Instant::now() + Duration::from_secs(60);
        for _ in 0..10_000 {
            bell.ring();
            // Heard before the next one, or this would go on for ever.
            while bell.state.load(std::sync::atomic::Ordering::Acquire) != super::SILENT {
                assert!(Instant::now() < deadline, "a ring was not heard");
                std::thread::yield_now();
            }
        }
        bell.end();
        assert_eq!(listener.join().expect("it does not panic"), Some(10_000));
    }
}
