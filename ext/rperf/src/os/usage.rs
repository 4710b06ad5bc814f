//! Resources that the process has used so far.

use std::sync::atomic::{AtomicI64, Ordering};

use nix::sys::resource::{Usage, UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use rperf_core::time::Nanos;

use super::clock;

/// Context switches of rperf's own native threads that have ended in this process: those of
/// waiting, and those of a time slice that was over.
static OWN_SWITCHES: [AtomicI64; 2] = [AtomicI64::new(0), AtomicI64::new(0)];

/// Leaves the context switches of the calling thread, which is about to end, out of the process's.
pub fn leave_out_switches() {
    if let Some(usage) = thread_usage() {
        OWN_SWITCHES[0].fetch_add(usage.voluntary_context_switches(), Ordering::AcqRel);
        OWN_SWITCHES[1].fetch_add(usage.involuntary_context_switches(), Ordering::AcqRel);
    }
}

#[cfg(target_os = "linux")]
fn thread_usage() -> Option<Usage> {
    getrusage(UsageWho::RUSAGE_THREAD).ok()
}

/// The system does not report it.
#[cfg(not(target_os = "linux"))]
fn thread_usage() -> Option<Usage> {
    None
}

/// Forgets the context switches of the parent's threads in a forked child.
pub fn forget_own_switches() {
    OWN_SWITCHES.iter().for_each(|own| own.store(0, Ordering::Release));
}

/// Returns the resources that this process has used since it started, with their names: CPU time in
/// user mode and in the kernel, in nanoseconds; the largest resident set so far, in bytes; context
/// switches because the program waited, and because its time slice was over, getrusage(2), without
/// those of the sampling thread; and bytes read from storage and written there. Zeros where the
/// system does not report them.
pub fn resource_usage() -> [(&'static str, i64); 7] {
    let usage = getrusage(UsageWho::RUSAGE_SELF).ok();
    let of = |figure: fn(&Usage) -> i64| usage.as_ref().map_or(0, figure);
    let [own_waiting, own_preempted] = OWN_SWITCHES.each_ref().map(|own| own.load(Ordering::Acquire));
    let (read, written) = storage_bytes().unwrap_or_default();
    [
        ("user_ns", of(|usage| usage.user_time().num_nanoseconds())),
        ("sys_ns", of(|usage| usage.system_time().num_nanoseconds())),
        ("maxrss_bytes", of(|usage| usage.max_rss() * 1024)),
        ("voluntary_switches", of(Usage::voluntary_context_switches) - own_waiting),
        ("involuntary_switches", of(Usage::involuntary_context_switches) - own_preempted),
        ("read_bytes", read),
        ("written_bytes", written),
    ]
}

/// Returns the time since this process was started by fork(2), as its usage is counted, rounded up
/// to the system's clock tick (10 ms); `None` where proc(5) is missing.
pub fn process_age() -> Option<Nanos> {
    let stat = std::fs::read("/proc/self/stat").ok()?;
    let stat = String::from_utf8_lossy(&stat);
    // Field 22. The second field, the program's name in brackets, may contain anything.
    let started: u64 = stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(19)?.parse().ok()?;
    // SAFETY: it reads a constant of the system.
    let ticks_per_second = unsafe { libc::sysconf(libc::_SC_CLK_TCK) };
    let tick = 1_000_000_000_u64.checked_div(u64::try_from(ticks_per_second).ok()?)?;
    Some(clock::boottime() - Nanos(started * tick))
}

/// Returns `read_bytes` and `write_bytes` of /proc/self/io, proc(5).
fn storage_bytes() -> Option<(i64, i64)> {
    let text = std::fs::read_to_string("/proc/self/io").ok()?;
    let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok());
    Some((field("read_bytes:")?, field("write_bytes:")?))
}
