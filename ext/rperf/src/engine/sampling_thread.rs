//! The sampling thread: a native thread that the VM does not know. It wakes up once in each period,
//! at a random moment, and has the engine take a tick. A waker ends its rest, or the thread. The
//! waker takes no lock and never waits, so hooks may use it.
//!
//! Context: no Ruby. The sampling thread reads clocks and memory, takes the sampler's lock and asks
//! the VM for safepoints. It never looks at an object.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, OnceLock, mpsc};
use std::thread::{self, JoinHandle, Thread};
use std::time::{Duration, Instant};

use rperf_core::accounting::Schedule;
use rperf_core::time::Nanos;

use super::Engine;
use super::native_leaves;
use super::stack_poller::StackPoller;
use crate::os::clock::{self, CpuClock};
use crate::os::signal;
use crate::os::sync::Lock;
use crate::os::thread::{be_prompt, own_files};
use crate::threads::gvl_holder::HOLDER;
use crate::threads::record::ThreadRecord;
use crate::threads::session_state::{Counter, FLAGS};
use crate::threads::trace;
use crate::vm::layout::Layout;
use crate::vm::remote::stack::RemoteStack;
use crate::vm::{postponed, ractors};

/// Number of ticks in a row without a running thread after which the sampling thread rests.
const IDLE_TICKS: u32 = 5;
/// Time for which a thread counts as running after it gave up the GVL, since it may have the GVL
/// again at once.
const LATELY_NS: Nanos = Nanos(1_000_000);
/// Cpu mode, where processors are scarce: time between a reading of running threads' clocks and the
/// next tick, in nanoseconds. The tick charges a thread that has had a processor since then. Where
/// ticks are closer together than twice this time, the tick before has read the clocks.
const LOOK_AHEAD_NS: u64 = 1_000_000;
/// Time after which every processor sees what another has written: microseconds would do.
const SEEN_BY_ALL: Duration = Duration::from_millis(10);

/// A running sampling thread.
#[derive(Debug)]
pub struct SamplingThread {
    /// Handle of the thread until it is joined.
    handle: Option<JoinHandle<()>>,
    waker: Arc<Waker>,
    cpu: CpuClock,
}

impl SamplingThread {
    /// Starts the thread, and returns when it is awake: a program of 10 ms has its ticks. Fails
    /// when the system gives no thread. `period`: the mean time between ticks in nanoseconds.
    pub fn start(engine: Engine, period: u64) -> std::io::Result<Self> {
        let waker = Arc::new(Waker::default());
        let (ready, awake) = mpsc::channel();
        let shared = Arc::clone(&waker);
        let handle = std::thread::Builder::new().name("rperf".to_owned()).spawn(move || {
            signal::block_all();
            be_prompt();
            // (A trace needs the files of the process.)
            if !trace::is_on() {
                own_files();
            }
            let poller = poller(engine);
            let is_there = poller.as_ref().map(|_| CpuClock::of_current_thread());
            let _started = ready.send(is_there.map_err(|error| error.to_string()));
            let Ok(poller) = poller else { return };
            let looks_ahead =
                period >= 2 * LOOK_AHEAD_NS && matches!(engine, Engine::Poll(_, clocks) if clocks.cpu);
            let schedule = Schedule::new(period, period);
            SamplingLoop { waker: shared, engine, poller, schedule, looks_ahead, idle: 0 }.run();
        })?;
        let cpu = awake.recv().map_err(std::io::Error::other)?.map_err(std::io::Error::other)?;
        *WAKER.lock() = Some(Arc::clone(&waker));
        Ok(Self { handle: Some(handle), waker, cpu })
    }

    /// Returns the CPU time that the thread has used.
    pub fn cpu_time(&self) -> Nanos {
        self.cpu.read().unwrap_or_default()
    }
}

/// Creates the stack poller, for an engine that has one.
fn poller(engine: Engine) -> std::io::Result<Option<StackPoller>> {
    match engine {
        Engine::Poll(layout, clocks) => {
            RemoteStack::new(layout).map(|stack| Some(StackPoller::new(stack, clocks)))
        }
        Engine::Safepoint | Engine::Manual => Ok(None),
    }
}

impl Drop for SamplingThread {
    /// Ends the thread, and waits until it has ended.
    fn drop(&mut self) {
        *WAKER.lock() = None;
        self.waker.raise(END);
        if let Some(handle) = self.handle.take() {
            let _ended_by_panic = handle.join();
        }
    }
}

/// State that the sampling thread itself uses.
struct SamplingLoop {
    waker: Arc<Waker>,
    engine: Engine,
    poller: Option<StackPoller>,
    schedule: Schedule,
    /// See [`LOOK_AHEAD_NS`].
    looks_ahead: bool,
    /// Number of ticks in a row at which no thread ran.
    idle: u32,
}

