//! The sampling thread: a native thread that the VM does not know. It wakes up once in each period,
//! at a random moment, and has the engine take a tick. Hooks end its rest: they never wait for it.
//!
//! Context: no Ruby. The sampling thread reads clocks and memory, takes the sampler's lock and asks
//! the VM for safepoints. It never looks at an object.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle, Thread};
use std::time::Duration;

use rperf_core::accounting::Schedule;
use rperf_core::time::Nanos;

use super::native_leaves;
use super::stack_poller::StackPoller;
use crate::config::{EngineKind, SessionConfig};
use crate::os::clock::{self, CpuClock};
use crate::os::linux::{be_prompt, own_files};
use crate::os::signal;
use crate::os::sync::Lock;
use crate::os::usage::leave_out_switches;
use crate::threads::gvl_holder::HOLDER;
use crate::threads::record::ThreadRecord;
use crate::threads::session_state::{Counter, FLAGS};
use crate::threads::trace;
use crate::vm::layout::Layout;
use crate::vm::remote::stack::RemoteStack;
use crate::vm::{postponed, ractors};

/// Number of ticks in a row without a running thread after which the sampling thread rests.
const IDLE_TICKS: u32 = 5;
/// Cpu mode, where processors are scarce: time between a reading of running threads' clocks and the
/// next tick, in nanoseconds. The tick charges a thread that has had a processor since then. Where
/// ticks are closer together than twice this time, the tick before has read the clocks.
const LOOK_AHEAD_NS: u64 = 1_000_000;

/// A running sampling thread.
#[derive(Debug)]
pub struct SamplingThread {
    /// Handle of the thread until it is joined.
    handle: Option<JoinHandle<()>>,
    /// Whether the thread shall end.
    end: Arc<AtomicBool>,
    pub cpu: CpuClock,
    /// Whether the system says which threads sleep and wait: there is a /proc.
    pub knows_states: bool,
}

impl SamplingThread {
    /// Starts the thread, and returns when it is awake: a program of 10 ms has its ticks. Fails
    /// when the system gives no thread, or no memory for the engine `poll`. `probes`: whether the
    /// native probe is on.
    pub fn start(engine: EngineKind, config: &SessionConfig, probes: bool) -> io::Result<Self> {
        let period = config.period();
        set_period(period);
        let end = Arc::new(AtomicBool::new(false));
        let (ready, awake) = mpsc::channel();
        let ends = Arc::clone(&end);
        let handle = thread::Builder::new().name("rperf".to_owned()).spawn(move || {
            signal::block_all();
            be_prompt();
            // (A trace needs the files of the process.)
            if !trace::is_on() && own_files() {
                clock::keep_threads_open();
            }
            let layout = Layout::proved().filter(|_| engine == EngineKind::Poll);
            let stack = layout.map(|layout| RemoteStack::new(*layout)).transpose();
            let own = CpuClock::of_current_thread();
            let is_there = stack.as_ref().map(|_| (own, own.state().is_some()));
            let _started = ready.send(is_there.map_err(|error| error.to_string()));
            let Ok(stack) = stack else { return };
            let poller = stack.map(StackPoller::new);
            let schedule = Schedule::new(period, period);
            SamplingLoop { ends, poller, schedule, period: Nanos(period), probes, idle: 0 }.run();
            leave_out_switches();
        })?;
        let (cpu, knows_states) = awake.recv().map_err(io::Error::other)?.map_err(io::Error::other)?;
        *WAKER.lock() = Some(handle.thread().clone());
        Ok(Self { handle: Some(handle), end, cpu, knows_states })
    }
}

impl Drop for SamplingThread {
    /// Ends the thread, and waits until it has ended.
    fn drop(&mut self) {
        *WAKER.lock() = None;
        self.end.store(true, Ordering::Release);
        if let Some(handle) = self.handle.take() {
            handle.thread().unpark();
            let _ended_by_panic = handle.join();
        }
    }
}

/// State that the sampling thread itself uses.
struct SamplingLoop {
    /// See [`SamplingThread::end`].
    ends: Arc<AtomicBool>,
    poller: Option<StackPoller>,
    schedule: Schedule,
    period: Nanos,
    /// Whether the native probe's notes are counted after each tick.
    probes: bool,
    /// Number of ticks in a row at which no thread ran.
    idle: u32,
}

