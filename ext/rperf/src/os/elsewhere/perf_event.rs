//! In place of Linux's task clock: none can be opened.

use std::io;

/// A clock that is never there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskClock;

impl TaskClock {
    /// Always an error: this system has no such clock.
    pub fn open(_signal: i32, _first_period: u64) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Nothing.
    pub fn run(self) {}

    /// Nothing.
    pub fn close(self) {}

    /// The number of no descriptor.
    pub fn number(self) -> i32 {
        -1
    }

    /// A clock that is never there.
    pub fn from_number(_number: i32) -> Self {
        Self
    }
}
