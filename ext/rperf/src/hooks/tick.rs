//! The signal handler's part: capture what runs at the tick, leave. A safepoint is asked for only when many
//! ticks wait: each one throws the JIT compiler's code back into the interpreter until the method returns.
//!
//! Context: signal handler on the thread that it interrupted. Clocks, the thread's own execution context
//! and VM stack, atomics, and one slot of the ring. No heap, no lock, no object of the VM, no panic:
//! every index is checked by a bound that was tested before.

use std::sync::atomic::Ordering;

use rperf_core::accounting::{LATE, is_late};
use rperf_core::collect::{SlotId, TickInfo, TickKind};
use rperf_core::time::Nanos;

use crate::os::perf_event::TaskClock;
use crate::os::{clock, usage};
use crate::sampler::tick_ring;
use crate::threads::live::LIVE;
use crate::threads::native_thread::NativeThread;
use crate::threads::slot::ThreadSlot;
use crate::vm::control_frames::ControlFrames;
use crate::vm::layout::Layout;
use crate::vm::postponed;

/// A tick may take one part in so many of the time.
const SPARSENESS: u64 = 10;
/// Nanoseconds that a tick seldom takes.
const LONG: u64 = 100_000;
/// Threads without the GVL leave so many slots of the ring to ticks with frames.
const SPARE_SLOTS: u32 = 32;

/// A tick interrupted the calling thread at `ip`.
pub fn on_tick(ip: usize) {
    let (started, cpu) = (clock::monotonic(), clock::thread_cpu());
    NativeThread::with(|native| {
        let mut interpreting = LIVE.interpreting_time.load(Ordering::Relaxed);
        let slot = native.slot.get().filter(|slot| LIVE.is_on() && slot.is_of(LIVE.generation()));
        match slot {
            None => LIVE.count_stray(),
            Some(slot) => {
                LIVE.ticks.fetch_add(1, Ordering::Relaxed);
                if is_late(cpu, slot.due()) {
                    LIVE.sleeper_seen.store(true, Ordering::Relaxed);
                }
                if slot.is_running() {
                    let covers = since_last_tick(native, cpu);
                    if capture(slot, ip, started, cpu, covers) {
                        native.ticked.set(cpu.0);
                        if slot.ticks.wants_safepoint() {
                            postponed::trigger();
                        }
                    }
                } else {
                    native.ticked.set(cpu.0);
                    if LIVE.native_away.load(Ordering::Relaxed) {
                        note_away(slot, ip);
                        // There are no frames in it to interpret.
                        interpreting = 0;
                    }
                }
            }
        }
        let spent = (clock::monotonic() - started).0;
        LIVE.handler_time.fetch_add(spent, Ordering::Relaxed);
        draw_next_period(native, cpu, cost(spent, cpu) + interpreting);
    });
}

/// What the tick itself took, of `spent` nanoseconds since it began. Long ones were most likely preempted: only the
/// thread's own clock tells.
fn cost(spent: u64, cpu: Nanos) -> u64 {
    if spent > LONG { (clock::thread_cpu() - cpu).0 } else { spent }
}

/// Draws the time to the next tick. Where ticks are dear (stacks of thousands of frames, ticks at 10 kHz) there are
/// fewer: the weights come from the clock, so nothing is lost but detail.
fn draw_next_period(native: &NativeThread, cpu: Nanos, cost: u64) {
    let clock = native.task_clock.get();
    if clock >= 0
        && let Some(mut jitter) = native.jitter.get()
    {
        let period = jitter.period().max(cost * SPARSENESS);
        TaskClock::from_number(clock).set_period(period);
        if let Some(slot) = native.slot.get() {
            slot.set_due(cpu.0 + period);
        }
        native.jitter.set(Some(jitter));
    }
}

/// What a tick of the calling thread's task clock stands for.
fn since_last_tick(native: &NativeThread, cpu: Nanos) -> Nanos {
    match native.ticked.get() {
        0 => Nanos::ZERO,
        _ if native.task_clock.get() < 0 => Nanos::ZERO,
        last => cpu - Nanos(last),
    }
}