impl SamplingLoop {
    fn run(mut self) {
        loop {
            let period = Nanos(PERIOD.load(Ordering::Relaxed));
            if period != self.period {
                (self.period, self.schedule) = (period, Schedule::new(period.0, period.0));
            }
            // Moments of ticks do not depend on the program: code that runs just before or after a
            // pause gets neither more ticks nor fewer.
            let due = Nanos(self.schedule.after(clock::monotonic().0));
            self.look_ahead(due);
            self.sleep_until(due, || false);
            if self.ends.load(Ordering::Acquire) {
                return;
            }
            self.idle = if is_any_running() { 0 } else { self.idle + 1 };
            if self.idle < IDLE_TICKS {
                self.tick(due);
            } else {
                // The thread that ends the rest has just resumed: a tick there would not be fair.
                self.rest();
            }
        }
    }

    /// Waits until a tick is near, and reads the clocks of running threads, where processors are
    /// scarce.
    fn look_ahead(&self, due: Nanos) {
        let near = due - Nanos(LOOK_AHEAD_NS);
        let looks_ahead = FLAGS.is_cpu() && self.period.0 >= 2 * LOOK_AHEAD_NS;
        let poller = self.poller.as_ref().filter(|poller| looks_ahead && poller.starvation.is_likely());
        if let Some(poller) = poller.filter(|_| near > clock::monotonic()) {
            self.sleep_until(near, || false);
            poller.look_ahead();
        }
    }

    /// Sleeps until `due`, or until the thread shall end or `is_woken`, as [`Thread::unpark`]
    /// announces.
    fn sleep_until(&self, due: Nanos, is_woken: impl Fn() -> bool) {
        loop {
            let left = due - clock::monotonic();
            if left == Nanos::ZERO || self.ends.load(Ordering::Acquire) || is_woken() {
                return;
            }
            thread::park_timeout(Duration::from_nanos(left.0));
        }
    }

    fn tick(&mut self, due: Nanos) {
        match &mut self.poller {
            Some(poller) if !Layout::is_withdrawn() => poller.tick(due, self.period),
            _ if is_held() && postponed::is_allowed() => {
                Counter::Ticks.add(1);
                postponed::trigger();
            }
            _ => {}
        }
        if self.probes {
            native_leaves::drain();
        }
    }

    /// Waits until a thread runs again, so that an idle program is not woken.
    fn rest(&mut self) {
        self.idle = 0;
        RESTING.store(true, Ordering::SeqCst);
        // A thread that resumes first changes its epoch and then looks at the flag. All threads see
        // these accesses in one order, so if it does not see the flag, its epoch is seen here.
        if ThreadRecord::all().iter().all(|record| record.is_suspended()) {
            self.sleep_until(Nanos(u64::MAX), || !RESTING.load(Ordering::SeqCst));
        }
        RESTING.store(false, Ordering::SeqCst);
    }
}

/// Returns whether a thread runs with a GVL, or is known to wait for one.
fn is_any_running() -> bool {
    is_held() || FLAGS.blames.load(Ordering::Relaxed) && HOLDER.waiters.is_any()
}

/// Returns whether a thread runs with a GVL. With Ractors several threads run at a time, and the
/// holder is one that got its GVL last.
fn is_held() -> bool {
    HOLDER.get().is_some()
        || !ractors::only_main() && ThreadRecord::all().into_iter().any(|record| record.epoch().is_running())
}

/// Time between ticks, in nanoseconds.
static PERIOD: AtomicU64 = AtomicU64::new(0);
/// Whether the sampling thread rests. If so, the thread that gets the GVL wakes it.
static RESTING: AtomicBool = AtomicBool::new(false);
/// The waker of the running session: its sampling thread, for hooks.
pub static WAKER: Lock<Option<Thread>> = Lock::new(None);

/// Sets the time between ticks, in nanoseconds, from the next tick on: that tick, whose moment is
/// known already, still stands for the old time.
pub fn set_period(period: u64) {
    PERIOD.store(period, Ordering::Relaxed);
}

/// Wakes the sampling thread if it rests. For hooks: it never waits.
pub fn wake_if_resting() {
    if RESTING.load(Ordering::SeqCst)
        && RESTING.swap(false, Ordering::SeqCst)
        && let Some(waker) = WAKER.try_lock()
        && let Some(waker) = waker.as_ref()
    {
        waker.unpark();
    }
}
