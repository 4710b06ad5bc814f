//! The part of a thread's slot that is used under its lock.

use rperf_core::accounting::{GvlEvents, LONG, Over, Resumed, ThreadClock};
use rperf_core::collect::{SlotId, TickFrame};
use rperf_core::ids::{FrameId, LabelSetId, ThreadSeq};
use rperf_core::time::Nanos;

use super::known_frames::KnownFrames;
use super::live::LIVE;
use super::suspensions::Suspensions;
use crate::os::clock::{self, CpuClock};
use crate::os::quick_clock;

/// The part of a slot that is used under its lock. The signal handler never takes it.
#[derive(Debug)]
#[repr(C)]
pub struct SlotState {
    /// The thread's number in the session.
    pub seq: ThreadSeq,
    /// Its accounting.
    pub clock: ThreadClock,
    /// Time off the GVL that has not been charged yet.
    pub suspensions: Suspensions,
    /// Cpu mode: what the suspension that goes on uses is measured.
    measured: bool,
    /// Its CPU clock, for others to read; known once it has run.
    pub cpu_clock: Option<CpuClock>,
    /// Its native thread runs others in turn (M:N threads): that clock is its own only while it has the GVL.
    pub shares_native: bool,
    /// Frames of the last stack, but for its leaf.
    pub cache: KnownFrames,
    /// The leaf of the last stack that was taken where it stood, with its id.
    pub standing_leaf: (TickFrame, Option<FrameId>),
    /// How many collections there had been when these were put there.
    collections: u64,
    /// Time of threads that ended before, which the next tick carries.
    pub inherited: Nanos,
    /// The last stack that was sampled, the leaf first.
    pub last_stack: Vec<FrameId>,
    /// How many ticks it has had.
    pub tick_count: u64,
    /// Voluntary context switches of the native thread when last looked at.
    pub switches: u64,
    /// Ticks without the GVL, of absences that have not been charged yet.
    pub away: Option<SlotId>,
    /// CPU time without the GVL that waits for a tick; only when native functions are asked for.
    pub away_time: AwayTime,
    /// In how many nested `Rperf.profile` blocks it is, where these matter.
    pub blocks: u32,
    /// What was left of the period when it was parked, in nanoseconds.
    pub period_left: Option<u64>,
    /// The labels of its last tick, or of its last time inside of a block.
    pub last_labels: LabelSetId,
}

/// Time of absences from one stack.
#[derive(Debug, Default)]
pub struct AwayTime {
    /// The stack, the leaf first.
    pub stack: Vec<FrameId>,
    /// Its labels.
    pub labels: LabelSetId,
    /// The time.
    pub time: Nanos,
    /// How many absences.
    pub count: u32,
}

impl SlotState {
    /// Of a thread that has this number.
    pub fn new(seq: ThreadSeq, clock: ThreadClock) -> Self {
        Self {
            seq,
            suspensions: Suspensions::new(seq),
            measured: false,
            clock,
            cpu_clock: None,
            shares_native: false,
            cache: KnownFrames::new(),
            standing_leaf: Default::default(),
            collections: 0,
            inherited: Nanos::ZERO,
            last_stack: Vec::with_capacity(128),
            tick_count: 0,
            switches: 0,
            away: None,
            away_time: AwayTime::default(),
            blocks: 0,
            period_left: None,
            last_labels: LabelSetId::EMPTY,
        }
    }

    /// Forgets remembered words when there has been a collection since, of which `collections` is the number: they may
    /// mean other objects now.
    pub fn forget_words(&mut self, collections: u64) {
        if std::mem::replace(&mut self.collections, collections) != collections {
            self.cache.clear();
            self.standing_leaf = Default::default();
        }
    }

    /// The frames that the thread may still be charged with.
    pub fn frames(&self) -> impl Iterator<Item = FrameId> {
        let cached = self.cache.ids().chain(self.standing_leaf.1);
        let stacks = [&self.last_stack[..], &self.away_time.stack];
        cached.chain(stacks.into_iter().flatten().copied()).chain(self.suspensions.frames())
    }

    /// Takes note of what has happened. Returns whether suspensions are over that nobody knew of.
    pub fn hear(&mut self, events: &GvlEvents) -> bool {
        let over = events.tell(&mut self.clock, quick_clock::scale(), quick_clock::reading);
        self.suspensions.add_over(over);
        over != Over::default()
    }

    /// Whether the suspension that goes on is measured.
    pub fn is_measured(&self) -> bool {
        self.measured
    }

    /// What the thread, the calling one, uses from here on without the GVL is measured; see [`ThreadSlot::measure`](super::slot::ThreadSlot::measure).
    pub fn measure(&mut self, ends: bool) {
        if ends || self.clock.unread_off_gvl() > Nanos::ZERO {
            self.clock.settle_cpu(clock::monotonic(), clock::thread_cpu());
        }
        self.suspensions.cpu.add_unmeasured(self.clock.take_off_gvl());
        self.measured = true;
    }

    /// The thread, the calling one, has the GVL again since `wall`: what that charges.
    pub fn resume(&mut self, wall: Nanos) -> Resumption {
        let long = LIVE.is_cpu() && self.clock.suspended_for(wall) >= LONG;
        let measured = std::mem::take(&mut self.measured);
        let reads = measured || long;
        self.suspensions.cpu.add_unmeasured(self.clock.take_off_gvl());
        let before = if reads { self.clock.unread_off_gvl() } else { Nanos(u64::MAX) };
        let mut charged = self.clock.resume(wall, reads.then(clock::thread_cpu));
        // Short ones before it are system calls that use what time they take, more often than not.
        let others = charged.off_gvl.min(before);
        self.suspensions.cpu.add_unmeasured(others);
        charged.off_gvl = charged.off_gvl - others;
        Resumption { charged, measured, long }
    }
}

/// The end of a suspension.
#[derive(Clone, Copy, Debug, Default)]
pub struct Resumption {
    /// What it took itself.
    pub charged: Resumed,
    /// It was to be measured.
    pub measured: bool,
    /// It was long: see [`LONG`].
    pub long: bool,
}
