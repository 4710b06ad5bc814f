//! Clocks. All readings are safe in a signal handler (`clock_gettime(3)` is async-signal-safe).

use std::fs::File;
use std::io::Read;
use std::sync::OnceLock;

use rperf_core::time::Nanos;

use super::linux;

/// What the system tells of another thread's use of processors, obtained by that thread itself.
#[derive(Clone, Copy, Debug)]
pub struct CpuClock {
    id: libc::clockid_t,
    tid: i32,
}

/// `CLOCK_MONOTONIC`: the wall clock of samples.
pub fn monotonic() -> Nanos {
    read(libc::CLOCK_MONOTONIC).unwrap_or_default()
}

/// `CLOCK_THREAD_CPUTIME_ID`: CPU time of the calling thread. A system call (some 0.3 us).
pub fn thread_cpu() -> Nanos {
    read(libc::CLOCK_THREAD_CPUTIME_ID).unwrap_or_default()
}

/// What lies between two readings of [`thread_cpu`], one directly after the other.
pub fn thread_cpu_cost() -> Nanos {
    const PAIRS: usize = 16;
    static COST: OnceLock<Nanos> = OnceLock::new();
    *COST.get_or_init(|| {
        let pairs = (0..PAIRS).map(|_| [thread_cpu(), thread_cpu()]);
        pairs.map(|[first, second]| second - first).min().unwrap_or_default()
    })
}

/// What `CLOCK_REALTIME` shows at a moment of [`monotonic`], as both clocks are now, in nanoseconds
/// since 1970.
pub fn realtime_at(moment: Nanos) -> i64 {
    /// What interrupts the thread between the clocks would be taken for a difference of theirs.
    const READINGS: usize = 4;
    let reading = || {
        let before = monotonic();
        let real = read(libc::CLOCK_REALTIME).unwrap_or_default();
        let ago = before.0.cast_signed() - moment.0.cast_signed();
        (monotonic() - before, real.0.cast_signed() - ago)
    };
    (0..READINGS).map(|_| reading()).min().map_or(0, |(_interrupted, real)| real)
}

impl CpuClock {
    /// The CPU clock of the calling thread, to be read from elsewhere.
    pub fn of_current_thread() -> Self {
        Self { id: linux::cpu_clock(), tid: linux::tid() }
    }

    /// The CPU time of that thread, or `None` when it has ended.
    pub fn read(self) -> Option<Nanos> {
        read(self.id)
    }

    /// How long that thread has been able to run, and had no processor: the second number of
    /// /proc/PID/schedstat (sched-stats.rst). 0 where the system does not tell. Takes some 5 us.
    pub fn waited_for_processors(self) -> Nanos {
        let waited = self.told("schedstat").split(' ').nth(1).and_then(|number| number.parse().ok());
        Nanos(waited.unwrap_or_default())
    }

    /// Whether that thread neither uses a processor nor waits for one, state S or D of proc(5); and
    /// whether the last one that it used is that of the calling thread. Where the system does not
    /// tell, it sleeps. Takes some 20 us.
    pub fn state(self) -> (bool, bool) {
        let stat = self.told("stat");
        // The name, in parentheses, may have any characters.
        let mut fields = stat.rsplit_once(") ").map_or("S", |(_, rest)| rest).split(' ');
        let is_asleep = matches!(fields.next(), Some("S" | "D"));
        let last = fields.nth(35).and_then(|number| number.parse().ok());
        (is_asleep, last == Some(linux::processor()))
    }

    /// What a file of proc(5) tells about that thread, which one read has; empty where there is
    /// none.
    fn told(self, file: &str) -> String {
        let mut text = [0; 1024];
        let read = File::open(format!("/proc/self/task/{}/{file}", self.tid))
            .and_then(|mut file| file.read(&mut text));
        String::from_utf8_lossy(&text[..read.unwrap_or_default()]).into_owned()
    }
}

fn read(clock: libc::clockid_t) -> Option<Nanos> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid timespec for the duration of the call.
    let status = unsafe { libc::clock_gettime(clock, &raw mut time) };
    (status == 0).then(|| Nanos(time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_nsec.cast_unsigned()))
}
