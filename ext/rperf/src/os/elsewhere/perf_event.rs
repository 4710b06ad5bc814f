//! Replacement for Linux's task clock: none can be opened.

use std::io;

/// A task clock, which never exists on this system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskClock;

impl TaskClock {
    /// Always returns an error: this system has no such clock.
    pub fn open(_signal: i32, _first_period: u64) -> io::Result<Self> {
        Err(io::Error::from_raw_os_error(libc::ENOSYS))
    }

    /// Does nothing.
    pub fn run(self) {}

    /// Does nothing.
    pub fn close(self) {}
}
