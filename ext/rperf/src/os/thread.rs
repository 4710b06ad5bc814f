//! Native threads.

pub use super::linux::{be_prompt, own_files, tid};

/// What tells the calling thread from all others that live; never 0. Much quicker to ask for than a
/// thread's own memory.
pub fn handle() -> usize {
    // SAFETY: `pthread_self` has no preconditions and cannot fail.
    unsafe { libc::pthread_self() as usize }
}

/// Runs `body` with `errno` kept: a signal handler must leave it as it found it.
pub fn keeping_errno(body: impl FnOnce()) {
    let saved = nix::errno::Errno::last_raw();
    body();
    nix::errno::Errno::set_raw(saved);
}
