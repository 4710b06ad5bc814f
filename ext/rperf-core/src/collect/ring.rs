//! The tick ring: where a tick puts the raw frames that it found, from inside a signal handler.
//!
//! Slots are claimed and given back with single atomic operations; nothing allocates, locks or waits.
//! A slot belongs to whoever claimed it until it is published to the thread's queue, then to the
//! thread that interprets it.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crate::ids::LabelSetId;
use crate::time::Nanos;

/// One control frame as read from the VM's stack: addresses, not to be followed before the safepoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TickFrame {
    /// The VM's instruction pointer (0 in a C method).
    pub pc: usize,
    /// The instruction sequence (0 in a C method).
    pub iseq: usize,
    /// The first word in the frame's environments that may be its method entry; or, with the lowest bit set,
    /// the address of the first environment that is not in the VM stack.
    pub method: usize,
    /// The environment pointer.
    pub ep: usize,
}

/// How a tick came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum TickKind {
    /// The thread was running.
    Running = 0,
    /// It was seen asleep, with the GVL, from outside.
    Asleep = 1,
    /// It was seen from outside after a tick was due that the kernel swallowed: it is in a system call.
    InKernel = 2,
    /// It was running, but had given up the VM's lock or begun to collect before its frames were handed over. They mean what they
    /// say as long as no collection has run; then, or where there are none, what stands until it goes on is what it ran.
    Missed = 3,
}

/// Everything about a tick but its frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TickInfo {
    /// How it came about.
    pub kind: TickKind,
    /// The wall clock.
    pub wall: Nanos,
    /// The thread's CPU clock.
    pub cpu: Nanos,
    /// Address of the innermost control frame.
    pub cfp: usize,
    /// The labels of the thread.
    pub labels: LabelSetId,
    /// The interrupted native instruction pointer; 0 where unknown.
    pub ip: usize,
    /// The topmost words of the VM's value stack, the top first.
    pub operands: [usize; 3],
    /// Whether the innermost frame may be running native code of the JIT compiler.
    pub jit: bool,
    /// Whether frames were left out because the stack was too deep.
    pub truncated: bool,
    /// How many ticks were merged into this one.
    pub count: u32,
    /// The reading of the CPU clock at which it was due; 0 where unknown.
    pub due: Nanos,
    /// Whether another thread took it, from outside.
    pub remote: bool,
    /// Whether the innermost frame and what names it are of one moment: not so where they were copied from outside while
    /// the thread went on to other instructions.
    pub settled: bool,
    /// Taken from outside: the leaf's [`TickFrame::method`], copied another time; else 0.
    pub other_method: usize,
    /// Voluntary context switches of the thread so far; 0 where nobody asks.
    pub switches: u64,
    /// Taken from outside: its number, by which the next one refers to it; else 0.
    pub number: u64,
    /// How many of the outermost frames were not written: they are those of the tick with the number before.
    pub shared: usize,
    /// How many steps of collections there had been before its frames were read; 0 where nobody asks.
    pub collections: u64,
    /// The time that it stands for: since the last one of any kind, whatever that met; 0 where unknown.
    pub covers: Nanos,
}

impl TickInfo {
    /// A tick without frames: the thread computed without the VM's lock at `ip`.
    pub const fn away(ip: usize) -> Self {
        Self {
            kind: TickKind::Running,
            wall: Nanos::ZERO,
            cpu: Nanos::ZERO,
            cfp: 0,
            labels: LabelSetId::EMPTY,
            ip,
            operands: [0; 3],
            jit: false,
            truncated: false,
            count: 1,
            due: Nanos::ZERO,
            remote: false,
            settled: true,
            other_method: 0,
            switches: 0,
            number: 0,
            shared: 0,
            collections: 0,
            covers: Nanos::ZERO,
        }
    }
}

/// The number of a claimed slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotId(u32);

impl SlotId {
    /// As a plain number, to be kept in an atomic.
    pub fn number(self) -> u32 {
        self.0
    }

    /// From [`number`](Self::number).
    pub fn from_number(number: u32) -> Self {
        Self(number)
    }
}

