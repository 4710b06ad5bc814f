//! Looking at the holder of the GVL from outside: does it sleep, and in which method?
//!
//! Context: the worker. The holder's memory is read by the kernel on our behalf, so that a thread which ends
//! meanwhile costs a failed read, not a crash.

use std::sync::atomic::Ordering;

use rperf_core::accounting::Jitter;
use rperf_core::collect::{SlotId, TickInfo, TickKind};
use rperf_core::time::Nanos;

use crate::live::LIVE;
use crate::os::clock;
use crate::sampler::tick_ring;
use crate::slot::{QUEUE, ThreadSlot};
use crate::vm::layout::Layout;
use crate::vm::postponed;
use crate::vm::remote_frames::RemoteFrames;

/// The longest time between two looks while somebody holds the GVL, in nanoseconds.
const SLOWEST: u64 = 20_000_000;

/// When to look, and what was seen.
pub struct Watch {
    mean: u64,
    interval: u64,
    seed: u64,
    frames: RemoteFrames,
}

impl Watch {
    /// Looks at most every `period` nanoseconds on average, and less often while nobody sleeps.
    pub fn new(period: u64) -> Self {
        Self { mean: period, interval: period, seed: period, frames: RemoteFrames::new() }
    }

    /// The time until the next look.
    pub fn next_look(&mut self) -> u64 {
        self.seed = self.seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
        Jitter::new(self.interval, self.seed).period()
    }

    /// Looks whether the holder sleeps; if so its frames go to it, to be charged with the time it slept.
    pub fn look(&mut self) {
        let Some(slot) = LIVE.holder() else { return };
        let asleep = self.observe(slot, TickKind::Asleep);
        let quick = asleep || LIVE.sleeper_seen.swap(false, Ordering::Relaxed);
        self.interval = if quick { self.mean } else { (self.interval * 2).min(SLOWEST.max(self.mean)) };
    }

    /// A tick without a signal: the holder's frames are read while it runs, and used if they did not change
    /// during the reading.
    pub fn capture(&mut self) {
        let Some(slot) = LIVE.holder() else { return };
        if !self.observe(slot, TickKind::Running) {
            LIVE.unreadable.fetch_add(1, Ordering::Relaxed);
        }
        if slot.seen().len() >= QUEUE / 2 {
            postponed::trigger();
        }
    }

    /// Reads the holder's frames. For `Asleep` they count only if its CPU clock did not move meanwhile.
    fn observe(&mut self, slot: &'static ThreadSlot, kind: TickKind) -> bool {
        let Some(layout) = Layout::proved() else { return false };
        let Some(cpu_clock) = slot.state().cpu_clock else { return false };
        let Some(before) = cpu_clock.read() else { return false };
        if kind == TickKind::Asleep && cpu_clock.read() != Some(before) {
            return false;
        }
        if !self.frames.read(layout, slot.structure()) {
            return false;
        }
        let wall = clock::monotonic();
        let Some(cpu) = cpu_clock.read() else { return false };
        if kind == TickKind::Asleep && cpu != before || !slot.is_running() {
            return false;
        }
        self.publish(slot, kind, wall, cpu)
    }

    fn publish(&self, slot: &'static ThreadSlot, kind: TickKind, wall: Nanos, cpu: Nanos) -> bool {
        let mut seen = slot.seen();
        // A long sleep is seen again and again: the last sight of it is brought up to date.
        if let Some(last) = seen.back().copied().filter(|last| self.is_same(*last, slot, kind)) {
            let count = tick_ring().info(last).count.saturating_add(1);
            self.write(last, slot, kind, wall, cpu, count);
            return true;
        }
        let claimed = if seen.len() < QUEUE { tick_ring().claim() } else { None };
        let Some(claimed) = claimed else {
            LIVE.ring_full.fetch_add(1, Ordering::Relaxed);
            return false;
        };
        self.write(claimed, slot, kind, wall, cpu, 1);
        seen.push_back(claimed);
        true
    }

    fn is_same(&self, tick: SlotId, slot: &ThreadSlot, kind: TickKind) -> bool {
        let ring = tick_ring();
        let info = ring.info(tick);
        let depth = self.frames.depth();
        info.kind == kind
            && info.labels == slot.labels()
            && info.cfp == self.frames.top()
            && ring.depth(tick) == depth
            && (0..depth).all(|index| ring.frame(tick, index) == self.frames.frame(index))
    }

    fn write(&self, claimed: SlotId, slot: &ThreadSlot, kind: TickKind, wall: Nanos, cpu: Nanos, count: u32) {
        let ring = tick_ring();
        let depth = self.frames.depth();
        let written = (0..depth)
            .take_while(|index| ring.write_frame(claimed, *index, self.frames.frame(*index)))
            .count();
        let info = TickInfo {
            kind,
            wall,
            cpu,
            cfp: self.frames.top(),
            labels: slot.labels(),
            ip: 0,
            operands: self.frames.operands(),
            jit: self.frames.top_is_jit(),
            truncated: written < depth,
            count,
            switches: 0,
            remote: true,
        };
        ring.write_info(claimed, written, &info);
    }
}
