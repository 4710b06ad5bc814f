//! Clocks. All readings are safe in a signal handler (`clock_gettime(3)` is async-signal-safe).

use std::cell::OnceCell;
use std::fs::File;
use std::io::{self, Read};
use std::sync::OnceLock;

use nix::fcntl::{OFlag, openat};
use nix::sys::stat::Mode;
use nix::sys::time::TimeValLike;
use nix::time::{ClockId, clock_gettime};
use rperf_core::time::Nanos;

use super::linux;

/// The CPU clock of a thread, for use by other threads. The thread itself creates it.
#[derive(Clone, Copy, Debug)]
pub struct CpuClock {
    id: ClockId,
    tid: i32,
}

/// Directory of proc(5) that has a directory of each thread of this process.
const THREADS: &str = "/proc/self/task";

thread_local! {
    /// The same directory, where the calling thread keeps it open: see [`keep_threads_open`].
    static KEPT_THREADS: OnceCell<File> = const { OnceCell::new() };
}

/// Has the calling thread keep the directory of threads open until it ends. What it asks proc(5)
/// about threads is then answered after a chroot(2), too. Only for a thread with a table of file
/// descriptors of its own: another thread of the program, or a forked child, does not get this one.
pub fn keep_threads_open() {
    if let Ok(directory) = File::open(THREADS) {
        let _first = KEPT_THREADS.with(|kept| kept.set(directory));
    }
}

/// Returns `CLOCK_MONOTONIC`, the wall clock of samples.
pub fn monotonic() -> Nanos {
    read(ClockId::CLOCK_MONOTONIC).unwrap_or_default()
}

/// Returns the time of the clock of [`usage::process_age`](super::usage::process_age).
pub fn boottime() -> Nanos {
    read(ClockId::from_raw(linux::BOOT_CLOCK)).unwrap_or_default()
}

/// Returns `CLOCK_THREAD_CPUTIME_ID`: CPU time of the calling thread. A system call (some 0.3 us).
pub fn thread_cpu() -> Nanos {
    read(ClockId::CLOCK_THREAD_CPUTIME_ID).unwrap_or_default()
}

/// Returns the CPU time between two readings of [`thread_cpu`] that directly follow each other.
pub fn thread_cpu_cost() -> Nanos {
    const PAIRS: usize = 16;
    static COST: OnceLock<Nanos> = OnceLock::new();
    *COST.get_or_init(|| {
        let pairs = (0..PAIRS).map(|_| [thread_cpu(), thread_cpu()]);
        pairs.map(|[first, second]| second - first).min().unwrap_or_default()
    })
}

/// Returns the time of `CLOCK_REALTIME` at a moment of [`monotonic`], by the present difference of
/// the two clocks, in nanoseconds since 1970.
pub fn realtime_at(moment: Nanos) -> i64 {
    /// Number of readings. The shortest counts: an interruption between the clocks is an error.
    const READINGS: usize = 4;
    let reading = || {
        let before = monotonic();
        let real = read(ClockId::CLOCK_REALTIME).unwrap_or_default();
        let ago = before.0.cast_signed() - moment.0.cast_signed();
        (monotonic() - before, real.0.cast_signed() - ago)
    };
    (0..READINGS).map(|_| reading()).min().map_or(0, |(_interrupted, real)| real)
}

impl CpuClock {
    /// Returns the CPU clock of the calling thread, for other threads to read.
    pub fn of_current_thread() -> Self {
        Self { id: ClockId::from_raw(linux::cpu_clock()), tid: linux::tid() }
    }

    /// Returns the CPU time of the thread, or `None` when it has ended.
    pub fn read(self) -> Option<Nanos> {
        read(self.id)
    }

    /// Returns how long the thread could run but had no processor: the second number of schedstat
    /// in /proc/PID (sched-stats.rst). `None` where that is unknown. Takes some 5 us.
    pub fn waited_for_processors(self) -> Option<Nanos> {
        self.told("schedstat")?.split(' ').nth(1)?.parse().ok().map(Nanos)
    }

    /// Returns whether the thread neither uses a processor nor waits for one (state S or D of
    /// proc(5)), and whether the last processor that it used is the calling thread's. `None` where
    /// that is unknown: there is no /proc, or no free file descriptor. Takes some 20 us.
    pub fn state(self) -> Option<(bool, bool)> {
        let stat = self.told("stat")?;
        // The name, in parentheses, may contain any character.
        let mut fields = stat.rsplit_once(") ")?.1.split(' ');
        let is_asleep = matches!(fields.next(), Some("S" | "D"));
        let last = fields.nth(35).and_then(|number| number.parse().ok());
        Some((is_asleep, last.is_some() && last == linux::processor()))
    }

    /// Returns the content of a file of proc(5) about the thread, as far as one read provides it;
    /// `None` where there is no such file.
    fn told(self, file: &str) -> Option<String> {
        let mut text = [0; 1024];
        let read = self.open(file).and_then(|mut file| file.read(&mut text));
        Some(String::from_utf8_lossy(&text[..read.ok()?]).into_owned())
    }

    fn open(self, file: &str) -> io::Result<File> {
        let path = format!("{}/{file}", self.tid);
        KEPT_THREADS.with(|kept| match kept.get() {
            Some(kept) => {
                let flags = OFlag::O_RDONLY | OFlag::O_CLOEXEC;
                Ok(File::from(openat(kept, path.as_str(), flags, Mode::empty())?))
            }
            None => File::open(format!("{THREADS}/{path}")),
        })
    }
}

fn read(clock: ClockId) -> Option<Nanos> {
    clock_gettime(clock).ok().map(|time| Nanos(time.num_nanoseconds().cast_unsigned()))
}
