//! Native threads.

/// The kernel's id of the calling thread.
pub fn tid() -> i32 {
    // SAFETY: `gettid` has no preconditions and cannot fail.
    unsafe { libc::gettid() }
}

/// What tells the calling thread from all others that live; never 0. Much quicker to ask for than a
/// thread's own memory.
pub fn handle() -> usize {
    // SAFETY: `pthread_self` has no preconditions and cannot fail.
    unsafe { libc::pthread_self() as usize }
}

/// Asks the scheduler to run the calling thread as soon as it wakes, also where another thread of
/// the program is running: it never runs for long. Otherwise ticks would wait until that one stops,
/// and miss what it does.
///
/// The request is a slice of a tenth of a millisecond: sched_setattr(2), `sched_runtime`, Linux
/// 6.12 ("PREEMPT_SHORT"); and timers to the microsecond: PR_SET_TIMERSLACK(2const). Where it is
/// not understood nothing changes.
pub fn be_prompt() {
    const SLICE: u64 = 100_000;
    const SLACK: libc::c_ulong = 1_000;
    let size = size_of::<libc::sched_attr>() as u32;
    // SAFETY: all-zero is a valid `sched_attr`; both calls get its size, and are for the calling
    // thread.
    unsafe {
        libc::prctl(libc::PR_SET_TIMERSLACK, SLACK);
        let mut attributes: libc::sched_attr = std::mem::zeroed();
        if libc::syscall(libc::SYS_sched_getattr, 0, &raw mut attributes, size, 0) == 0
            && attributes.sched_policy == libc::SCHED_OTHER as u32
        {
            attributes.size = size;
            attributes.sched_runtime = SLICE;
            libc::syscall(libc::SYS_sched_setattr, 0, &raw const attributes, 0);
        }
    }
}

/// Runs `body` with `errno` kept: a signal handler must leave it as it found it.
pub fn keeping_errno(body: impl FnOnce()) {
    let saved = nix::errno::Errno::last_raw();
    body();
    nix::errno::Errno::set_raw(saved);
}
