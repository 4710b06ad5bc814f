//! Which processor a thread runs on.

/// Moves the calling thread to another processor than the one that it runs on, and keeps it off that one: sched_setaffinity(2).
/// To others only that the process may use (its first thread, that is). Where there is none nothing changes.
#[cfg(target_os = "linux")]
pub fn leave() {
    use nix::sched::{sched_getaffinity, sched_getcpu, sched_setaffinity};
    use nix::unistd::Pid;

    let (Ok(mut allowed), Ok(here)) = (sched_getaffinity(Pid::this()), sched_getcpu()) else { return };
    let others =
        (0..nix::sched::CpuSet::count()).any(|cpu| cpu != here && allowed.is_set(cpu).unwrap_or(false));
    if others && allowed.unset(here).is_ok() {
        let _not_allowed = sched_setaffinity(Pid::from_raw(0), &allowed);
    }
}

/// Nothing is known of that here.
#[cfg(not(target_os = "linux"))]
pub fn leave() {}
