//! The kernel's software task clock: a tick source that follows the CPU time of one thread.
//!
//! The clock runs only while the thread is on a processor. An overflow is reported only when it
//! happens in user mode (`exclude_kernel`; allowed at `perf_event_paranoid` 2), so the signal never
//! interrupts a system call: perf_event_open(2), "Overflow handling". The signal is chosen by
//! F_SETSIG and F_SETOWN_EX, fcntl(2).

use std::io;

/// The fields of `struct perf_event_attr` up to PERF_ATTR_SIZE_VER0 (linux/perf_event.h).
#[repr(C)]
#[derive(Default)]
struct Attr {
    kind: u32,
    size: u32,
    config: u64,
    sample_period: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup_events: u32,
    bp_type: u32,
    bp_addr: u64,
}

const PERF_TYPE_SOFTWARE: u32 = 1;
const PERF_COUNT_SW_TASK_CLOCK: u64 = 1;
const FLAG_DISABLED: u64 = 1;
const FLAG_EXCLUDE_KERNEL: u64 = 1 << 5;
const FLAG_EXCLUDE_HV: u64 = 1 << 6;
/// `_IO('$', 0)`, linux/perf_event.h.
const PERF_EVENT_IOC_ENABLE: libc::Ioctl = 0x2400;
/// `_IOR('$', 7, __u64 *)`.
const PERF_EVENT_IOC_ID: libc::Ioctl = 0x8008_2407_u32 as libc::Ioctl;
const PERF_FLAG_FD_CLOEXEC: libc::c_ulong = 1 << 3;
const F_SETSIG: i32 = 10;
const F_SETOWN_EX: i32 = 15;
const F_OWNER_TID: i32 = 0;

#[repr(C)]
struct OwnerEx {
    kind: i32,
    pid: i32,
}

/// An open task clock. It is a plain file descriptor: the code that opened it closes it, once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskClock(i32);

impl TaskClock {
    /// Opens a clock of the calling thread that will send `signal` to it, after each `first_period`
    /// nanoseconds of its CPU time. It stands still until [`run`](Self::run): a tick must not come
    /// before the handler knows to which thread it belongs.
    pub fn open(signal: i32, first_period: u64) -> io::Result<Self> {
        let attr = Attr {
            kind: PERF_TYPE_SOFTWARE,
            size: u32::try_from(size_of::<Attr>()).expect("a small struct"),
            config: PERF_COUNT_SW_TASK_CLOCK,
            sample_period: first_period,
            flags: FLAG_DISABLED | FLAG_EXCLUDE_KERNEL | FLAG_EXCLUDE_HV,
            wakeup_events: 1,
            ..Attr::default()
        };
        // SAFETY: `attr` is a valid attribute block of the size that it names; pid 0 is the
        // caller.
        let fd = unsafe {
            libc::syscall(libc::SYS_perf_event_open, &raw const attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC)
        };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        let clock = Self(fd as i32);
        clock.signal_to_caller(signal).inspect_err(|_| clock.close())?;
        Ok(clock)
    }

    fn signal_to_caller(self, signal: i32) -> io::Result<()> {
        let owner = OwnerEx { kind: F_OWNER_TID, pid: super::linux::tid() };
        // SAFETY: plain fcntl calls on our own descriptor; `owner` outlives the call.
        let failed = unsafe {
            libc::fcntl(self.0, F_SETSIG, signal) != 0
                || libc::fcntl(self.0, F_SETOWN_EX, &raw const owner) != 0
                || libc::fcntl(self.0, libc::F_SETFL, libc::O_ASYNC | libc::O_NONBLOCK) != 0
        };
        if failed { Err(io::Error::last_os_error()) } else { Ok(()) }
    }

    /// Lets the clock run.
    pub fn run(self) {
        // SAFETY: the ioctl takes no argument.
        unsafe { libc::ioctl(self.0, PERF_EVENT_IOC_ENABLE, 0) };
    }

    /// Closes the clock; no signal is sent afterwards, but one may still be on its way. A forked
    /// child closes a copy, and the parent's clock runs on. If the program has closed all
    /// descriptors, this number may be that of its own file, no clock: a clock has an id.
    pub fn close(self) {
        let mut id = 0_u64;
        // SAFETY: the ioctl writes the id; a clock's descriptor is ours, and closed once.
        unsafe {
            if libc::ioctl(self.0, PERF_EVENT_IOC_ID, &raw mut id) == 0 {
                libc::close(self.0);
            }
        }
    }
}
