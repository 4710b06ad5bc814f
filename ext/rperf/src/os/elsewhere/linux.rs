//! Replacements for Linux's system calls on other systems: sampling at safepoints needs few of
//! them. Compiled for macOS, but not yet run there.

use std::fs::File;
use std::io;

/// Returns a number of the calling thread: pthread_threadid_np(3).
pub fn tid() -> i32 {
    let mut id = 0;
    // SAFETY: `pthread_self` is always valid for the caller; `id` outlives the call.
    unsafe { libc::pthread_threadid_np(libc::pthread_self(), &raw mut id) };
    id as i32
}

/// A clock that counts from some moment: there is no proc(5) with times of such a clock.
pub const BOOT_CLOCK: libc::clockid_t = libc::CLOCK_MONOTONIC;

/// Returns no number.
pub fn processor() -> Option<usize> {
    None
}

/// Does nothing: the scheduler is not asked.
pub fn be_prompt() {}

/// Returns false: the sampling thread opens no files here.
pub fn own_files() -> bool {
    false
}

/// Returns the clock of the thread that reads it: other threads' clocks have no number here.
pub fn cpu_clock() -> libc::clockid_t {
    libc::CLOCK_THREAD_CPUTIME_ID
}

/// Returns an error: stacks are copied at safepoints only, which needs no such file.
pub fn memory_file() -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Copies nothing: memory that may be unmapped is not read here.
///
/// # Safety
/// None is needed.
pub unsafe fn copy_memory(_to: *mut usize, _words: usize, _pieces: &[libc::iovec]) -> isize {
    -1
}

/// Returns false: memory that may be unmapped is not read here.
pub fn read_memory(_buffer: &mut [usize], _address: usize) -> bool {
    false
}

/// Returns false: no signal is used here.
pub fn signals_can_queue() -> bool {
    false
}

/// Returns an empty range: there are no real-time signals.
#[allow(clippy::reversed_empty_ranges)]
pub fn realtime_signals() -> std::ops::RangeInclusive<i32> {
    1..=0
}
