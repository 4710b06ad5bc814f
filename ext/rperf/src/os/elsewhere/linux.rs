//! What takes the place of Linux's system calls on other systems: sampling at safepoints needs
//! little of them. Compiled for macOS, and not run there yet.

use std::io;
use std::os::fd::OwnedFd;

/// A number of the calling thread: pthread_threadid_np(3).
pub fn tid() -> i32 {
    let mut id = 0;
    // SAFETY: `pthread_self` is always valid for the caller; `id` outlives the call.
    unsafe { libc::pthread_threadid_np(libc::pthread_self(), &raw mut id) };
    id as i32
}

/// None has this number.
pub fn processor() -> i32 {
    -1
}

/// Nothing: the scheduler is not asked.
pub fn be_prompt() {}

/// Nothing: it opens no files.
pub fn own_files() {}

/// That of the thread that reads it: other threads' clocks have no number here.
pub fn cpu_clock() -> libc::clockid_t {
    libc::CLOCK_THREAD_CPUTIME_ID
}

/// None: stacks are copied at safepoints only.
pub fn memory_file() -> io::Result<OwnedFd> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Nothing is read of memory that may not be there.
pub fn read_memory(_buffer: &mut [usize], _address: usize) -> bool {
    false
}

/// No signal is asked for.
pub fn signals_can_queue() -> bool {
    false
}

/// There is none.
#[allow(clippy::reversed_empty_ranges)]
pub fn realtime_signals() -> std::ops::RangeInclusive<i32> {
    1..=0
}
