//! Wall mode: the time in which a thread has the GVL and waits for a processor.
//!
//! The thread's CPU clock says how much time it has not used. The kernel says how long it has
//! waited for processors. The rest of that time is sleep in a system call that keeps the GVL.

use crate::time::Nanos;

/// Least part of a tick's weight that is taken: 1/`LEAST_PART`. Less is kept for later ticks.
const LEAST_PART: u64 = 4;
/// Maximum time without a processor that is kept for later ticks. A container's limit takes
/// processors away for up to 100 ms at a time (`cpu.cfs_period_us`), a busy machine for longer.
const LONGEST_WAIT: Nanos = Nanos(1_000_000_000);
/// Maximum time between the readings of a thread's two clocks, in nanoseconds.
const CLOCK_SKEW_NS: i64 = 50_000;

/// Time of one thread with the GVL and without a processor.
#[derive(Clone, Debug, Default)]
pub struct CpuWait {
    /// Time since the last reading of the CPU clock: with the GVL, and in the collector.
    pub(super) held: Nanos,
    pub(super) collected: Nanos,
    /// Time with the GVL, outside of the collector, without a processor, not taken by a tick. It
    /// may be below 0 by the time between the readings of the two clocks.
    unused: i64,
    /// Time of waiting for processors, as the kernel reports it, not taken by a tick: at most
    /// `unused`.
    waited: Nanos,
    /// CPU time used since the kernel was last asked.
    ran: Nanos,
    /// Part of `unused` that the kernel's last answer did not explain.
    unexplained: Nanos,
}

impl CpuWait {
    /// Adds the CPU time `used` since the last reading. The missing time is divided between the
    /// program and the collector, in proportion to the time of each.
    pub fn read(&mut self, used: u64) {
        self.ran += Nanos(used);
        let [own, gc] = [&mut self.held, &mut self.collected].map(|time| i128::from(std::mem::take(time).0));
        let missing = own + gc - i128::from(used);
        let part = (missing * own).checked_div(own + gc).unwrap_or(0);
        // CPU time that was used off the GVL does not make up for missing time.
        self.unused = (self.unused + part as i64).clamp(-CLOCK_SKEW_NS, LONGEST_WAIT.0 as i64);
    }

    /// Takes the part of a tick's weight in which the thread waited for a processor. `waited`
    /// returns the kernel's time of waiting since its last call. It is called where a
    /// [part](LEAST_PART) of the weight may be taken.
    ///
    /// A wait that goes on counts when it ends. If the thread has run since the kernel was last
    /// asked, its waits up to then have ended: time that they do not explain was no waiting. Waits
    /// beyond the time that is missing were off the GVL, such as when the thread woke up.
    pub fn take(&mut self, weight: Nanos, waited: impl FnOnce() -> Nanos) -> Nanos {
        if weight == Nanos::ZERO || self.unused().0 * LEAST_PART < weight.0 {
            return Nanos::ZERO;
        }
        let counted = waited();
        if self.ran.0 > CLOCK_SKEW_NS.cast_unsigned() {
            self.unused -= (self.unexplained - counted).min(self.unused()).0.cast_signed();
        }
        self.waited = (self.waited + counted).min(self.unused());
        // A tick has met the thread, so a part of the weight is left.
        let taken = self.waited.min(weight - Nanos(1));
        self.unused -= taken.0.cast_signed();
        self.waited = self.waited - taken;
        self.unexplained = self.unused() - self.waited;
        self.ran = Nanos::ZERO;
        taken
    }

    fn unused(&self) -> Nanos {
        Nanos(u64::try_from(self.unused).unwrap_or(0))
    }
}