impl SamplingLoop {
    fn run(mut self) {
        if matches!(self.engine, Engine::Manual) {
            while self.waker.wait(None) != Wake::End {}
            return;
        }
        loop {
            // Moments of ticks do not depend on the program: code that runs just before or after a
            // pause gets neither more ticks nor fewer.
            let due = Nanos(self.schedule.after(clock::monotonic().0));
            if self.look_ahead(due) == Wake::End || self.wait_until(due) == Wake::End {
                return;
            }
            self.idle = if is_any_running() { 0 } else { self.idle + 1 };
            if self.idle >= IDLE_TICKS {
                if self.rest() == Wake::End {
                    return;
                }
                // The thread that woke this one has just resumed: a tick there would not be fair.
                continue;
            }
            self.tick(due);
        }
    }

    /// Waits until a tick is near, and reads the clocks of running threads, where processors are
    /// scarce.
    fn look_ahead(&self, due: Nanos) -> Wake {
        let near = due - Nanos(LOOK_AHEAD_NS);
        let poller = self.poller.as_ref().filter(|poller| self.looks_ahead && poller.is_starved());
        let Some(poller) = poller.filter(|_| near > clock::monotonic()) else { return Wake::Deadline };
        let wake = self.wait_until(near);
        if wake == Wake::Deadline {
            poller.look_ahead();
        }
        wake
    }

    /// Waits until the wall clock says `due`.
    fn wait_until(&self, due: Nanos) -> Wake {
        let deadline = Instant::now() + Duration::from_nanos((due - clock::monotonic()).0);
        loop {
            match self.waker.wait(Some(deadline)) {
                Wake::Called => {}
                wake => return wake,
            }
        }
    }

    fn tick(&mut self, due: Nanos) {
        match &mut self.poller {
            Some(poller) if !Layout::is_withdrawn() => poller.tick(due, self.schedule.span().map(Nanos)),
            _ if is_held() && postponed::is_allowed() => {
                Counter::Ticks.add(1);
                postponed::trigger();
            }
            _ => {}
        }
        if FLAGS.is_probing() {
            native_leaves::drain();
        }
    }

    /// Waits until a thread runs again, so that an idle program is not woken.
    fn rest(&mut self) -> Wake {
        self.idle = 0;
        self.schedule.rest();
        RESTING.store(true, Ordering::SeqCst);
        // A thread that is resuming may not see the flag, and may not be seen here either. A fence
        // there would slow down every switch of the GVL. A moment later each thread sees what the
        // other has written.
        match self.waker.wait(Some(Instant::now() + SEEN_BY_ALL)) {
            Wake::Deadline if is_any_running() && RESTING.swap(false, Ordering::AcqRel) => Wake::Called,
            Wake::Deadline => self.waker.wait(None),
            wake => wake,
        }
    }
}

/// Returns whether a thread runs with a GVL, did so until just now, or waits for one.
fn is_any_running() -> bool {
    let lately = clock::monotonic() - LATELY_NS;
    is_held()
        || FLAGS.blames.load(Ordering::Relaxed) && HOLDER.waiters.is_any()
        || HOLDER.last().is_some_and(|record| record.is_suspended_since(lately))
}

/// Returns whether a thread runs with a GVL. With Ractors several threads run at a time, and the
/// holder is one that got its GVL last.
fn is_held() -> bool {
    HOLDER.get().is_some()
        || !ractors::only_main() && ThreadRecord::all().into_iter().any(|record| record.epoch().is_running())
}

/// State of a waker: no call has come.
const NONE: u8 = 0;
/// State of a waker: a thread runs again.
const CALLED: u8 = 1;
/// State of a waker: the session is over.
const END: u8 = 2;

/// Reason why the sampling thread goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wake {
    /// A thread runs again, and has called.
    Called,
    /// The sampling thread shall end.
    End,
    /// The deadline has come.
    Deadline,
}

/// Waker of one sampling thread. (A channel would spin before it sleeps, some microseconds at every
/// tick.)
#[derive(Debug, Default)]
pub struct Waker {
    state: AtomicU8,
    sleeper: OnceLock<Thread>,
}

impl Waker {
    /// Wakes the sampling thread, from any thread.
    fn raise(&self, state: u8) {
        if self.state.fetch_max(state, Ordering::AcqRel) < state
            && let Some(sleeper) = self.sleeper.get()
        {
            sleeper.unpark();
        }
    }

    /// Waits for a call, at most until the deadline. Called on the same thread each time.
    fn wait(&self, deadline: Option<Instant>) -> Wake {
        // Set before the state is first read: a call that comes later wakes this thread.
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

/// Whether the sampling thread rests. If so, the thread that gets the GVL wakes it.
static RESTING: AtomicBool = AtomicBool::new(false);
/// The waker of the running session's sampling thread, for hooks.
pub static WAKER: Lock<Option<Arc<Waker>>> = Lock::new(None);

/// Wakes the sampling thread if it rests. For hooks: it never waits.
pub fn wake_if_resting() {
    if RESTING.load(Ordering::Relaxed)
        && RESTING.swap(false, Ordering::SeqCst)
        && let Some(waker) = WAKER.try_lock()
        && let Some(waker) = waker.as_ref()
    {
        waker.raise(CALLED);
    }
}
