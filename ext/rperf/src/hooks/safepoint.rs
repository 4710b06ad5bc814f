//! The postponed job: a safepoint after a tick.
//!
//! Context: the GVL is held, between two steps of the program.

use super::gvl;
use crate::sampler::{SamplerKind, sampler};
use crate::threads::live::LIVE;
use crate::threads::slot::ThreadSlot;
use crate::vm::context::Gvl;
use crate::vm::threads::RubyThread;

/// Interprets what the tick captured, or takes a sample here when nothing was captured.
pub fn on_safepoint(gvl: Gvl<'_>) {
    if !LIVE.is_on() {
        return;
    }
    let Some(slot) = RubyThread::current(gvl).slot::<ThreadSlot>() else { return };
    if !slot.is_of(LIVE.generation()) {
        return;
    }
    gvl::open_task_clock(None, slot.state().seq);
    if let Some(sampler) = sampler().as_mut() {
        match sampler.kind {
            SamplerKind::Tick => sampler.drain(gvl, slot),
            SamplerKind::Safepoint => sampler.sample_here(gvl, slot),
        }
    }
}
