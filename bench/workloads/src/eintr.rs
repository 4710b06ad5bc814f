//! Counts system calls that a signal interrupted (EINTR).

use std::sync::atomic::{AtomicU64, Ordering};

use magnus::{Error, RModule, function};

static COUNT: AtomicU64 = AtomicU64::new(0);

/// Returns whether the system call that returned `result` failed with EINTR, and then counts it.
pub fn interrupted(result: i64) -> bool {
    let interrupted = result < 0 && errno() == libc::EINTR;
    if interrupted {
        COUNT.fetch_add(1, Ordering::Relaxed);
    }
    interrupted
}

/// Repeats `call` until it ends otherwise than by EINTR. Each EINTR is counted.
pub fn retry(mut call: impl FnMut() -> i64) -> i64 {
    loop {
        let result = call();
        if !interrupted(result) {
            return result;
        }
    }
}

/// Returns the calling thread's errno.
pub fn errno() -> i32 {
    std::io::Error::last_os_error().raw_os_error().unwrap_or(0)
}

fn eintr_count() -> u64 {
    COUNT.load(Ordering::Relaxed)
}

/// Defines `eintr_count`: EINTRs since the process began, in all methods of `Workloads`.
pub fn define(module: RModule) -> Result<(), Error> {
    module.define_module_function("eintr_count", function!(eintr_count, 0))
}
