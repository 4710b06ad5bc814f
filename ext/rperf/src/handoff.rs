//! Handing over to the worker: full buffers, and word that somebody runs again.

use std::sync::{Mutex, PoisonError};

use crossbeam_channel::Sender;
use rperf_core::collect::SampleBuffer;

/// What the worker is told.
pub enum Message {
    /// Aggregate these samples.
    Buffer(SampleBuffer),
    /// Somebody runs again: tick.
    Wake,
    /// Aggregate what is left, and end.
    Stop,
}

/// How hooks wake the worker of the running session.
static WAKER: Mutex<Option<Sender<Message>>> = Mutex::new(None);

/// Says how the worker is woken, or that there is none any more.
pub fn set_waker(waker: Option<Sender<Message>>) {
    *WAKER.lock().unwrap_or_else(PoisonError::into_inner) = waker;
}

/// Wakes the worker, from a hook: never waits.
pub fn wake_worker() {
    if let Ok(waker) = WAKER.try_lock()
        && let Some(waker) = waker.as_ref()
    {
        let _already_told = waker.try_send(Message::Wake);
    }
}

/// Abandons the parent's worker in a forked child, without touching its channel.
pub fn abandon() {
    if let Ok(mut waker) = WAKER.try_lock() {
        std::mem::forget(waker.take());
    }
}
