//! Handlers that run around a fork.

/// Handlers for the three moments of a fork, called in the thread that forks (pthread_atfork(3)).
pub struct ForkHandlers {
    /// Called before the fork, in the parent: takes every lock that the child must find free.
    pub prepare: extern "C" fn(),
    /// Called after the fork, in the parent: releases the locks.
    pub parent: extern "C" fn(),
    /// Called after the fork, in the child, before any of its code runs. The other threads of the
    /// parent do not exist there.
    pub child: extern "C" fn(),
}

/// Registers the handlers for the life of the process. Must be called once, at load.
pub fn register(ForkHandlers { prepare, parent, child }: ForkHandlers) {
    // SAFETY: the functions are valid for the life of the process (extensions are not unloaded).
    unsafe { libc::pthread_atfork(Some(prepare), Some(parent), Some(child)) };
}
