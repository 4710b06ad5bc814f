//! What happens around a fork.

use std::sync::OnceLock;

/// The three moments of a fork, in the thread that forks (pthread_atfork(3)).
#[derive(Clone, Copy)]
pub struct ForkHandlers {
    /// Before, in the parent: take every lock that the child must find free.
    pub prepare: fn(),
    /// Afterwards, in the parent: give them back.
    pub parent: fn(),
    /// Afterwards, in the child, before any of its code runs: the other threads of the parent are
    /// gone.
    pub child: fn(),
}

static HANDLERS: OnceLock<ForkHandlers> = OnceLock::new();

/// Registers the handlers for the life of the process.
pub fn register(handlers: ForkHandlers) {
    if HANDLERS.set(handlers).is_err() {
        return;
    }
    // SAFETY: the functions are valid for the life of the process (extensions are not unloaded).
    unsafe { libc::pthread_atfork(Some(run_prepare), Some(run_parent), Some(run_child)) };
}

extern "C" fn run_prepare() {
    if let Some(handlers) = HANDLERS.get() {
        (handlers.prepare)();
    }
}

extern "C" fn run_parent() {
    if let Some(handlers) = HANDLERS.get() {
        (handlers.parent)();
    }
}

extern "C" fn run_child() {
    if let Some(handlers) = HANDLERS.get() {
        (handlers.child)();
    }
}
