//! Handing over to the worker: full buffers, and word that somebody runs again.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crossbeam_channel::{Receiver, Sender, bounded};
use rperf_core::collect::SampleBuffer;

use crate::bell::Bell;
use crate::store::Store;
use crate::threads::live::LIVE;

/// The sampler's side: full buffers go, empty ones come.
pub struct Exchange {
    full: Sender<SampleBuffer>,
    empty: Receiver<SampleBuffer>,
    bell: Arc<Bell>,
}

impl Exchange {
    /// Gives the full buffer away, if there is an empty one to go on with.
    pub fn exchange(&self, buffer: &mut SampleBuffer) {
        let Ok(empty) = self.empty.try_recv() else { return };
        let full = std::mem::replace(buffer, empty);
        if let Err(not_sent) = self.full.try_send(full) {
            *buffer = not_sent.into_inner();
        }
        self.bell.ring();
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
    /// Both sides. `bell` reaches the worker.
    pub fn new(store: Store, bell: Arc<Bell>) -> (Self, Exchange) {
        let (full, full_out) = bounded(2);
        let (empty_in, empty) = bounded(2);
        // One buffer is with the sampler, one waits here.
        let _room_for_two = empty_in.try_send(SampleBuffer::new());
        let store = Arc::new(Mutex::new(store));
        (Self { full: full_out, empty: empty_in, store }, Exchange { full, empty, bell })
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

/// The bell of the running session's worker, for hooks.
static BELL: Mutex<Option<Arc<Bell>>> = Mutex::new(None);

/// Says how the worker is woken, or that there is none any more.
pub fn set_bell(bell: Option<Arc<Bell>>) {
    *BELL.lock().unwrap_or_else(PoisonError::into_inner) = bell;
}

/// Wakes the worker, from a hook: never waits.
pub fn wake_worker() {
    if let Ok(bell) = BELL.try_lock()
        && let Some(bell) = bell.as_ref()
    {
        bell.ring();
    }
}

/// Wakes the worker if it rests: somebody runs again.
pub fn wake_resting_worker() {
    if LIVE.worker_idle.load(Ordering::Relaxed) && LIVE.worker_idle.swap(false, Ordering::SeqCst) {
        wake_worker();
    }
}

/// Abandons the parent's worker in a forked child, without touching what belongs to it.
pub fn abandon() {
    if let Ok(mut bell) = BELL.try_lock() {
        std::mem::forget(bell.take());
    }
}
