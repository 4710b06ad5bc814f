//! Timers whose handler only counts. They show what ticks cost without a profiler.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use magnus::{Error, RModule, Ruby, Symbol, function};

mod perf;
mod posix;
mod worker;

static TICKS: AtomicU64 = AtomicU64::new(0);
static ARMED: Mutex<Option<Armed>> = Mutex::new(None);

/// The armed timer. Dropping it disarms it.
#[allow(dead_code, reason = "held only for its Drop")]
enum Armed {
    Thread(posix::Timer),
    Worker(worker::Worker),
    Perf(perf::Event),
}

/// Returns the signal of the bare timers, which is not the one that rperf uses.
fn signal() -> i32 {
    libc::SIGRTMIN() + 6
}

extern "C" fn count(_signal: i32) {
    TICKS.fetch_add(1, Ordering::Relaxed);
}

/// Installs the counting handler for good: a signal may arrive after its timer is gone.
fn install_handler() -> Result<(), std::io::Error> {
    // SAFETY: sigaction is plain data; the handler only adds to an atomic.
    let result = unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = count as *const () as usize;
        action.sa_flags = libc::SA_RESTART | libc::SA_ONSTACK;
        libc::sigemptyset(&mut action.sa_mask);
        libc::sigaction(signal(), &action, std::ptr::null_mut())
    };
    if result < 0 {
        return Err(std::io::Error::last_os_error());
    }
    // When the queue of real-time signals is full the kernel sends SIGIO instead, which would end
    // the process.
    // SAFETY: ignoring a signal needs no handler.
    unsafe { libc::signal(libc::SIGIO, libc::SIG_IGN) };
    Ok(())
}

fn arm_kind(kind: &str, interval_ns: u64) -> Result<Armed, std::io::Error> {
    install_handler()?;
    match kind {
        "thread" => posix::Timer::for_calling_thread(interval_ns).map(Armed::Thread),
        "worker" => worker::Worker::start(interval_ns).map(Armed::Worker),
        "perf" => perf::Event::for_calling_thread(interval_ns).map(Armed::Perf),
        other => Err(std::io::Error::other(format!("unknown timer :{other}: use :thread, :worker or :perf"))),
    }
}

fn arm(ruby: &Ruby, kind: Symbol, hz: u64) -> Result<(), Error> {
    if !(1..=10_000).contains(&hz) {
        return Err(Error::new(ruby.exception_arg_error(), format!("hz {hz}: use 1 to 10000")));
    }
    let mut armed = ARMED.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if armed.is_some() {
        return Err(Error::new(ruby.exception_runtime_error(), "a bare timer is armed: disarm it first"));
    }
    let timer = arm_kind(kind.name()?.as_ref(), 1_000_000_000 / hz);
    *armed = Some(timer.map_err(|error| Error::new(ruby.exception_runtime_error(), error.to_string()))?);
    TICKS.store(0, Ordering::Relaxed);
    Ok(())
}

/// Disarms the timer, if one is armed, and returns the number of its ticks.
fn disarm() -> u64 {
    let armed = ARMED.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take();
    drop(armed);
    TICKS.load(Ordering::Relaxed)
}

/// Defines `arm_bare_timer(kind, hz)` and `disarm_bare_timer`. Kinds: `:thread` (a POSIX timer that
/// signals the calling thread), `:worker` (one that signals a parked thread), `:perf` (a task clock
/// of the calling thread, which ticks only while the thread burns CPU in user mode).
pub fn define(module: RModule) -> Result<(), Error> {
    module.define_module_function("arm_bare_timer", function!(arm, 2))?;
    module.define_module_function("disarm_bare_timer", function!(disarm, 0))
}
