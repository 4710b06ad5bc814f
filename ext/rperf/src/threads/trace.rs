//! `RPERF_TRACE=FILE`: each tick, each event of a thread's clock, each charge and each drop as a
//! line of JSON, in the order in which they happened. A test of the core replays such a file.
//!
//! Context: all contexts of the sampler. A trace serves to find an error of rperf: writing it takes
//! microseconds a line, under the locks of the sampler.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use rperf_core::state::{ByClock, Clock};
use rperf_core::trace::TraceLine;

use crate::os::sync::Lock;

/// Environment variable that names the file.
pub const VARIABLE: &str = "RPERF_TRACE";

static TRACING: AtomicBool = AtomicBool::new(false);
/// The running session's trace, if there is one.
pub static TRACE: Lock<Option<BufWriter<File>>> = Lock::new(None);

/// Number of bytes at which lines are written: processes that share the file leave each other's
/// lines whole, since each line is added at once.
const BUFFER_BYTES: usize = 1 << 16;

/// A session's trace, where the environment asks for one: lines are written until it is dropped.
#[derive(Debug)]
pub struct Tracing(());

impl Tracing {
    /// Begins a session's trace, with `period` nanoseconds between ticks: opens the file that the
    /// environment names, to write behind its content.
    pub fn begin(clocks: ByClock<bool>, engine: &str, period: u64) -> Result<Self, (PathBuf, io::Error)> {
        let path = std::env::var_os(VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from);
        let Some(path) = path else { return Ok(Self(())) };
        let file = OpenOptions::new().append(true).create(true).open(&path);
        let file = file.map_err(|error| (path, error))?;
        *TRACE.lock() = Some(BufWriter::with_capacity(BUFFER_BYTES, file));
        TRACING.store(true, Ordering::Release);
        write(|| TraceLine::Begin {
            pid: std::process::id(),
            clocks: Clock::ALL.into_iter().filter(|clock| clocks[*clock]).collect(),
            engine: engine.to_owned(),
            period,
        });
        Ok(Self(()))
    }
}

impl Drop for Tracing {
    fn drop(&mut self) {
        TRACING.store(false, Ordering::Release);
        // Writes the rest. A full disk is no error of the program.
        drop(TRACE.lock().take());
    }
}

pub fn is_on() -> bool {
    TRACING.load(Ordering::Relaxed)
}

pub fn write(line: impl FnOnce() -> TraceLine) {
    if !is_on() {
        return;
    }
    // Made before the lock is taken: making it may lock a thread's accounts.
    let line = serde_json::to_string(&line()).expect("a line is plain data") + "\n";
    if let Some(trace) = TRACE.lock().as_mut()
        && trace.write_all(line.as_bytes()).is_err()
    {
        // A full disk ends the trace, not the program.
        TRACING.store(false, Ordering::Release);
    }
}

/// Forgets the parent's trace in a forked child, with lines that the parent has not written yet.
pub fn abandon() {
    TRACING.store(false, Ordering::Release);
    std::mem::forget(TRACE.lock().take());
}
