//! Handlers that run around a fork.

use std::sync::OnceLock;

/// Handlers for the three moments of a fork, called in the thread that forks (pthread_atfork(3)).
#[derive(Clone, Copy)]
pub struct ForkHandlers {
    /// Called before the fork, in the parent: takes every lock that the child must find free.
    pub prepare: fn(),
    /// Called after the fork, in the parent: releases the locks.
    pub parent: fn(),
    /// Called after the fork, in the child, before any of its code runs. The other threads of the
    /// parent do not exist there.
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