const HEADER_WORDS: usize = 22;
const FRAME_WORDS: usize = 4;
/// As many of merged ticks, besides the first.
const MERGED_IPS: usize = TickRing::MAX_IPS - 1;

/// The ring's slots.
#[derive(Debug)]
pub struct TickRing {
    words: &'static [AtomicUsize],
    slots: u32,
    frames: usize,
    /// A bit for each slot in use.
    used: AtomicU64,
}

impl TickRing {
    /// How many instruction pointers a slot keeps at most.
    pub const MAX_IPS: usize = 1024;

    /// How many words `slots` slots of `frames` frames need.
    pub const fn words_needed(slots: usize, frames: usize) -> usize {
        slots * (HEADER_WORDS + frames * FRAME_WORDS)
    }

    /// A ring over `words`, which must be [`words_needed`](Self::words_needed) zeroes; at most 64 slots.
    pub fn new(words: &'static [AtomicUsize], slots: usize, frames: usize) -> Self {
        assert!(slots <= 64 && words.len() >= Self::words_needed(slots, frames), "room for the slots");
        let slots = u32::try_from(slots).expect("at most 64 slots");
        Self { words, slots, frames, used: AtomicU64::new(0) }
    }

    /// How many frames a slot holds.
    pub fn frame_capacity(&self) -> usize {
        self.frames
    }

    /// Claims a slot, or `None` when all are in use.
    pub fn claim(&self) -> Option<SlotId> {
        loop {
            let used = self.used.load(Ordering::Relaxed);
            let free = (!used).trailing_zeros();
            if free >= self.slots {
                return None;
            }
            let claimed = used | 1_u64 << free;
            if self.used.compare_exchange(used, claimed, Ordering::Acquire, Ordering::Relaxed).is_ok() {
                return Some(SlotId(free));
            }
        }
    }

    /// Claims a slot, unless fewer than `spare` would be left then.
    pub fn claim_spare(&self, spare: u32) -> Option<SlotId> {
        let used = self.used.load(Ordering::Relaxed).count_ones();
        if used + spare < self.slots { self.claim() } else { None }
    }

    /// Gives a slot back.
    pub fn release(&self, slot: SlotId) {
        self.used.fetch_and(!(1_u64 << slot.0), Ordering::Release);
    }

    /// Gives all slots back, where nobody is left who knows of one.
    pub fn release_all(&self) {
        self.used.store(0, Ordering::Release);
    }

    fn slot(&self, slot: SlotId) -> &[AtomicUsize] {
        let size = HEADER_WORDS + self.frames * FRAME_WORDS;
        &self.words[slot.0 as usize * size..][..size]
    }

    /// Writes frame number `index` (the leaf is 0). False when it does not fit.
    pub fn write_frame(&self, slot: SlotId, index: usize, frame: TickFrame) -> bool {
        if index >= self.frames {
            return false;
        }
        let words = &self.slot(slot)[HEADER_WORDS + index * FRAME_WORDS..][..FRAME_WORDS];
        for (word, value) in words.iter().zip([frame.pc, frame.iseq, frame.method, frame.ep]) {
            word.store(value, Ordering::Relaxed);
        }
        true
    }

    /// Reads frame number `index`.
    pub fn frame(&self, slot: SlotId, index: usize) -> TickFrame {
        let words = &self.slot(slot)[HEADER_WORDS + index * FRAME_WORDS..][..FRAME_WORDS];
        let word = |index: usize| words[index].load(Ordering::Relaxed);
        TickFrame { pc: word(0), iseq: word(1), method: word(2), ep: word(3) }
    }

    /// Writes all but the frames, of which there are `depth`.
    pub fn write_info(&self, slot: SlotId, depth: usize, info: &TickInfo) {
        let values = [
            depth,
            info.kind as usize,
            info.wall.0 as usize,
            info.cpu.0 as usize,
            info.cfp,
            info.labels.0 as usize,
            info.ip,
            info.operands[0],
            info.operands[1],
            info.operands[2],
            usize::from(info.jit),
            usize::from(info.truncated),
            info.count as usize,
            info.switches as usize,
            usize::from(info.remote),
            info.due.0 as usize,
            info.other_method,
            usize::from(info.settled),
            info.number as usize,
            info.shared,
            info.covers.0 as usize,
            info.collections as usize,
        ];
        for (word, value) in self.slot(slot).iter().zip(values) {
            word.store(value, Ordering::Relaxed);
        }
    }

