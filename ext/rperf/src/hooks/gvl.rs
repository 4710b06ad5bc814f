//! GVL events: exact boundaries between running, being blocked, and waiting.
//!
//! Context: the hooks run on the thread itself, `ready` on any; the VM's scheduler may be locked, so nothing
//! here makes a Ruby object.

use std::sync::atomic::Ordering;

use rperf_core::accounting::{Jitter, Rest};
use rperf_core::ids::ThreadSeq;
use rperf_core::time::Nanos;

use crate::handoff;
use crate::os::clock::{self, CpuClock};
use crate::os::{quick_clock, thread, usage};
use crate::sampler::{self, Sampler, sampler};
use crate::threads::live::LIVE;
use crate::threads::native_thread::NativeThread;
use crate::threads::slot::ThreadSlot;
use crate::threads::slot_state::SlotState;
use crate::threads::task_clocks;
use crate::vm::context::Gvl;
use crate::vm::ractors;
use crate::vm::root_stack::{self, RootStack};
use crate::vm::thread_events::ThreadHooks;
use crate::vm::threads::RubyThread;

/// The hooks.
pub struct GvlHooks;

impl ThreadHooks for GvlHooks {
    fn suspended(gvl: Gvl<'_>, thread: RubyThread) {
        suspended(gvl, thread);
    }

    fn ready(thread: RubyThread) {
        ready(thread);
    }

    fn resumed(gvl: Gvl<'_>, thread: RubyThread) {
        resumed(gvl, thread);
    }

    fn exited(thread: RubyThread) {
        exited(thread);
    }
}

fn slot_of(thread: RubyThread) -> Option<&'static ThreadSlot> {
    thread.slot::<ThreadSlot>().filter(|slot| slot.is_of(LIVE.generation()))
}

fn suspended(gvl: Gvl<'_>, thread: RubyThread) {
    let Some(slot) = LIVE.is_on().then(|| slot_of(thread)).flatten() else { return };
    let now = quick_clock::now();
    slot.set_running(false);
    LIVE.clear_holder(slot);
    if slot.has_ticks() {
        sampler::interpret_ticks(gvl, slot);
    }
    if LIVE.native_shared.load(Ordering::Relaxed) || LIVE.native_away.load(Ordering::Relaxed) {
        leave_native_thread(slot, clock::monotonic());
    }
    if LIVE.is_cpu() {
        // It ends: what it uses from here on belongs to none of its methods.
        let ends = sampler::has_no_frames(slot);
        if ends || slot.gvl_events.is_measured() {
            slot.measure(ends);
        }
    }
    slot.gvl_events.suspended(now);
}

/// What must be done at once where native threads are shared, or native functions are wanted.
fn leave_native_thread(slot: &ThreadSlot, wall: Nanos) {
    let state = &mut *slot.state();
    if state.shares_native {
        state.clock.settle_cpu(wall, clock::thread_cpu());
    }
    if LIVE.native_away.load(Ordering::Relaxed) {
        slot.away.leave(state.away.take());
    }
}

fn ready(thread: RubyThread) {
    if !LIVE.is_on() {
        return;
    }
    match slot_of(thread) {
        Some(slot) => slot.gvl_events.ready(quick_clock::now()),
        // Not profiled, or not yet.
        None if LIVE.is_deferred() => {}
        // A thread that is just beginning: its life starts with waiting for the GVL.
        None => {
            if let Some(sampler) = sampler().as_mut() {
                let slot = adopt(sampler, thread, true, Nanos::ZERO);
                slot.state().clock.ready(clock::monotonic());
            }
        }
    }
}

fn resumed(gvl: Gvl<'_>, thread: RubyThread) {
    if !LIVE.is_on() {
        return;
    }
    let slot = slot_of(thread);
    // Ticks that came too late to see what ran before the suspension that ends now.
    if let Some(slot) = slot.filter(|slot| slot.has_seen_ticks()) {
        sampler::interpret_ticks(gvl, slot);
    }
    if slot.is_some_and(resumed_later) {
        return handoff::wake_resting_worker();
    }
    let wall = clock::monotonic();
    if slot.is_none() && LIVE.is_deferred() {
        NativeThread::with(|native| native.slot.set(None));
        return;
    }
    if let Some(sampler) = sampler().as_mut() {
        let slot = slot.unwrap_or_else(|| adopt(sampler, thread, false, clock::thread_cpu()));
        let state = &mut *slot.state();
        let rest = sampler.rest_for(state);
        enter(gvl, slot, state, rest);
        sampler.resumed(gvl, slot, state, wall);
    }
    handoff::wake_resting_worker();
}

