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
pub static TRACE: Lock<Option<Trace>> = Lock::new(None);

/// A trace's file, and the error that ended it before the session, if one did.
#[derive(Debug)]
pub struct Trace {
    path: PathBuf,
    lines: BufWriter<File>,
    failure: Option<io::Error>,
}

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
        let file = file.map_err(|error| (path.clone(), error))?;
        let lines = BufWriter::with_capacity(BUFFER_BYTES, file);
        *TRACE.lock() = Some(Trace { path, lines, failure: None });
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
        let Some(mut trace) = TRACE.lock().take() else { return };
        // A full disk is no error of the program, which goes on also where stderr takes no text.
        if let Some(error) = trace.failure.take().or_else(|| trace.lines.flush().err()) {
            let path = trace.path.display();
            let advice = format!("free some space, or set {VARIABLE} to another file");
            let sentence = format!("rperf: the trace {path} is incomplete ({error}): {advice}\n");
            let _ = io::stderr().write_all(sentence.as_bytes());
        }
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
        && let Err(error) = trace.lines.write_all(line.as_bytes())
    {
        // A full disk ends the trace, not the program. (Locks are held here: the end of the session
        // says it.)
        TRACING.store(false, Ordering::Release);
        trace.failure.get_or_insert(error);
    }
}

/// Forgets the parent's trace in a forked child, with lines that the parent has not written yet.
pub fn abandon() {
    TRACING.store(false, Ordering::Release);
    std::mem::forget(TRACE.lock().take());
}
