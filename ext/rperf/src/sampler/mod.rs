//! The sampler: turns captured frames and readings of clocks into samples.
//!
//! Runs at safepoints, in GVL hooks and in GC hooks, always with the GVL. Its lock is never held while
//! Ruby runs, and never taken in the signal handler.

mod native;
mod parked;
mod ring;
mod short_threads;
mod stacks;
mod suspensions;
mod ticks;

use std::sync::{Mutex, MutexGuard, PoisonError};

use rperf_core::accounting::{Carry, Closing, GcTimes, Rest, ThreadClock, Tick};
use rperf_core::collect::{DropCause, Drops, FrameTable, RawFrame, SampleBuffer, TickRing};
use rperf_core::ids::{FrameId, LabelSetId, ThreadSeq};
use rperf_core::state::{Mode, VmState};
use rperf_core::time::Nanos;

use crate::config::SessionConfig;
use crate::handoff::Exchange;
use crate::os::clock;
use crate::threads::live::LIVE;
use crate::threads::slot::ThreadSlot;
use crate::threads::slot_state::SlotState;
use crate::threads::task_clocks;
use crate::vm::context::Gvl;
use crate::vm::profile_frames::{MAX_DEPTH, ProfileFrames};
use crate::vm::threads::ThreadStruct;
pub use ring::{prepare_ring, tick_ring};
use short_threads::{LastTick, MANY_TICKS};
pub use stacks::has_no_frames;
pub use ticks::interpret_ticks;

/// How many distinct frames a session may hold: each costs some 50 bytes and a mark in every collection.
const FRAME_LIMIT: usize = 1 << 20;
/// GC steps shorter than this are charged together with the next one: some programs have tens of thousands
/// of steps a second.
const GC_AT_LEAST: Nanos = Nanos(20_000);

static SAMPLER: Mutex<Option<Sampler>> = Mutex::new(None);

/// What is charged with the time that is open when the session ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClosingStack {
    /// The stack as it stands: the thread lives, and is the calling one or off the GVL.
    Standing,
    /// That of the thread's last sample, or the standing one where there is none.
    LastSample,
    /// None is known.
    Unknown,
}

/// How stacks are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SamplerKind {
    /// Captured at the tick, interpreted at the safepoint.
    Tick,
    /// Taken at the safepoint after the tick.
    Safepoint,
}

impl SamplerKind {
    /// The name that users see.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tick => "tick",
            Self::Safepoint => "safepoint",
        }
    }
}

/// The data of a session, but for what the worker has aggregated.
pub struct Sampler {
    pub(crate) kind: SamplerKind,
    mode: Mode,
    /// Whether somebody looks for threads that sleep with the GVL.
    watched: bool,
    pub(crate) frames: FrameTable,
    buffer: SampleBuffer,
    exchange: Exchange,
    carry: Carry,
    /// Of the short threads that have ended.
    last_tick: Option<LastTick>,
    pub(crate) drops: Drops,
    walk: ProfileFrames,
    scratch: Vec<FrameId>,
    /// Whether native instruction pointers are wanted.
    native: bool,
    /// Whether equal samples are one in the end.
    merges: bool,
    /// Those of the ticks whose stack is in `scratch`.
    ips: Vec<usize>,
    next_seq: u32,
    /// How many threads had ended when the period began.
    gone: u32,
    pub(crate) sampling_count: u64,
    pub(crate) sampling_time: Nanos,
}

/// A stack that is in `Sampler::scratch`, or why there is none.
type StackResult = Result<(), DropCause>;

impl Sampler {
    /// An empty one. Buffers go to the worker through the exchange.
    pub fn new(
        kind: SamplerKind,
        config: &SessionConfig,
        watched: bool,
        native: bool,
        exchange: Exchange,
    ) -> Self {
        Self {
            kind,
            mode: config.mode,
            watched,
            frames: FrameTable::new(FRAME_LIMIT),
            buffer: SampleBuffer::new(),
            exchange,
            carry: Carry::default(),
            last_tick: None,
            drops: Drops::default(),
            walk: ProfileFrames::new(),
            scratch: Vec::with_capacity(MAX_DEPTH + 1),
            native,
            merges: config.aggregate,
            ips: Vec::with_capacity(if native { TickRing::MAX_IPS } else { 0 }),
            next_seq: 1,
            gone: 0,
            sampling_count: 0,
            sampling_time: Nanos::ZERO,
        }
    }

    /// How many threads have been seen in this period.
    pub fn thread_count(&self) -> u64 {
        u64::from(self.next_seq - 1 - self.gone)
    }

    /// A new period begins with so many living threads: what was counted is none of its own.
    pub fn begin_period(&mut self, living: usize) {
        self.gone = (self.next_seq - 1).saturating_sub(u32::try_from(living).unwrap_or(u32::MAX));
        self.last_tick = None;
        self.drops = Drops::default();
        self.sampling_count = 0;
        self.sampling_time = Nanos::ZERO;
    }

