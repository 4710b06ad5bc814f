//! A look at a running thread from outside: its frames become a tick, which the thread interprets later.
//!
//! Context: the worker. The thread's memory is read by the kernel on our behalf, so that memory which goes away
//! meanwhile costs a failed read, not a crash; or in place, while the thread is kept from ending. The thread itself
//! notices nothing.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};

use rperf_core::collect::{SlotId, TickFrame, TickInfo, TickKind};
use rperf_core::time::Nanos;

use crate::sampler::tick_ring;
use crate::threads::live::LIVE;
use crate::threads::slot::{ThreadSlot, Turn};
use crate::threads::tick_queue::QUEUE;
use crate::vm::layout::Layout;
use crate::vm::remote_frames::RemoteFrames;
use crate::vm::root_stack::Hold;
use crate::vm::{postponed, ractors};

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
    /// What it stands for; 0 where unknown.
    pub covers: Nanos,
}

/// Room for what is seen, kept from look to look.
#[derive(Debug)]
pub struct Look {
    frames: RemoteFrames,
    /// The number of the tick that was written last; what is kept of its frames, `frames` knows.
    last: u64,
    /// How many steps of collections there had been before the frames were read.
    collections: u64,
}

/// Ticks that were taken from outside, by whomever: the last one's number.
static NUMBERS: AtomicU64 = AtomicU64::new(0);

impl Look {
    /// One that has seen nothing yet. Fails where the system does not let us look.
    pub fn new() -> std::io::Result<Self> {
        RemoteFrames::new().map(|frames| Self { frames, last: 0, collections: 0 })
    }

    /// Reads the thread's frames. Returns the turn in which they stood; `None` when it does not run, or they could
    /// not be read.
    pub fn read(&mut self, slot: &ThreadSlot) -> Option<Turn> {
        let turn = slot.turn()?;
        self.collections = LIVE.collections();
        let hold = Hold::on(|| slot.standing_root());
        self.frames.read(Layout::proved()?, slot.structure(), hold.as_ref()).then_some(turn)
    }

    /// The innermost frame.
    pub fn leaf(&self) -> TickFrame {
        self.frames.decoded().leaf_first().next().unwrap_or_default()
    }

    /// Gives the frames to their thread as a tick. False when there is no room, when the thread is no longer profiled, or when what
    /// it did besides running is over.
    pub fn publish(&mut self, slot: &'static ThreadSlot, turn: Turn, moment: Moment) -> bool {
        let mut seen = slot.seen_to_fill();
        if !slot.is_of(LIVE.generation()) {
            return false;
        }
        // Who suspends, collects or ends says so before it looks into the queue. What is put there later may be found when a
        // collection has freed what the frames refer to.
        let kind = match moment.kind {
            kind if slot.turn() == Some(turn) => kind,
            TickKind::Running | TickKind::Missed => TickKind::Missed,
            TickKind::Asleep | TickKind::InKernel => return false,
        };
        let info = self.info(slot, Moment { kind, ..moment });
        let last = seen.back().map(|last| (*last, tick_ring().info(*last)));
        // What lasts is seen again and again: the last sight of it is brought up to date.
        if let Some((last, old)) = last.filter(|(last, old)| self.is_same(*last, old, slot, &info)) {
            let TickInfo { count, due, number, shared, covers, .. } = old;
            let count = count.saturating_add(1);
            self.write(last, TickInfo { count, due, number, shared, covers: covers + info.covers, ..info });
            return true;
        }
        let Some(claimed) = claim(&seen) else { return false };
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed) + 1;
        let shared = last.map_or(0, |(last, old)| self.shared(last, &old, kind, number));
        self.write(claimed, TickInfo { number, shared, ..info });
        self.last = number;
        self.frames.mark();
        push(&mut seen, claimed);
        true
    }

    /// Gives a tick without frames to a thread that has given up its turn before they were read. False when there is no room.
    pub fn publish_missed(slot: &'static ThreadSlot, moment: Moment) -> bool {
        let mut seen = slot.seen_to_fill();
        if !slot.is_of(LIVE.generation()) {
            return false;
        }
        let Some(claimed) = claim(&seen) else { return false };
        let Moment { kind, wall, cpu, due, covers } = moment;
        let labels = slot.labels();
        tick_ring().write_info(
            claimed,
            0,
            &TickInfo { kind, wall, cpu, due, covers, labels, remote: true, ..TickInfo::away(0) },
        );
        push(&mut seen, claimed);
        true
    }

    fn is_same(&self, tick: SlotId, old: &TickInfo, slot: &ThreadSlot, new: &TickInfo) -> bool {
        let depth = self.frames.decoded().depth();
        new.kind != TickKind::Missed
            && slot.ticks.first().is_none()
            && (old.kind, old.labels, old.cfp, old.settled) == (new.kind, new.labels, new.cfp, new.settled)
            && old.number == self.last
            && old.shared + tick_ring().depth(tick) == depth
            && self.frames.decoded().kept() == depth
    }

    /// How many of the outermost frames need not be written, since they are those of the tick that waits just before: `last`,
    /// whose leaf, which may have gone on since, is never one of them.
    fn shared(&self, last: SlotId, old: &TickInfo, kind: TickKind, number: u64) -> usize {
        let ring = tick_ring();
        // (Of a missed tick what stands may be taken instead. And where somebody looks for sleepers, ticks of the handler come
        // between.)
        let ticks = (old.kind, kind) == (TickKind::Running, TickKind::Running);
        let follows = ticks && old.number == self.last && number == old.number + 1;
        let whole = !old.truncated && self.frames.decoded().depth() <= ring.frame_capacity();
        if !(follows && whole && ractors::only_main()) {
            return 0;
        }
        let callers = (old.shared + ring.depth(last)).min(self.frames.decoded().depth()).saturating_sub(1);
        self.frames.decoded().kept().min(callers)
    }

    fn write(&self, claimed: SlotId, mut info: TickInfo) {
        let ring = tick_ring();
        let own = self.frames.decoded().depth() - info.shared;
        let frames = self.frames.decoded().leaf_first().take(own).enumerate();
        let written = frames.take_while(|(index, frame)| ring.write_frame(claimed, *index, *frame)).count();
        info.truncated = written < own;
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
            number: 0,
            shared: 0,
            covers: moment.covers,
            collections: self.collections,
        }
    }
}

/// A slot of the ring for one more tick in this queue; counted where there is none.
fn claim(seen: &VecDeque<SlotId>) -> Option<SlotId> {
    let claimed = if seen.len() < QUEUE { tick_ring().claim() } else { None };
    if claimed.is_none() {
        LIVE.ring_full.fetch_add(1, Ordering::Relaxed);
    }
    claimed
}

/// Puts a tick into this queue. When many wait, their thread is asked to interpret them.
fn push(seen: &mut VecDeque<SlotId>, tick: SlotId) {
    seen.push_back(tick);
    if seen.len() >= QUEUE / 2 {
        postponed::trigger();
    }
}
