//! The part of a thread's record that is used under its lock.

use rperf_core::accounting::{GvlEvents, LONG, Over, Resumed, ThreadClock};
use rperf_core::collect::StackTable;
use rperf_core::ids::{LabelSetId, StackId, ThreadSeq};
use rperf_core::time::Nanos;

use super::record::Epoch;
use super::session_flags::FLAGS;
use super::stack_cache::StackCache;
use super::suspensions::Suspensions;
use crate::os::clock::{self, CpuClock};
use crate::os::quick_clock;

/// What a thread is charged with, and where.
#[derive(Debug)]
#[repr(C)]
pub struct ThreadAccounts {
    /// The thread's number in the session.
    pub seq: ThreadSeq,
    /// Its accounting.
    pub clock: ThreadClock,
    /// Time off the GVL that has not been charged yet.
    pub suspensions: Suspensions,
    /// Its CPU clock, for others to read; known once it has run.
    pub cpu_clock: Option<CpuClock>,
    /// Its native thread runs others in turn (M:N threads): that clock is its own only while it has the
    /// GVL.
    pub shares_native: bool,
    /// Its last stack.
    pub cache: StackCache,
    /// Time of threads that ended before, which the next tick carries.
    pub inherited: Nanos,
    /// The last stack that was sampled.
    pub last_stack: StackId,
    /// The labels of its last tick, or of its last time inside of a block.
    pub last_labels: LabelSetId,
    /// How many ticks it has had.
    pub tick_count: u64,
    /// A tick met the suspension of this epoch, and stands for so much: see [`set_pending`](Self::set_pending).
    pending: Option<(Epoch, Nanos)>,
    /// In how many nested `Rperf.profile` blocks it is, where these matter.
    pub blocks: u32,
}

impl ThreadAccounts {
    /// Of a thread that has this number.
    pub fn new(seq: ThreadSeq, clock: ThreadClock) -> Self {
        Self {
            seq,
            suspensions: Suspensions::new(seq),
            clock,
            cpu_clock: None,
            shares_native: false,
            cache: StackCache::default(),
            inherited: Nanos::ZERO,
            last_stack: StackTable::EMPTY,
            last_labels: LabelSetId::EMPTY,
            tick_count: 0,
            pending: None,
            blocks: 0,
        }
    }

    /// Tells the clock what has happened. Returns whether suspensions are over that it had not been told
    /// of.
    pub fn flush(&mut self, events: &GvlEvents) -> bool {
        let over = events.tell(&mut self.clock, quick_clock::scale(), quick_clock::reading);
        self.suspensions.add_over(over);
        over != Over::default()
    }

    /// A tick that stands for `covers` met the suspension of this epoch. It is charged at the suspension's end,
    /// to the stack that stands there; not if the suspension is long, for then its CPU time is measured.
    pub fn set_pending(&mut self, epoch: Epoch, covers: Nanos) {
        self.pending = Some((epoch, covers));
    }

    /// The thread uses no processor: no tick met it.
    pub fn forget_pending(&mut self) {
        self.pending = None;
    }

    /// Whether a tick waits.
    pub fn is_pending(&self) -> bool {
        self.pending.is_some()
    }

    /// The thread, the calling one, has the GVL again since `wall`, after the suspension of this epoch: what that
    /// charges, and what a tick that met the suspension stands for.
    pub fn resume(&mut self, wall: Nanos, epoch: Epoch) -> (Resumed, Option<Nanos>) {
        let is_long = FLAGS.is_cpu() && self.clock.suspended_for(wall) >= LONG;
        let pending = self.pending.take().filter(|(met, _)| *met == epoch && !is_long);
        (self.clock.resume(wall, is_long.then(clock::thread_cpu)), pending.map(|(_, covers)| covers))
    }
}