/// The same for a thread that goes on where it was, and whose clock can be told of it later. False, and nothing has
/// happened, when it is not so.
fn resumed_later(slot: &'static ThreadSlot) -> bool {
    let may_be_late = LIVE.late_resumes() && slot.ran_here();
    let later = may_be_late && slot.gvl_events.resumed(quick_clock::now());
    if later {
        begin_turn(slot);
    }
    later
}

/// M:N threads: the native thread has run another one meanwhile, or is another one.
fn change_clock(state: &mut SlotState) {
    state.shares_native = true;
    LIVE.native_shared.store(true, Ordering::Relaxed);
    LIVE.tell_at_once();
    state.cpu_clock = state.cpu_clock.map(|_| CpuClock::of_current_thread());
    state.clock.rebase_cpu(clock::thread_cpu());
}

fn exited(thread: RubyThread) {
    let slot = thread.slot::<ThreadSlot>().filter(|slot| slot.is_known_to(LIVE.generation()));
    if let Some(slot) = slot.filter(|_| LIVE.is_on()) {
        slot.set_running(false);
    }
    // From here on its memory may go away. (Also when the session has just ended.)
    root_stack::wait_for_lookers();
    if !LIVE.is_on() {
        return;
    }
    if let Some(slot) = slot {
        thread.set_slot::<ThreadSlot>(None);
        if let Some(sampler) = sampler().as_mut() {
            let left = |cpu| NativeThread::with(|native| task_clocks::left(native, cpu)).flatten();
            if slot.is_parked() { sampler.exited_parked(slot) } else { sampler.exited(slot, left) }
        }
        slot.release();
    }
    NativeThread::with(|native| {
        native.slot.set(None);
        task_clocks::close(native);
    });
}

/// The thread of `slot`, the calling one, is not profiled from here on: no tick meets it any more.
pub fn pause(slot: &'static ThreadSlot) {
    slot.set_running(false);
    LIVE.clear_holder(slot);
    NativeThread::with(|native| native.slot.set(None));
}

fn adopt(sampler: &mut Sampler, thread: RubyThread, suspended: bool, cpu: Nanos) -> &'static ThreadSlot {
    let slot = sampler.adopt(thread.structure(), suspended, clock::monotonic(), cpu);
    thread.set_slot(Some(slot));
    slot
}

/// The calling native thread now runs the thread of `slot`.
///
/// `rest`: what a thread that ended has left, for one that begins. `state`: that of the slot.
pub fn enter(gvl: Gvl<'_>, slot: &'static ThreadSlot, state: &mut SlotState, rest: Option<Rest>) {
    NativeThread::with(|native| {
        if native.tid.get() == 0 {
            native.tid.set(thread::tid());
        }
        let last = native.slot.replace(Some(slot));
        let took_turns = last.is_some_and(|last| !std::ptr::eq(last, slot) && last.is_of(LIVE.generation()));
        let moved = state.cpu_clock.is_some() && !slot.ran_on(native.tid.get());
        if took_turns || moved {
            change_clock(state);
        }
        slot.runs_here(native.tid.get());
    });
    if task_clocks::in_use() {
        open_task_clock(rest.and_then(|rest| rest.period), state.seq);
    }
    if state.cpu_clock.is_none() {
        state.inherited = rest.map_or(Nanos::ZERO, |rest| rest.time);
        notice_ractor(gvl);
        slot.set_root(RootStack::of_current(gvl, slot.structure()));
        state.cpu_clock = Some(CpuClock::of_current_thread());
        state.switches = usage::thread_voluntary_switches();
        state.clock.rebase_cpu(clock::thread_cpu());
    }
    begin_turn(slot);
}

/// Notices which Ractor the calling thread belongs to.
pub fn notice_ractor(gvl: Gvl<'_>) {
    ractors::notice(gvl);
    // Whoever has the GVL of one Ractor may meet what a thread with that of another writes.
    if !ractors::only_main() {
        LIVE.tell_at_once();
    }
}

fn begin_turn(slot: &'static ThreadSlot) {
    slot.set_running(true);
    LIVE.set_holder(Some(slot));
    LIVE.begin_turn();
}

/// Opens the calling native thread's task clock, if they tick and it has none. `first`: the time to its first tick.
pub fn open_task_clock(first: Option<u64>, thread: ThreadSeq) {
    NativeThread::with(|native| {
        let seed = || u64::from(thread.0) ^ clock::monotonic().0;
        task_clocks::open(native, first, || Jitter::new(task_clocks::period(), seed()));
    });
}
