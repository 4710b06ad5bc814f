//! The waker: how the sampling thread is woken and told to end. Waking takes no lock and never
//! waits, so hooks may do it.
//!
//! It is no channel, since those spin before they sleep: some microseconds at every tick.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::{self, Thread};
use std::time::Instant;

use crate::os::lock::Lock;
use crate::threads::session_flags::FLAGS;

/// No call has come.
const NONE: u8 = 0;
/// A thread runs again.
const CALLED: u8 = 1;
/// The session is over.
const END: u8 = 2;

/// Why the sampling thread goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wake {
    /// It was called: a thread runs again.
    Called,
    /// It shall end.
    End,
    /// The deadline has come.
    Deadline,
}

/// The waker of one sampling thread.
#[derive(Debug, Default)]
pub struct Waker {
    state: AtomicU8,
    sleeper: OnceLock<Thread>,
}

impl Waker {
    /// Wakes the sampling thread, from any thread.
    pub fn wake(&self) {
        self.raise(CALLED);
    }

    /// Tells it to end.
    pub fn end(&self) {
        self.raise(END);
    }

    fn raise(&self, state: u8) {
        if self.state.fetch_max(state, Ordering::AcqRel) < state
            && let Some(sleeper) = self.sleeper.get()
        {
            sleeper.unpark();
        }
    }

    /// Waits for a call, at most until the deadline. Always on the same thread.
    pub fn wait(&self, deadline: Option<Instant>) -> Wake {
        // Before the first look: a call that comes later wakes this thread.
        self.sleeper.get_or_init(thread::current);
        loop {
            match self.state.compare_exchange(CALLED, NONE, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return Wake::Called,
                Err(END) => return Wake::End,
                Err(_) => {}
            }
            match deadline {
                None => thread::park(),
                Some(deadline) => match deadline.checked_duration_since(Instant::now()) {
                    Some(left) if !left.is_zero() => thread::park_timeout(left),
                    _ => return Wake::Deadline,
                },
            }
        }
    }
}

/// The waker of the running session's sampling thread, for hooks.
pub static WAKER: Lock<Option<Arc<Waker>>> = Lock::new(None);

/// Wakes the sampling thread if it rests, from a hook: never waits.
pub fn wake_if_resting() {
    if FLAGS.resting.load(Ordering::Relaxed)
        && FLAGS.resting.swap(false, Ordering::SeqCst)
        && let Some(waker) = WAKER.try_lock()
        && let Some(waker) = waker.as_ref()
    {
        waker.wake();
    }
}
