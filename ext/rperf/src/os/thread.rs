//! Native threads.

/// The kernel's id of the calling thread.
#[cfg(target_os = "linux")]
pub fn tid() -> i32 {
    // SAFETY: `gettid` has no preconditions and cannot fail.
    unsafe { libc::gettid() }
}

/// The kernel's id of the calling thread (unused outside Linux).
#[cfg(not(target_os = "linux"))]
pub fn tid() -> i32 {
    0
}

/// A native thread that signals can be sent to.
#[derive(Clone, Copy, Debug)]
pub struct Handle(libc::pthread_t);

// SAFETY: a pthread_t is an identifier; using it from another thread is what it is for.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}

impl Handle {
    /// The calling thread.
    pub fn current() -> Self {
        // SAFETY: `pthread_self` has no preconditions.
        Self(unsafe { libc::pthread_self() })
    }

    /// Sends `signal` to the thread, which must not have been joined yet.
    pub fn kill(self, signal: i32) {
        // SAFETY: the caller keeps the thread from being joined; a wrong signal number is only EINVAL.
        unsafe { libc::pthread_kill(self.0, signal) };
    }
}

/// Whether the thread of this process with the kernel's id `tid` waits for something (state S or D of proc(5)), and
/// not for a processor.
pub fn is_asleep(tid: i32) -> bool {
    let Ok(stat) = std::fs::read_to_string(format!("/proc/self/task/{tid}/stat")) else { return false };
    // The name before the state is in parentheses, and may hold any character.
    stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with(['S', 'D']))
}

/// Sends `signal` to the thread of this process with the kernel's id `tid`. False when there is none any more, or
/// when the signal cannot be queued: tgkill(2).
#[cfg(target_os = "linux")]
pub fn signal(tid: i32, signal: i32) -> bool {
    // SAFETY: a wrong id or number is only an error.
    unsafe { libc::syscall(libc::SYS_tgkill, libc::getpid(), tid, signal) == 0 }
}

/// There are no ticks by signal here.
#[cfg(not(target_os = "linux"))]
pub fn signal(_tid: i32, _signal: i32) -> bool {
    false
}

/// Runs `body` with `errno` kept: a signal handler must leave it as it found it.
pub fn keeping_errno(body: impl FnOnce()) {
    let saved = nix::errno::Errno::last_raw();
    body();
    nix::errno::Errno::set_raw(saved);
}