    /// How many frames were written.
    pub fn depth(&self, slot: SlotId) -> usize {
        self.slot(slot)[0].load(Ordering::Relaxed).min(self.frames)
    }

    /// Reads all but the frames.
    pub fn info(&self, slot: SlotId) -> TickInfo {
        let words = self.slot(slot);
        let word = |index: usize| words[index].load(Ordering::Relaxed);
        TickInfo {
            kind: match word(1) {
                0 => TickKind::Running,
                1 => TickKind::Asleep,
                2 => TickKind::InKernel,
                _ => TickKind::Missed,
            },
            wall: Nanos(word(2) as u64),
            cpu: Nanos(word(3) as u64),
            cfp: word(4),
            labels: LabelSetId(word(5) as u32),
            ip: word(6),
            operands: [word(7), word(8), word(9)],
            jit: word(10) != 0,
            truncated: word(11) != 0,
            count: word(12) as u32,
            switches: word(13) as u64,
            remote: word(14) != 0,
            due: Nanos(word(15) as u64),
            other_method: word(16),
            settled: word(17) != 0,
            number: word(18) as u64,
            shared: word(19),
            covers: Nanos(word(20) as u64),
            collections: word(21) as u64,
        }
    }

    /// Where a slot keeps the instruction pointers of ticks that were merged into it: behind its frames, as far as
    /// there is room.
    fn merged_ips(&self, slot: SlotId) -> &[AtomicUsize] {
        let words = &self.slot(slot)[HEADER_WORDS + self.depth(slot) * FRAME_WORDS..];
        &words[..words.len().min(MERGED_IPS)]
    }

    /// Notes the instruction pointer of a tick that was merged into `slot`, the `count`th there, from 2. When the slot
    /// is full it may take the place of one that is there, so that all ticks have the same chance to be kept.
    pub fn add_ip(&self, slot: SlotId, count: u32, ip: usize) {
        let ips = self.merged_ips(slot);
        let earlier = (count as usize).saturating_sub(2);
        let place = if earlier < ips.len() { earlier } else { scattered(count) % (earlier + 1) };
        if let Some(word) = ips.get(place) {
            word.store(ip, Ordering::Relaxed);
        }
    }

    /// The instruction pointers of the ticks of `slot`, as far as they are known.
    pub fn ips(&self, slot: SlotId) -> impl Iterator<Item = usize> {
        let info = self.info(slot);
        let merged = (info.count as usize).saturating_sub(1);
        let merged = self.merged_ips(slot).iter().take(merged).map(|word| word.load(Ordering::Relaxed));
        // Whoever takes a tick from outside does not know what runs.
        let known = if info.remote { 0 } else { usize::MAX };
        std::iter::once(info.ip).chain(merged).take(known).filter(|ip| *ip != 0)
    }

    /// The words of all slots in use that may be addresses of VM objects, for the garbage collector.
    pub fn for_each_word(&self, mut visit: impl FnMut(usize)) {
        for slot in self.slots_in_use() {
            for index in 0..self.depth(slot) {
                let frame = self.frame(slot, index);
                visit(frame.iseq);
                visit(frame.method);
            }
            let info = self.info(slot);
            info.operands.into_iter().for_each(&mut visit);
            visit(info.other_method);
        }
    }

    /// The label sets of the ticks that wait.
    pub fn label_sets(&self) -> impl Iterator<Item = LabelSetId> {
        self.slots_in_use().map(|slot| self.info(slot).labels)
    }

    fn slots_in_use(&self) -> impl Iterator<Item = SlotId> + use<> {
        let used = self.used.load(Ordering::Acquire);
        (0..self.slots).filter(move |slot| used & 1_u64 << slot != 0).map(SlotId)
    }
}

/// A number without any pattern, for each `number` the same.
fn scattered(number: u32) -> usize {
    let product = (u64::from(number) ^ 0x5851_F42D).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (product >> 32) as usize
}
