//! Resources that the process has used so far.

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

/// Resources used by the process since it started: getrusage(2), and /proc/self/io for the disk.
#[derive(Clone, Copy, Debug, Default)]
pub struct ResourceUsage {
    /// CPU time in user mode, in nanoseconds.
    pub user_ns: i64,
    /// CPU time in the kernel, in nanoseconds.
    pub sys_ns: i64,
    /// The largest resident set so far, in bytes.
    pub maxrss_bytes: i64,
    /// Context switches because the process waited.
    pub voluntary_switches: i64,
    /// Context switches because its time slice was over.
    pub involuntary_switches: i64,
    /// Bytes read from storage.
    pub read_bytes: i64,
    /// Bytes written to storage.
    pub written_bytes: i64,
}

/// Returns the usage of this process until now; zeros where the system does not report it.
pub fn resource_usage() -> ResourceUsage {
    let Ok(usage) = getrusage(UsageWho::RUSAGE_SELF) else { return ResourceUsage::default() };
    let (read_bytes, written_bytes) = storage_bytes().unwrap_or_default();
    ResourceUsage {
        user_ns: usage.user_time().num_nanoseconds(),
        sys_ns: usage.system_time().num_nanoseconds(),
        maxrss_bytes: usage.max_rss() * 1024,
        voluntary_switches: usage.voluntary_context_switches(),
        involuntary_switches: usage.involuntary_context_switches(),
        read_bytes,
        written_bytes,
    }
}

/// Returns `read_bytes` and `write_bytes` of /proc/self/io, proc(5).
fn storage_bytes() -> Option<(i64, i64)> {
    let text = std::fs::read_to_string("/proc/self/io").ok()?;
    let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok());
    Some((field("read_bytes:")?, field("write_bytes:")?))
}
