//! Native threads.

pub use super::linux::{be_prompt, own_files, tid};

/// Returns a number that identifies the calling thread among all living ones; never 0. It is much
/// quicker to read than thread-local memory.
pub fn handle() -> usize {
    nix::sys::pthread::pthread_self() as usize
}

/// Runs `body` and restores `errno`, which a signal handler must leave unchanged.
pub fn keeping_errno(body: impl FnOnce()) {
    let saved = nix::errno::Errno::last_raw();
    body();
    nix::errno::Errno::set_raw(saved);
}
