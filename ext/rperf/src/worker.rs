//! The worker: a native thread that aggregates full buffers, and that ticks where no task clock does.
//!
//! Context: no Ruby. It reads clocks, uses atomics and the core, and asks the VM for safepoints; it never
//! looks at an object.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};
use rperf_core::accounting::Jitter;
use rperf_core::collect::SampleBuffer;
use rperf_core::state::Mode;

use crate::handoff::Message;
use crate::os::posix_timer::PosixTimer;
use crate::os::{signal, thread};
use crate::store::Store;
use crate::threads::live::LIVE;
use crate::vm::postponed;
use crate::watch::Watch;

/// Where the worker's ticks come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ticker {
    /// It does not tick: task clocks do, or nobody (cpu mode needs no more).
    None,
    /// It looks now and then whether the holder of the GVL sleeps.
    Watch,
    /// A POSIX timer's signal wakes it.
    PosixTimer(i32),
    /// A deadline wakes it.
    Deadline,
}

/// What a tick of the worker's does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TickAction {
    /// Ask for a safepoint, where the sample is taken.
    Safepoint,
    /// Read the holder's frames from here.
    Capture,
}

/// After so many ticks at which nobody held the GVL, the worker stops ticking until somebody does.
const IDLE_TICKS: u32 = 5;

/// A running worker.
pub struct Worker {
    handle: JoinHandle<()>,
    messages: Sender<Message>,
    native: thread::Handle,
    signal: Option<i32>,
    store: Arc<Mutex<Store>>,
}

/// The ends of the channels that the sampler uses.
pub struct SamplerEnds {
    /// Full buffers go in here.
    pub to_worker: Sender<Message>,
    /// Empty ones come out here.
    pub from_worker: Receiver<SampleBuffer>,
}

impl Worker {
    /// Starts it. Fails when the system gives no thread or no timer.
    pub fn start(
        ticker: Ticker,
        action: TickAction,
        mode: Mode,
        period: u64,
        store: Store,
    ) -> std::io::Result<(Self, SamplerEnds)> {
        let (messages, inbox) = bounded(8);
        let (empties, from_worker) = bounded(2);
        let (ready, started) = bounded(1);
        let store = Arc::new(Mutex::new(store));
        // One buffer is with the sampler, one waits here.
        let _room_for_two = empties.try_send(SampleBuffer::new());
        let shared = Arc::clone(&store);
        let handle = std::thread::Builder::new().name("rperf".to_owned()).spawn(move || {
            signal::block_all();
            let timer = match ticker {
                Ticker::PosixTimer(number) => {
                    PosixTimer::for_current_thread(number).map(|timer| Some((timer, number)))
                }
                _ => Ok(None),
            };
            let timer = match timer {
                Ok(timer) => timer,
                Err(error) => {
                    let _parent_waits = ready.send(Err(error));
                    return;
                }
            };
            let _parent_waits = ready.send(Ok(thread::Handle::current()));
            Loop {
                inbox,
                empties,
                store: shared,
                action,
                signal: if let Ticker::PosixTimer(number) = ticker { number } else { 0 },
                jitter: Jitter::new(period, period),
                watch: Watch::new(mode, period),
            }
            .run(ticker, timer);
        })?;
        let native = started.recv().map_err(std::io::Error::other)??;
        let signal = if let Ticker::PosixTimer(number) = ticker { Some(number) } else { None };
        let ends = SamplerEnds { to_worker: messages.clone(), from_worker };
        Ok((Self { handle, messages, native, signal, store }, ends))
    }

    /// How to wake it from a hook.
    pub fn waker(&self) -> Sender<Message> {
        self.messages.clone()
    }

    /// Ends it after it has aggregated all buffers sent before and `last`.
    pub fn stop(self, last: SampleBuffer) -> Arc<Mutex<Store>> {
        let _ended_by_panic = self.messages.send(Message::Buffer(last));
        let _ended_by_panic = self.messages.send(Message::Stop);
        if let Some(signal) = self.signal {
            self.native.kill(signal);
        }
        let _ended_by_panic = self.handle.join();
        self.store
    }

