//! A periodic timer whose signal goes to the calling thread: `timer_create(2)` with `SIGEV_THREAD_ID`.

#[cfg(target_os = "linux")]
pub use linux::PosixTimer;

#[cfg(target_os = "linux")]
mod linux {
    use std::io;
    use std::mem::MaybeUninit;
    use std::time::Duration;

    /// A timer; deleted when dropped.
    #[derive(Debug)]
    pub struct PosixTimer(libc::timer_t);

    impl PosixTimer {
        /// A disarmed timer that will send `signal` to the calling thread.
        pub fn for_current_thread(signal: i32) -> io::Result<Self> {
            let mut event = MaybeUninit::<libc::sigevent>::zeroed();
            let mut timer: libc::timer_t = std::ptr::null_mut();
            // SAFETY: all-zero is a valid sigevent; the fields set are those that SIGEV_THREAD_ID reads.
            let status = unsafe {
                let event = event.assume_init_mut();
                event.sigev_notify = libc::SIGEV_THREAD_ID;
                event.sigev_signo = signal;
                event.sigev_notify_thread_id = super::super::thread::tid();
                libc::timer_create(libc::CLOCK_MONOTONIC, event, &raw mut timer)
            };
            if status == 0 { Ok(Self(timer)) } else { Err(io::Error::last_os_error()) }
        }

        /// Fires once, after `delay` (zero disarms).
        pub fn arm_once(&self, delay: Duration) {
            let zero = libc::timespec { tv_sec: 0, tv_nsec: 0 };
            let spec = libc::itimerspec {
                it_interval: zero,
                it_value: libc::timespec {
                    tv_sec: delay.as_secs().cast_signed(),
                    tv_nsec: i64::from(delay.subsec_nanos()),
                },
            };
            // SAFETY: the timer is live until drop, and `spec` is valid.
            unsafe { libc::timer_settime(self.0, 0, &raw const spec, std::ptr::null_mut()) };
        }
    }

    impl Drop for PosixTimer {
        fn drop(&mut self) {
            // SAFETY: created by us and deleted once.
            unsafe { libc::timer_delete(self.0) };
        }
    }
}

/// There is no such timer outside Linux: creating one fails.
#[cfg(not(target_os = "linux"))]
#[derive(Debug)]
pub struct PosixTimer;

#[cfg(not(target_os = "linux"))]
impl PosixTimer {
    /// Always fails.
    pub fn for_current_thread(_signal: i32) -> std::io::Result<Self> {
        Err(std::io::ErrorKind::Unsupported.into())
    }

    /// Does nothing.
    pub fn arm_once(&self, _delay: std::time::Duration) {}
}
