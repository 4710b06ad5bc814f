//! What happens in the child of a fork, before any of its code runs.

use std::sync::OnceLock;

static CHILD: OnceLock<fn()> = OnceLock::new();

/// Registers `child` to run in every forked child. It must be async-signal-safe: the other threads of
/// the parent are gone, and so is whoever held a lock.
pub fn register(child: fn()) {
    if CHILD.set(child).is_err() {
        return;
    }
    // SAFETY: `run_child` is a valid handler for the life of the process (extensions are not unloaded).
    unsafe { libc::pthread_atfork(None, None, Some(run_child)) };
}

extern "C" fn run_child() {
    if let Some(child) = CHILD.get() {
        child();
    }
}