    /// What has been aggregated so far.
    pub fn store(&self) -> MutexGuard<'_, Store> {
        lock(&self.store)
    }
}

/// Locks the store.
pub fn lock(store: &Mutex<Store>) -> MutexGuard<'_, Store> {
    store.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The worker's own side.
struct Loop {
    inbox: Receiver<Message>,
    empties: Sender<SampleBuffer>,
    store: Arc<Mutex<Store>>,
    action: TickAction,
    /// The signal of ticks.
    signal: i32,
    jitter: Jitter,
    watch: Watch,
}

/// Whether the worker goes on.
#[derive(PartialEq, Eq)]
enum Next {
    Go,
    End,
}

impl Loop {
    fn run(mut self, ticker: Ticker, timer: Option<(PosixTimer, i32)>) {
        match (ticker, timer) {
            (Ticker::None, _) => while self.receive() == Next::Go {},
            (_, Some((timer, signal))) => self.run_timer(&timer, signal),
            (ticker, None) => self.run_deadlines(ticker),
        }
    }

    /// Waits for a message, for as long as it takes.
    fn receive(&self) -> Next {
        self.inbox.recv().map_or(Next::End, |message| self.handle(message))
    }

    fn handle(&self, message: Message) -> Next {
        match message {
            Message::Buffer(mut buffer) => {
                lock(&self.store).aggregate(&buffer);
                buffer.clear();
                let _full_or_gone = self.empties.try_send(buffer);
                Next::Go
            }
            Message::Wake => Next::Go,
            Message::Stop => Next::End,
        }
    }

    fn run_timer(&mut self, timer: &PosixTimer, signal: i32) {
        let mut idle = 0;
        loop {
            timer.arm_once(Duration::from_nanos(self.jitter.period()));
            // The limit only guards against a lost signal.
            signal::wait(signal, Duration::from_secs(1));
            while let Ok(message) = self.inbox.try_recv() {
                if self.handle(message) == Next::End {
                    return;
                }
            }
            if self.tick(&mut idle) && self.rest(&mut idle) == Next::End {
                return;
            }
        }
    }

    /// A loop of deadlines: time spent on aggregating does not shift the ticks that follow.
    fn run_deadlines(&mut self, ticker: Ticker) {
        let mut idle = 0;
        let mut deadline = Instant::now();
        loop {
            let period = if ticker == Ticker::Watch { self.watch.next_look() } else { self.jitter.period() };
            deadline = (deadline + Duration::from_nanos(period)).max(Instant::now());
            match self.inbox.recv_deadline(deadline) {
                Ok(message) => match self.handle(message) {
                    Next::End => return,
                    Next::Go => continue,
                },
                Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => {}
            }
            let nobody_runs =
                if ticker == Ticker::Watch { self.look(&mut idle) } else { self.tick(&mut idle) };
            if nobody_runs && self.rest(&mut idle) == Next::End {
                return;
            }
            deadline = deadline.max(Instant::now() - Duration::from_millis(1));
        }
    }

    /// One tick. True when nobody has held the GVL for a while.
    fn tick(&mut self, idle: &mut u32) -> bool {
        if LIVE.holder().is_none() {
            *idle += 1;
            return *idle >= IDLE_TICKS;
        }
        *idle = 0;
        LIVE.ticks.fetch_add(1, Ordering::Relaxed);
        match self.action {
            TickAction::Safepoint => postponed::trigger(),
            TickAction::Capture => self.watch.capture(self.signal),
        }
        false
    }

    /// One look for a sleeping holder. True when nobody has held the GVL for a while.
    fn look(&mut self, idle: &mut u32) -> bool {
        if LIVE.holder().is_none() {
            *idle += 1;
            return *idle >= IDLE_TICKS;
        }
        *idle = 0;
        self.watch.look();
        false
    }

    /// Waits until somebody runs again: an idle program is not woken.
    fn rest(&mut self, idle: &mut u32) -> Next {
        *idle = 0;
        LIVE.worker_idle.store(true, Ordering::Release);
        // Somebody may have resumed between the last look and the flag.
        if LIVE.holder().is_some() && LIVE.worker_idle.swap(false, Ordering::AcqRel) {
            return Next::Go;
        }
        self.receive()
    }
}
