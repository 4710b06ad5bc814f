//! The `perf_event_open` task clock: ticks of the calling thread's own CPU time, signalled to
//! itself. The layout of the attributes and the numbers are those of linux/perf_event.h (first
//! version, 64 bytes).

use std::io::Error;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use super::posix::own_tid;

const PERF_TYPE_SOFTWARE: u32 = 1;
const PERF_COUNT_SW_TASK_CLOCK: u64 = 1;
const PERF_FLAG_FD_CLOEXEC: u64 = 8;
/// Bits of `flags`: disabled = 0, exclude_kernel = 5, exclude_hv = 6.
const DISABLED_AND_USER_MODE_ONLY: u64 = 1 | 1 << 5 | 1 << 6;
/// `_IO('$', 0)`
const PERF_EVENT_IOC_ENABLE: libc::Ioctl = 0x2400;
/// From fcntl.h (Linux), with `struct f_owner_ex` below.
const F_SETSIG: i32 = 10;
const F_SETOWN_EX: i32 = 15;
const F_OWNER_TID: i32 = 0;

/// `struct f_owner_ex`: the receiver of a descriptor's signals.
#[repr(C)]
struct Owner {
    kind: i32,
    id: libc::pid_t,
}

/// `struct perf_event_attr`, PERF_ATTR_SIZE_VER0.
#[repr(C)]
#[derive(Default)]
struct Attributes {
    kind: u32,
    size: u32,
    config: u64,
    sample_period: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup_events: u32,
    bp_type: u32,
    config1: u64,
}

/// An enabled event. Dropping it closes, and so disarms, it.
#[allow(dead_code, reason = "held only for its Drop")]
pub struct Event(OwnedFd);

impl Event {
    /// Starts a task clock that signals the calling thread each `period_ns` of its CPU time.
    pub fn for_calling_thread(period_ns: u64) -> Result<Self, Error> {
        let fd = open(period_ns)?;
        signal_owner(&fd)?;
        // SAFETY: this ioctl takes a number, no pointer.
        check(unsafe { libc::ioctl(fd.as_raw_fd(), PERF_EVENT_IOC_ENABLE, 0) })?;
        Ok(Self(fd))
    }
}

fn open(period_ns: u64) -> Result<OwnedFd, Error> {
    let attributes = Attributes {
        kind: PERF_TYPE_SOFTWARE,
        size: size_of::<Attributes>() as u32,
        config: PERF_COUNT_SW_TASK_CLOCK,
        sample_period: period_ns,
        flags: DISABLED_AND_USER_MODE_ONLY,
        wakeup_events: 1,
        ..Attributes::default()
    };
    let (calling_thread, any_cpu, no_group) = (0, -1, -1);
    // SAFETY: `attributes` has the size that it names, and lives through the call.
    let fd = unsafe {
        libc::syscall(
            libc::SYS_perf_event_open,
            &raw const attributes,
            calling_thread,
            any_cpu,
            no_group,
            PERF_FLAG_FD_CLOEXEC,
        )
    };
    check(fd as i32)?;
    // SAFETY: the call just made this descriptor, and nothing else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as i32) })
}

fn signal_owner(fd: &OwnedFd) -> Result<(), Error> {
    let owner = Owner { kind: F_OWNER_TID, id: own_tid() };
    // SAFETY: F_SETOWN_EX takes a pointer to an Owner, which lives through the call; the others
    // take numbers.
    unsafe {
        check(libc::fcntl(fd.as_raw_fd(), F_SETOWN_EX, &raw const owner))?;
        check(libc::fcntl(fd.as_raw_fd(), F_SETSIG, super::signal()))?;
        check(libc::fcntl(fd.as_raw_fd(), libc::F_SETFL, libc::O_ASYNC | libc::O_NONBLOCK))
    }
}

fn check(result: i32) -> Result<(), Error> {
    if result < 0 { Err(Error::last_os_error()) } else { Ok(()) }
}
