//! POSIX timers with SIGEV_THREAD_ID, `timer_create`: the signal goes to one thread.

use std::io::Error;

use crate::nap;

/// An armed timer on the monotonic clock. Dropping it deletes it.
pub struct Timer(libc::timer_t);

// SAFETY: a timer_t is an id of the process, usable from every thread.
unsafe impl Send for Timer {}

/// Returns the kernel's id of the calling thread.
pub fn own_tid() -> libc::pid_t {
    // SAFETY: gettid takes nothing and cannot fail.
    unsafe { libc::gettid() }
}

impl Timer {
    /// Arms a timer that signals the calling thread each `interval_ns`.
    pub fn for_calling_thread(interval_ns: u64) -> Result<Self, Error> {
        Self::for_thread(own_tid(), interval_ns)
    }

    /// Arms a timer that signals the thread `tid` of this process each `interval_ns`.
    pub fn for_thread(tid: libc::pid_t, interval_ns: u64) -> Result<Self, Error> {
        let timer = Self::create(tid)?;
        let period = nap::timespec(interval_ns);
        let setting = libc::itimerspec { it_interval: period, it_value: period };
        // SAFETY: the timer was just made, and `setting` lives through the call.
        match unsafe { libc::timer_settime(timer.0, 0, &setting, std::ptr::null_mut()) } {
            0 => Ok(timer),
            _ => Err(Error::last_os_error()),
        }
    }

    fn create(tid: libc::pid_t) -> Result<Self, Error> {
        // SAFETY: sigevent is plain data, for which all zeroes is a value.
        let mut event: libc::sigevent = unsafe { std::mem::zeroed() };
        event.sigev_notify = libc::SIGEV_THREAD_ID;
        event.sigev_signo = super::signal();
        event.sigev_notify_thread_id = tid;
        let mut id: libc::timer_t = std::ptr::null_mut();
        // SAFETY: `event` and `id` live through the call.
        match unsafe { libc::timer_create(libc::CLOCK_MONOTONIC, &mut event, &mut id) } {
            0 => Ok(Self(id)),
            _ => Err(Error::last_os_error()),
        }
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        // SAFETY: the timer is ours, and deleted once.
        unsafe { libc::timer_delete(self.0) };
    }
}
