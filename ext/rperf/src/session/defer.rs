//! Deferred sessions: a thread is profiled only inside of a block of `Rperf.profile`.
//!
//! Outside its slot is parked: hooks, the signal handler and the worker pass over it, its task clock stands still, and
//! the worker rests when no thread is inside. The time since the last tick, and what is left of the period, wait for
//! the thread's next block: seen together, its blocks are ticked like one run of the program.
//!
//! Context: Ruby methods, on the thread itself.

use magnus::Ruby;
use rperf_core::time::Nanos;

use super::{adopt, known_slot};
use crate::handoff;
use crate::hooks::gvl;
use crate::os::clock;
use crate::sampler::sampler;
use crate::threads::live::LIVE;
use crate::threads::native_thread::NativeThread;
use crate::threads::slot::ThreadSlot;
use crate::threads::task_clocks;
use crate::vm::context::Gvl;
use crate::vm::threads::RubyThread;

/// The session that a block began in.
pub type Token = u64;

/// A block begins on the calling thread. Returns what [`leave`] needs; `None` when no session runs, or not a deferred
/// one.
pub fn enter(ruby: &Ruby) -> Option<Token> {
    if !LIVE.is_deferred() {
        return None;
    }
    let gvl = Gvl::of(ruby);
    let slot = known_slot(ruby).or_else(|| adopt_parked(gvl))?;
    if change_blocks(slot, 1) == 1 {
        activate(gvl, slot);
    }
    Some(LIVE.generation())
}

/// The block has ended. Nothing happens when its session has, too.
pub fn leave(ruby: &Ruby, token: Token) {
    let (wall, cpu) = (clock::monotonic(), clock::thread_cpu());
    let slot = known_slot(ruby).filter(|_| token == LIVE.generation());
    let Some(slot) = slot else { return };
    if change_blocks(slot, -1) == 0 {
        park(ruby, slot, wall, cpu);
    }
}

/// From now on, `wall` and `cpu`, the calling thread is not profiled.
pub(super) fn park(ruby: &Ruby, slot: &'static ThreadSlot, wall: Nanos, cpu: Nanos) {
    if slot.is_parked() {
        return;
    }
    let left = NativeThread::with(|native| task_clocks::pause(native, cpu)).flatten();
    slot.state().period_left = left;
    gvl::pause(slot);
    if let Some(sampler) = sampler().as_mut() {
        sampler.pause(Gvl::of(ruby), slot, wall, cpu);
    }
    slot.park();
}

/// Counts how many blocks the thread is in.
fn change_blocks(slot: &ThreadSlot, by: i32) -> u32 {
    let state = &mut *slot.state();
    state.blocks = state.blocks.saturating_add_signed(by);
    state.blocks
}

/// A slot for the calling thread, which is not inside of a block (yet).
pub fn adopt_parked(gvl: Gvl<'_>) -> Option<&'static ThreadSlot> {
    let slot = adopt(RubyThread::current(gvl), false, clock::monotonic())?;
    slot.park();
    gvl::notice_ractor(gvl);
    Some(slot)
}

fn activate(gvl: Gvl<'_>, slot: &'static ThreadSlot) {
    slot.unpark();
    // The sampler before the slot: who ends a period has the sampler locked, and looks at all slots.
    let mut sampler = sampler();
    let state = &mut *slot.state();
    let rest = sampler.as_mut().and_then(|sampler| sampler.rest_for(state));
    drop(sampler);
    gvl::enter(gvl, slot, state, rest);
    if let Some(left) = state.period_left.take() {
        NativeThread::with(|native| task_clocks::resume(native, left));
    }
    let waiting = std::mem::take(&mut state.inherited);
    state.clock.reopen(clock::monotonic(), clock::thread_cpu(), waiting);
    handoff::wake_resting_worker();
}
