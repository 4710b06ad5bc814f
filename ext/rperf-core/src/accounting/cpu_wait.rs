//! Wall mode: the time in which a thread has the GVL and waits for a processor.
//!
//! The thread's CPU clock says how much it has not used. The system says how long it has waited for
//! processors; what that does not explain is sleep in a system call that keeps the GVL.

use crate::time::Nanos;

/// One part in so many of a tick's weight is set apart; less comes together for later ticks.
const LEAST_PART: u64 = 4;
/// So much time without a processor is kept for later ticks, at most. A container's limit takes
/// processors away for up to 100 ms at a time (`cpu.cfs_period_us`), a busy machine for longer.
const LONGEST_WAIT: Nanos = Nanos(1_000_000_000);
/// Both clocks of a thread are read within so many nanoseconds.
const CLOCK_SKEW_NS: i64 = 50_000;

/// What is known of one thread.
#[derive(Clone, Debug, Default)]
pub struct CpuWait {
    /// Since the last reading of the CPU clock: with the GVL, and in the collector.
    held: Nanos,
    collected: Nanos,
    /// Held without using a processor, outside of the collector, and not taken by a tick. Negative
    /// by what the clocks, which are read one after the other, differ.
    unused: i64,
    /// Waited for processors, as the system says, and not taken by a tick.
    waited: Nanos,
    /// Since the system was last asked: CPU time used.
    ran: Nanos,
    /// What of `unused` it did not explain then.
    unexplained: Nanos,
}

impl CpuWait {
    /// It had the GVL for so long, outside of the collector.
    pub fn held(&mut self, time: Nanos) {
        self.held += time;
    }

    /// It was in the collector for so long.
    pub fn collected(&mut self, time: Nanos) {
        self.collected += time;
    }

    /// It used so much CPU time since the last reading: what is missing is shared by the program
    /// and the collector, as the time was.
    pub fn read(&mut self, used: u64) {
        self.ran += Nanos(used);
        let [own, gc] = [&mut self.held, &mut self.collected].map(|time| i128::from(std::mem::take(time).0));
        let missing = own + gc - i128::from(used);
        let part = (missing * own).checked_div(own + gc).unwrap_or(0);
        // What it has computed without the GVL makes up for nothing.
        self.unused = (self.unused + part as i64).clamp(-CLOCK_SKEW_NS, LONGEST_WAIT.0 as i64);
    }

    /// So much of a tick's weight is such time. `waited`: how long the system says that the thread
    /// has waited since this was last asked for; it is asked where a [part](LEAST_PART) of the
    /// weight may be set apart.
    ///
    /// A wait that goes on counts when it ends. Where the thread has run since the system was last
    /// asked, its waits up to then have ended: what they do not explain was none of them.
    pub fn take(&mut self, weight: Nanos, waited: impl FnOnce() -> Nanos) -> Nanos {
        if weight == Nanos::ZERO || self.unused().0 * LEAST_PART < weight.0 {
            return Nanos::ZERO;
        }
        let counted = waited();
        if self.ran.0 > CLOCK_SKEW_NS.cast_unsigned() {
            self.unused -= (self.unexplained - counted).min(self.unused()).0.cast_signed();
        }
        self.waited = (self.waited + counted).min(LONGEST_WAIT);
        // A tick has met the thread, so something is left of it.
        let taken = self.unused().min(weight - Nanos(1)).min(self.waited);
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
