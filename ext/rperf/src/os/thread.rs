//! Native threads.

use rperf_core::time::Nanos;

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
#[cfg(target_os = "linux")]
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

/// Nothing is asked for here.
#[cfg(not(target_os = "linux"))]
pub fn be_prompt() {}

/// How long the thread of this process with the kernel's id `tid` has waited for processors: the
/// second number of /proc/PID/schedstat (sched-stats.rst). 0 where the system does not tell.
pub fn waited_for_processors(tid: i32) -> Nanos {
    let waited = told(tid, "schedstat").split(' ').nth(1).and_then(|number| number.parse().ok());
    Nanos(waited.unwrap_or_default())
}

/// Whether the thread of this process with the kernel's id `tid` neither uses a processor nor waits
/// for one: state S or D of proc(5). True where the system does not tell.
pub fn is_asleep(tid: i32) -> bool {
    let stat = told(tid, "stat");
    // The name, in parentheses, may have any characters.
    let state = stat.rsplit_once(") ").map_or("S", |(_, rest)| rest);
    state.starts_with(['S', 'D'])
}

/// What a file of proc(5) tells about a thread of this process; empty where there is none.
fn told(tid: i32, file: &str) -> String {
    std::fs::read_to_string(format!("/proc/self/task/{tid}/{file}")).unwrap_or_default()
}

/// Runs `body` with `errno` kept: a signal handler must leave it as it found it.
pub fn keeping_errno(body: impl FnOnce()) {
    let saved = nix::errno::Errno::last_raw();
    body();
    nix::errno::Errno::set_raw(saved);
}