/// Copies the thread's frames into a slot of the ring. False when that was not possible: the time goes to the
/// next tick.
fn capture(slot: &'static ThreadSlot, ip: usize, wall: Nanos, cpu: Nanos, covers: Nanos) -> bool {
    let Some(layout) = Layout::proved() else { return true };
    let Some(frames) = ControlFrames::of(layout, slot.structure()) else {
        LIVE.unreadable.fetch_add(1, Ordering::Relaxed);
        return false;
    };
    if slot.ticks.last().is_some_and(|last| merge_into(last, slot, &frames, ip, wall, cpu, covers)) {
        return true;
    }
    let ring = tick_ring();
    let Some(claimed) = ring.claim() else {
        LIVE.ring_full.fetch_add(1, Ordering::Relaxed);
        return false;
    };
    let depth = frames.depth();
    let written =
        (0..depth).take_while(|index| ring.write_frame(claimed, *index, frames.frame(*index))).count();
    let info = TickInfo {
        kind: TickKind::Running,
        wall,
        cpu,
        cfp: frames.top(),
        labels: slot.labels(),
        ip,
        operands: frames.operands(),
        jit: frames.top_is_jit(),
        truncated: written < depth,
        count: 1,
        switches: switches(),
        remote: false,
        settled: true,
        other_method: 0,
        number: 0,
        shared: 0,
        due: slot.due(),
        covers,
        collections: 0,
    };
    ring.write_info(claimed, written, &info);
    if slot.ticks.push(claimed) {
        return true;
    }
    ring.release(claimed);
    LIVE.ring_full.fetch_add(1, Ordering::Relaxed);
    false
}

/// Asked for only where somebody watches for sleepers: it is a system call.
fn switches() -> u64 {
    if LIVE.watched.load(Ordering::Relaxed) { usage::thread_voluntary_switches() } else { 0 }
}

/// A long C method meets many ticks before a safepoint, all with the same frames: the last of them is brought
/// up to date instead. (It cannot be in use: who interprets it takes it off the queue first, on this thread.)
fn merge_into(
    last: SlotId,
    slot: &ThreadSlot,
    frames: &ControlFrames,
    ip: usize,
    wall: Nanos,
    cpu: Nanos,
    covers: Nanos,
) -> bool {
    let ring = tick_ring();
    let mut info = ring.info(last);
    let depth = frames.depth();
    let same = ring.depth(last) == depth
        && info.cfp == frames.top()
        && info.labels == slot.labels()
        // What was swallowed in between is not this stack's; nor what was swallowed before, which the weights are told of once.
        && (cpu - slot.due()).0 <= LATE
        && !is_late(info.cpu, info.due)
        && (0..depth).all(|index| ring.frame(last, index) == frames.frame(index));
    if same {
        info.wall = wall;
        info.cpu = cpu;
        info.due = Nanos::ZERO;
        info.covers += covers;
        info.count = info.count.saturating_add(1);
        info.switches = switches();
        ring.write_info(last, depth, &info);
        if LIVE.native.load(Ordering::Relaxed) {
            ring.add_ip(last, info.count, ip);
        }
    }
    same
}

/// Notes what a thread without the GVL runs. Some slots are left for ticks with frames.
fn note_away(slot: &ThreadSlot, ip: usize) {
    let ring = tick_ring();
    let unwanted = slot.away.note(|ticks| {
        let (claimed, count) = match ticks {
            Some(ticks) => (ticks, ring.info(ticks).count.saturating_add(1)),
            None => (ring.claim_spare(SPARE_SLOTS)?, 1),
        };
        if count == 1 {
            ring.write_info(claimed, 0, &TickInfo::away(ip));
        } else {
            ring.write_info(claimed, 0, &TickInfo { count, ..ring.info(claimed) });
            ring.add_ip(claimed, count, ip);
        }
        Some(claimed)
    });
    if let Some(unwanted) = unwanted {
        ring.release(unwanted);
    }
}
