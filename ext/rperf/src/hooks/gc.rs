//! GC events: time in the collector is charged to it, and to nothing else.
//!
//! Context: on the thread that collects, with the GVL, inside the collector.

use std::sync::atomic::{AtomicBool, Ordering};

use rperf_core::accounting::GcPhase;

use crate::os::clock;
use crate::sampler::{interpret_ticks, sampler};
use crate::threads::live::LIVE;
use crate::threads::native_thread::NativeThread;
use crate::threads::slot::ThreadSlot;
use crate::vm::context::InGc;
use crate::vm::gc_events::GcEvent;

/// Whether the heap has been marked and is being swept: a step between `EndMark` and `EndSweep` sweeps.
static SWEEPING: AtomicBool = AtomicBool::new(false);

/// Forgets what phase an earlier session saw.
pub fn reset() {
    SWEEPING.store(false, Ordering::Relaxed);
}

/// The collector says what it does.
pub fn on_gc(in_gc: InGc<'_>, event: GcEvent) {
    if !LIVE.is_on() {
        return;
    }
    if event == GcEvent::Exit {
        LIVE.count_collection();
    }
    let slot = NativeThread::with(|native| native.slot.get()).flatten();
    let Some(slot) = slot.filter(|slot| slot.is_of(LIVE.generation())) else { return };
    match event {
        GcEvent::Enter => enter(in_gc, slot),
        GcEvent::Start => phase(slot, false),
        GcEvent::EndMark => phase(slot, true),
        GcEvent::EndSweep => SWEEPING.store(false, Ordering::Relaxed),
        GcEvent::Exit => exit(in_gc, slot),
    }
}

fn enter(in_gc: InGc<'_>, slot: &'static ThreadSlot) {
    slot.set_running(false);
    let interrupted = clock::monotonic();
    // Whatever a waiting tick refers to may be freed by this very step: interpret it first.
    let interpreted = slot.has_ticks();
    if interpreted {
        interpret_ticks(in_gc.gvl(), slot);
    }
    let state = &mut *slot.state();
    let started = if interpreted { clock::monotonic() } else { interrupted };
    state.clock.gc_interrupt(interrupted);
    state.clock.gc_around(started);
    state.clock.gc_enter(started, current_phase());
}

fn phase(slot: &ThreadSlot, sweeping: bool) {
    SWEEPING.store(sweeping, Ordering::Relaxed);
    slot.state().clock.gc_phase(clock::monotonic(), current_phase());
}

fn exit(in_gc: InGc<'_>, slot: &'static ThreadSlot) {
    if let Some(sampler) = sampler().as_mut() {
        sampler.gc_exit(in_gc.gvl(), slot);
        // Ticks that came too late to see what the collector interrupted.
        if slot.has_seen_ticks() {
            sampler.drain(in_gc.gvl(), slot);
        }
    }
    slot.set_running(true);
    LIVE.begin_turn();
}

fn current_phase() -> GcPhase {
    if SWEEPING.load(Ordering::Relaxed) { GcPhase::Sweep } else { GcPhase::Mark }
}
