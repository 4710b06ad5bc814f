//! Reasons why a session cannot start, in one sentence each.

use std::path::PathBuf;

use magnus::Error;

use crate::threads::trace;

/// Bytes that the system must still give to the process before a profile is named or written: where
/// Rust code gets no memory, it ends the process.
pub const FOR_PROFILE: usize = 32 << 20;
/// The same before a thread begins, for which glibc takes addresses: 128 MiB, of which it returns
/// half.
pub const FOR_THREAD: usize = FOR_PROFILE + (128 << 20);

/// What is said where memory is short.
pub const NO_MEMORY: &str =
    "this process may have too little further memory for rperf: raise its limit (ulimit -v)";

/// Reason why a session cannot start.
#[derive(Debug)]
pub enum StartError {
    Running,
    SignalTaken(i32),
    SignalRefused(i32, std::io::Error),
    NoTrace(PathBuf, std::io::Error),
    NoThread(std::io::Error),
    NoMemory,
    NoWatch(std::io::Error),
    NoMarks,
    /// An exception that was raised meanwhile, or that interrupts the calling thread.
    Raised(Error),
}

impl From<Error> for StartError {
    fn from(raised: Error) -> Self {
        Self::Raised(raised)
    }
}

impl std::fmt::Display for StartError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const OTHER_SIGNAL: &str = "choose another real-time signal with signal:, or signal: false";
        match self {
            Self::Running => formatter
                .write_str("a session runs already: stop it with Rperf.stop before you start another"),
            Self::SignalTaken(number) => {
                write!(formatter, "signal {number} already has a handler (another profiler?): {OTHER_SIGNAL}")
            }
            Self::SignalRefused(number, error) => {
                write!(formatter, "signal {number} cannot be used ({error}): {OTHER_SIGNAL}")
            }
            Self::NoTrace(path, error) => write!(
                formatter,
                "the trace {} cannot be written ({error}): set {} to another file, or to none",
                path.display(),
                trace::VARIABLE
            ),
            Self::NoThread(error) => write!(
                formatter,
                "the profiler's thread cannot be started ({error}): raise the limit of threads"
            ),
            Self::NoMemory => formatter.write_str(NO_MEMORY),
            Self::NoWatch(error) => write!(
                formatter,
                "allocations cannot be watched directly here ({error}): use watch: :event (--watch event)"
            ),
            Self::Raised(error) => error.fmt(formatter),
            Self::NoMarks => formatter.write_str(
                "mode heap needs to know which objects are dead, which this Ruby does not tell: use mode alloc",
            ),
        }
    }
}
