//! A parked thread that takes the ticks of a POSIX timer, so that no other thread is interrupted.

use std::io::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread::JoinHandle;

use super::posix::{self, Timer};

/// The thread and its timer. Dropping it ends both.
pub struct Worker {
    timer: Option<Timer>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Worker {
    /// Starts the thread and a timer that signals it each `interval_ns`.
    pub fn start(interval_ns: u64) -> Result<Self, Error> {
        let stop = Arc::new(AtomicBool::new(false));
        let (tell_tid, tid) = mpsc::channel();
        let stopped = Arc::clone(&stop);
        let builder = std::thread::Builder::new().name("bare timer".to_owned());
        let thread = builder.spawn(move || park(&tell_tid, &stopped))?;
        let mut worker = Self { timer: None, stop, thread: Some(thread) };
        let tid = tid.recv().map_err(|_| Error::other("the worker thread ended early"))?;
        worker.timer = Some(Timer::for_thread(tid, interval_ns)?);
        Ok(worker)
    }
}

fn park(tell_tid: &mpsc::Sender<libc::pid_t>, stop: &AtomicBool) {
    if tell_tid.send(posix::own_tid()).is_err() {
        return;
    }
    while !stop.load(Ordering::Acquire) {
        std::thread::park();
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // The timer goes first: its thread must live while the timer is armed.
        self.timer = None;
        self.stop.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ended = thread.join();
        }
    }
}
