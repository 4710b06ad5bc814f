//! A look at a running thread from outside: its frames become a tick, which the thread interprets later.
//!
//! Context: the worker. The thread's memory is read by the kernel on our behalf, so that a thread which ends
//! meanwhile costs a failed read, not a crash. The thread itself notices nothing.

use std::sync::atomic::Ordering;

use rperf_core::collect::{SlotId, TickFrame, TickInfo, TickKind};
use rperf_core::time::Nanos;

use crate::sampler::tick_ring;
use crate::threads::live::LIVE;
use crate::threads::slot::{ThreadSlot, Turn};
use crate::threads::tick_queue::QUEUE;
use crate::vm::layout::Layout;
use crate::vm::remote_frames::RemoteFrames;

/// When a tick was taken, and of what kind it is.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// What the thread was doing.
    pub kind: TickKind,
    /// The wall clock.
    pub wall: Nanos,
    /// The thread's CPU clock.
    pub cpu: Nanos,
    /// When its task clock's tick was due; 0 where it has none.
    pub due: Nanos,
}

/// Room for what is seen, kept from look to look.
#[derive(Debug)]
pub struct Look {
    frames: RemoteFrames,
}

impl Look {
    /// One that has seen nothing yet. Fails where the system does not let us look.
    pub fn new() -> std::io::Result<Self> {
        RemoteFrames::new().map(|frames| Self { frames })
    }

    /// Reads the thread's frames. Returns the turn in which they stood; `None` when it does not run, or they could
    /// not be read.
    pub fn read(&mut self, slot: &ThreadSlot) -> Option<Turn> {
        let turn = slot.turn()?;
        self.frames.read(Layout::proved()?, slot.structure()).then_some(turn)
    }

    /// The innermost frame.
    pub fn leaf(&self) -> TickFrame {
        self.frames.frames().next().unwrap_or_default()
    }

    /// Gives the frames to their thread as a tick. False when there is no room, or when the thread has given up its
    /// turn since: what the frames refer to may be gone then.
    pub fn publish(&self, slot: &'static ThreadSlot, turn: Turn, moment: Moment) -> bool {
        let mut seen = slot.seen_to_fill();
        // Who suspends, collects or ends says so before it looks into the queue: nothing is left there that nobody
        // reads.
        if slot.turn() != Some(turn) || !slot.is_of(LIVE.generation()) {
            return false;
        }
        let info = self.info(slot, moment);
        // What lasts is seen again and again: the last sight of it is brought up to date.
        if let Some(last) = seen.back().copied().filter(|last| self.is_same(*last, slot, &info)) {
            let TickInfo { count, due, .. } = tick_ring().info(last);
            self.write(last, TickInfo { count: count.saturating_add(1), due, ..info });
            return true;
        }
        let claimed = if seen.len() < QUEUE { tick_ring().claim() } else { None };
        let Some(claimed) = claimed else {
            LIVE.ring_full.fetch_add(1, Ordering::Relaxed);
            return false;
        };
        self.write(claimed, info);
        seen.push_back(claimed);
        true
    }

    fn is_same(&self, tick: SlotId, slot: &ThreadSlot, new: &TickInfo) -> bool {
        let ring = tick_ring();
        let old = ring.info(tick);
        slot.ticks.first().is_none()
            && (old.kind, old.labels, old.cfp, old.settled) == (new.kind, new.labels, new.cfp, new.settled)
            && ring.depth(tick) == self.frames.depth()
            && self.frames.frames().enumerate().all(|(index, frame)| ring.frame(tick, index) == frame)
    }

    fn write(&self, claimed: SlotId, mut info: TickInfo) {
        let ring = tick_ring();
        let frames = self.frames.frames().enumerate();
        let written = frames.take_while(|(index, frame)| ring.write_frame(claimed, *index, *frame)).count();
        info.truncated = written < self.frames.depth();
        ring.write_info(claimed, written, &info);
    }

    fn info(&self, slot: &ThreadSlot, moment: Moment) -> TickInfo {
        TickInfo {
            kind: moment.kind,
            wall: moment.wall,
            cpu: moment.cpu,
            due: moment.due,
            cfp: self.frames.top(),
            labels: slot.labels(),
            ip: 0,
            operands: self.frames.operands(),
            jit: self.frames.top_is_jit(),
            truncated: false,
            count: 1,
            switches: 0,
            remote: true,
            settled: self.frames.is_settled(),
            other_method: self.frames.leaf_again().method,
        }
    }
}