    /// A slot for a thread that is seen for the first time. `cpu` is its CPU clock where it is known.
    pub fn adopt(
        &mut self,
        structure: ThreadStruct,
        suspended: bool,
        wall: Nanos,
        cpu: Nanos,
    ) -> &'static ThreadSlot {
        let seq = ThreadSeq(self.next_seq);
        self.next_seq += 1;
        let clock = if suspended {
            ThreadClock::suspended(self.mode, self.watched, wall, cpu)
        } else {
            ThreadClock::running(self.mode, self.watched, wall, cpu)
        };
        ThreadSlot::take(LIVE.generation(), structure, seq, clock)
    }

    /// Puts samples of the stack in `scratch` into the buffer, those without weight left out.
    fn record(
        &mut self,
        stack: StackResult,
        thread: ThreadSeq,
        labels: LabelSetId,
        charges: &[(VmState, Nanos)],
        count: u32,
    ) {
        // A thread that begins has no frames yet: what it waits for is shown by itself.
        let beginning = stack == Err(DropCause::NoFrames)
            && charges.iter().all(|(state, weight)| *state != VmState::Running || *weight == Nanos::ZERO);
        if beginning {
            self.scratch.clear();
        }
        let stack = if beginning { Ok(()) } else { stack };
        let total: Nanos = charges.iter().map(|(_, weight)| *weight).sum();
        if total == Nanos::ZERO {
            return;
        }
        let stack = stack.and_then(|()| self.buffer.push_stack(&self.scratch).ok_or(DropCause::BufferFull));
        match stack {
            Err(cause) => self.drops.add(cause, u64::from(count), total),
            Ok(stack) => {
                for (state, weight) in charges.iter().filter(|(_, weight)| *weight > Nanos::ZERO) {
                    if *state == VmState::Running && !self.ips.is_empty() {
                        self.buffer.push_native(stack, thread, labels, count, *weight, &self.ips);
                    } else {
                        self.buffer.push(stack, *state, thread, labels, count, *weight);
                    }
                }
            }
        }
        if self.buffer.is_due() {
            self.exchange.exchange(&mut self.buffer);
        }
    }

    /// Puts samples of another stack into the buffer: state, time, and how many each stands for. The one in `scratch`,
    /// with its instruction pointers, stays as it is.
    fn record_at(
        &mut self,
        stack: &mut Vec<FrameId>,
        thread: ThreadSeq,
        labels: LabelSetId,
        charges: impl IntoIterator<Item = (VmState, Nanos, u32)>,
    ) {
        let ips = std::mem::take(&mut self.ips);
        std::mem::swap(&mut self.scratch, stack);
        for (state, time, count) in charges {
            self.record(Ok(()), thread, labels, &[(state, time)], count);
        }
        std::mem::swap(&mut self.scratch, stack);
        self.ips = ips;
    }

    /// Takes the buffer out at a snapshot or at the end.
    pub fn take_buffer(&mut self) -> SampleBuffer {
        std::mem::take(&mut self.buffer)
    }

    /// A sample at the safepoint, by the public function (the safepoint sampler).
    pub fn sample_here(&mut self, gvl: Gvl<'_>, slot: &'static ThreadSlot) {
        let started = clock::monotonic();
        let state = &mut *slot.state();
        let stack = self.intern_public(gvl);
        let inherited = std::mem::take(&mut state.inherited) + self.carry.take_time();
        let weight = state.clock.tick(Tick::at(started, clock::thread_cpu())) + inherited;
        state.tick_count += 1;
        state.last_stack.clone_from(&self.scratch);
        state.last_labels = slot.labels();
        self.record(stack, state.seq, slot.labels(), &[(VmState::Running, weight)], 1);
        self.sampling_count += 1;
        self.sampling_time += clock::monotonic() - started;
    }

    /// A step of the collector ends on the thread of `slot`, the calling one.
    pub fn gc_exit(&mut self, gvl: Gvl<'_>, slot: &'static ThreadSlot) {
        let state = &mut *slot.state();
        let times = state.clock.gc_exit(clock::monotonic(), GC_AT_LEAST);
        if self.charge_gc(gvl, slot, state, times) {
            state.clock.gc_around(clock::monotonic());
        }
    }

    /// Charges the collector's times to the stack that stands. Returns whether there were any.
    fn charge_gc(&mut self, gvl: Gvl<'_>, slot: &ThreadSlot, state: &mut SlotState, times: GcTimes) -> bool {
        if times == GcTimes::default() {
            return false;
        }
        let stack = self.intern_standing(gvl, slot, state);
        let charges = [(VmState::GcMark, times.mark), (VmState::GcSweep, times.sweep)];
        self.record(stack, state.seq, slot.labels(), &charges, 1);
        // No tick: time that none could meet.
        self.record(stack, state.seq, slot.labels(), &[(VmState::Running, times.around)], 0);
        true
    }

    /// The rest of a thread that ended, for the thread with this state, if that has not run yet.
    pub fn rest_for(&mut self, state: &SlotState) -> Option<Rest> {
        if task_clocks::in_use() && state.cpu_clock.is_none() { self.carry.take() } else { None }
    }

    /// The session ends: rests that no thread has taken are lost.
    pub fn drop_rests(&mut self) {
        let count = self.carry.len() as u64;
        let time = self.carry.take_time();
        if time > Nanos::ZERO {
            self.drops.add(DropCause::ThreadEnded, count, time);
        }
    }

    /// The thread of `slot`, the calling one, ends. The time since its last tick goes on with what is left of the
    /// period; after many ticks the difference is small, and it is charged to the last stack.
    pub fn exited(&mut self, slot: &'static ThreadSlot, period_left: impl FnOnce(Nanos) -> Option<u64>) {
        let cpu = clock::thread_cpu();
        let state = &mut *slot.state();
        self.charge_gathered(state);
        let Closing { running, resumed, gc } = state.clock.close(clock::monotonic(), cpu);
        let exact = [
            (VmState::GvlBlocked, resumed.blocked),
            (VmState::GvlWait, resumed.waited),
            (VmState::GcMark, gc.mark),
            (VmState::GcSweep, gc.sweep),
        ];
        let time = running + gc.around + std::mem::take(&mut state.inherited);
        self.scratch.clear();
        self.scratch.extend_from_slice(&state.last_stack);
        self.record(Ok(()), state.seq, slot.labels(), &exact, 1);
        self.record(
            Err(DropCause::NoFrames),
            state.seq,
            slot.labels(),
            &[(VmState::Running, resumed.off_gvl)],
            1,
        );
        if state.tick_count >= MANY_TICKS {
            self.record(Ok(()), state.seq, slot.labels(), &[(VmState::Running, time)], 1);
        } else {
            self.carry.leave(Rest { time, period: period_left(cpu) });
            self.remember_last_tick(state);
        }
        self.release_ticks(slot, state);
    }

    /// Forgets the ticks that wait on a slot whose thread will not interpret them any more.
    fn release_ticks(&self, slot: &ThreadSlot, state: &mut SlotState) {
        for away in [slot.away.come_back(), state.away.take()].into_iter().flatten() {
            tick_ring().release(away);
        }
        while let Some(tick) = self.next_tick(slot) {
            tick_ring().release(tick);
        }
    }

    /// The session ends: charges what is open.
    pub fn close(
        &mut self,
        gvl: Gvl<'_>,
        slot: &'static ThreadSlot,
        stack: ClosingStack,
        wall: Nanos,
        cpu: Option<Nanos>,
    ) {
        let state = &mut *slot.state();
        if slot.is_parked() {
            return self.charge_last_stack(state);
        }
        let others = state.shares_native && state.clock.is_suspended();
        let own_clock = state.cpu_clock.filter(|_| !others);
        let cpu = cpu.or_else(|| own_clock?.read()).unwrap_or_default();
        self.release_ticks(slot, state);
        self.charge_gathered(state);
        let Closing { running, resumed, gc } = state.clock.close(wall, cpu);
        let charges = [
            (VmState::Running, running + gc.around + resumed.off_gvl + std::mem::take(&mut state.inherited)),
            (VmState::GvlBlocked, resumed.blocked),
            (VmState::GvlWait, resumed.waited),
            (VmState::GcMark, gc.mark),
            (VmState::GcSweep, gc.sweep),
        ];
        let stack = match stack {
            ClosingStack::LastSample if !state.last_stack.is_empty() => {
                // That sample has counted its tick.
                let charges = charges.map(|(vm_state, time)| (vm_state, time, 0));
                return self.record_at(&mut state.last_stack, state.seq, state.last_labels, charges);
            }
            ClosingStack::Unknown => Err(DropCause::NoFrames),
            ClosingStack::Standing | ClosingStack::LastSample => self.intern_standing(gvl, slot, state),
        };
        self.record(stack, state.seq, slot.labels(), &charges, 1);
    }

    /// The objects that captured frames refer to, for marking.
    pub fn roots(&self) -> &[RawFrame] {
        self.frames.frames()
    }
}

/// Locks the session's sampler; `None` in it when no session runs.
pub fn sampler() -> MutexGuard<'static, Option<Sampler>> {
    SAMPLER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Abandons the sampler of the parent in a forked child, without running its destructor: the worker that it
/// would talk to does not exist here.
pub fn abandon() {
    if let Ok(mut sampler) = SAMPLER.try_lock() {
        std::mem::forget(sampler.take());
    }
}
