//! Handing over to the worker: full buffers, and word that somebody runs again.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crossbeam_channel::{Receiver, Sender, bounded};
use rperf_core::collect::SampleBuffer;

use crate::store::Store;

use crate::threads::live::LIVE;

/// What the worker is told.
pub enum Message {
    /// A buffer waits, or somebody runs again: tick.
    Wake,
    /// End.
    Stop,
}

/// The sampler's side: full buffers go, empty ones come.
pub struct Exchange {
    full: Sender<SampleBuffer>,
    empty: Receiver<SampleBuffer>,
    waker: Sender<Message>,
}

impl Exchange {
    /// Gives the full buffer away, if there is an empty one to go on with.
    pub fn exchange(&self, buffer: &mut SampleBuffer) {
        let Ok(empty) = self.empty.try_recv() else { return };
        let full = std::mem::replace(buffer, empty);
        if let Err(not_sent) = self.full.try_send(full) {
            *buffer = not_sent.into_inner();
        }
        // When there is no room for the message, the worker has others to wake up for.
        let _told_already = self.waker.try_send(Message::Wake);
    }
}

/// The other side: where the samples of full buffers are aggregated, by the worker, or by whoever takes a snapshot and
/// wants them all.
#[derive(Clone)]
pub struct Intake {
    full: Receiver<SampleBuffer>,
    empty: Sender<SampleBuffer>,
    store: Arc<Mutex<Store>>,
}

impl Intake {
    /// Both sides. `waker` reaches the worker.
    pub fn new(store: Store, waker: Sender<Message>) -> (Self, Exchange) {
        let (full, full_out) = bounded(2);
        let (empty_in, empty) = bounded(2);
        // One buffer is with the sampler, one waits here.
        let _room_for_two = empty_in.try_send(SampleBuffer::new());
        let store = Arc::new(Mutex::new(store));
        (Self { full: full_out, empty: empty_in, store }, Exchange { full, empty, waker })
    }

    /// The store, with all buffers that were handed over so far.
    pub fn collect(&self) -> MutexGuard<'_, Store> {
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        // Taken out under the lock: a buffer is in the channel or in the store, never between.
        while let Ok(mut buffer) = self.full.try_recv() {
            store.aggregate(&buffer);
            buffer.clear();
            let _full_or_gone = self.empty.try_send(buffer);
        }
        store
    }
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

/// Wakes the worker if it rests: somebody runs again.
pub fn wake_resting_worker() {
    if LIVE.worker_idle.swap(false, Ordering::SeqCst) {
        wake_worker();
    }
}

/// Abandons the parent's worker in a forked child, without touching its channel.
pub fn abandon() {
    if let Ok(mut waker) = WAKER.try_lock() {
        std::mem::forget(waker.take());
    }
}
