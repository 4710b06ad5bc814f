//! Looking at the holder of the GVL from outside: does it sleep, and in which method?
//!
//! Context: the worker. The holder's memory is read by the kernel on our behalf, so that a thread which ends
//! meanwhile costs a failed read, not a crash.

use std::sync::atomic::Ordering;

use rperf_core::accounting::{Jitter, LATE};
use rperf_core::collect::{SlotId, TickInfo, TickKind};
use rperf_core::state::Mode;
use rperf_core::time::Nanos;

use crate::os::clock::{self, CpuClock};
use crate::sampler::tick_ring;
use crate::threads::live::LIVE;
use crate::threads::slot::ThreadSlot;
use crate::threads::tick_queue::QUEUE;
use crate::vm::layout::Layout;
use crate::vm::postponed;
use crate::vm::remote_frames::RemoteFrames;

/// After something was found, so many looks follow at the pace of ticks.
const QUICK_LOOKS: u32 = 20;
/// The longest time between two looks while somebody holds the GVL, in nanoseconds.
const SLOWEST: u64 = 20_000_000;

/// When to look, and what was seen.
pub struct Watch {
    mode: Mode,
    /// How many more looks in quick succession.
    quick_looks: u32,
    mean: u64,
    interval: u64,
    seed: u64,
    frames: RemoteFrames,
    /// The CPU clock of the holder at the last tick, and whose it was.
    ticked: Option<(usize, Nanos)>,
}

impl Watch {
    /// Looks at most every `period` nanoseconds on average, and less often while nobody sleeps.
    pub fn new(mode: Mode, period: u64) -> Self {
        Self {
            mode,
            quick_looks: 0,
            mean: period,
            interval: period,
            seed: period,
            frames: RemoteFrames::new(),
            ticked: None,
        }
    }

    /// The time until the next look.
    pub fn next_look(&mut self) -> u64 {
        self.seed = self.seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
        Jitter::new(self.interval, self.seed).period()
    }

    /// Looks whether the holder sleeps, or is in a system call that swallowed a tick; if so its frames go to it, to
    /// be charged with that time.
    pub fn look(&mut self) {
        let Some(slot) = LIVE.holder() else { return };
        let found = self.find(slot).is_some();
        if LIVE.sleeper_seen.swap(false, Ordering::Relaxed) || found {
            self.quick_looks = QUICK_LOOKS;
            self.interval = self.mean;
        } else if self.quick_looks > 0 {
            self.quick_looks -= 1;
        } else {
            self.interval = (self.interval * 2).min(SLOWEST.max(self.mean));
        }
    }

    fn find(&mut self, slot: &'static ThreadSlot) -> Option<()> {
        let clock = slot.state().cpu_clock?;
        let first = clock.read()?;
        let still = clock.read()? == first;
        let due = slot.due();
        if still {
            return if self.mode == Mode::Wall {
                self.observe(slot, clock, TickKind::Asleep, first)
            } else {
                None
            };
        }
        let overdue = due != Nanos::ZERO && (first - due).0 > LATE;
        if overdue { self.observe(slot, clock, TickKind::InKernel, first) } else { None }
    }

    /// A tick of the worker's. The holder's frames are read while it runs, and used if they did not change during the
    /// reading: so it is with a thread that sleeps, or is in a long call. If they did change the thread is busy with
    /// the program, and takes its tick itself: it gets a signal, unless it suspends first.
    pub fn capture(&mut self, signal: i32) {
        let Some(slot) = LIVE.holder() else { return };
        let clock = slot.state().cpu_clock;
        let before = clock.and_then(CpuClock::read);
        let (Some(clock), Some(before)) = (clock, before) else { return };
        // In cpu mode a thread that slept since the last tick has none. (Whether its clock moves during this look says
        // nothing: the worker may have taken the processor from it.)
        let now = (std::ptr::from_ref(slot).addr(), before);
        if self.ticked.replace(now) == Some(now) && self.mode == Mode::Cpu {
            return;
        }
        if self.observe(slot, clock, TickKind::Running, before).is_none() && clock.read() != Some(before) {
            // The handler counts this tick.
            LIVE.ticks.fetch_sub(1, Ordering::Relaxed);
            if !slot.send_tick(signal) {
                LIVE.unreadable.fetch_add(1, Ordering::Relaxed);
            }
        }
        if slot.seen().len() >= QUEUE / 2 {
            postponed::trigger();
        }
    }

    /// Reads the holder's frames, and publishes them if they are what `kind` says. `before`: its CPU clock, read
    /// just before.
    fn observe(
        &mut self,
        slot: &'static ThreadSlot,
        clock: CpuClock,
        kind: TickKind,
        before: Nanos,
    ) -> Option<()> {
        let due = slot.due();
        self.frames.read(Layout::proved()?, slot.structure()).then_some(())?;
        let (wall, cpu) = (clock::monotonic(), clock.read()?);
        let still = cpu == before;
        let fits = match kind {
            TickKind::Asleep => still,
            // In cpu mode a thread that sleeps has no tick; one that waits for a processor has.
            TickKind::Running => !(still && self.mode == Mode::Cpu && slot.is_asleep()),
            // System calls are made by C methods; and no tick has come meanwhile.
            TickKind::InKernel => self.frames.frame(0).pc == 0 && slot.due() == due,
        };
        (fits && slot.is_running()).then_some(())?;
        self.publish(slot, kind, wall, cpu, due).then_some(())
    }

    fn publish(
        &self,
        slot: &'static ThreadSlot,
        kind: TickKind,
        wall: Nanos,
        cpu: Nanos,
        due: Nanos,
    ) -> bool {
        let mut seen = slot.seen();
        // Who suspends or ends says so before it looks into the queue: nothing is left there that nobody reads.
        if !slot.is_running() || !slot.is_of(LIVE.generation()) {
            return false;
        }
        // A long sleep is seen again and again: the last sight of it is brought up to date.
        if let Some(last) = seen
            .back()
            .copied()
            .filter(|last| slot.ticks.first().is_none() && self.is_same(*last, slot, kind))
        {
            let count = tick_ring().info(last).count.saturating_add(1);
            let due = tick_ring().info(last).due;
            self.write(last, TickInfo { kind, wall, cpu, due, count, ..self.info(slot) });
            return true;
        }
        let claimed = if seen.len() < QUEUE { tick_ring().claim() } else { None };
        let Some(claimed) = claimed else {
            LIVE.ring_full.fetch_add(1, Ordering::Relaxed);
            return false;
        };
        self.write(claimed, TickInfo { kind, wall, cpu, due, ..self.info(slot) });
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

    fn write(&self, claimed: SlotId, mut info: TickInfo) {
        let ring = tick_ring();
        let depth = self.frames.depth();
        let written = (0..depth)
            .take_while(|index| ring.write_frame(claimed, *index, self.frames.frame(*index)))
            .count();
        info.truncated = written < depth;
        ring.write_info(claimed, written, &info);
    }

    /// What the copy tells about a tick; the rest is for the caller to fill in.
    fn info(&self, slot: &ThreadSlot) -> TickInfo {
        TickInfo {
            kind: TickKind::Running,
            wall: Nanos::ZERO,
            cpu: Nanos::ZERO,
            cfp: self.frames.top(),
            labels: slot.labels(),
            ip: 0,
            operands: self.frames.operands(),
            jit: self.frames.top_is_jit(),
            truncated: false,
            count: 1,
            switches: 0,
            due: Nanos::ZERO,
            remote: true,
        }
    }
}
