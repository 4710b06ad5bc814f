//! Limits of the process that decide how many task clocks may be opened and how much memory may be
//! copied.

use nix::sys::resource::{Resource, getrlimit};

pub use super::linux::signals_can_queue;

/// Returns the number of file descriptors that the profiler may use: a quarter of the soft limit,
/// so that the program keeps the rest.
pub fn descriptor_budget() -> usize {
    soft(Resource::RLIMIT_NOFILE) / 4
}

/// Returns the maximum size of a file in bytes, files in memory included. SIGXFSZ ends a process
/// that exceeds it.
pub fn largest_file() -> usize {
    soft(Resource::RLIMIT_FSIZE)
}

fn soft(resource: Resource) -> usize {
    getrlimit(resource).map_or(usize::MAX, |(soft, _)| usize::try_from(soft).unwrap_or(usize::MAX))
}
