//! The postponed job: a safepoint after a tick of the safepoint engine.
//!
//! Context: the GVL is held, between two steps of the program.

use crate::config::EngineKind;
use crate::sampler::sampler;
use crate::threads::fiber_labels;
use crate::threads::record::ThreadRecord;
use crate::threads::session_state::FLAGS;
use crate::vm::context::Gvl;
use crate::vm::layout::Layout;
use crate::vm::threads::RubyThread;

/// Takes a sample of the calling thread at this safepoint.
pub fn on_safepoint(gvl: Gvl<'_>) {
    if !FLAGS.is_on() {
        return;
    }
    let thread = RubyThread::current(gvl);
    let Some(record) = ThreadRecord::of(thread) else { return };
    fiber_labels::follow(gvl, thread, record, FLAGS.generation());
    if let Some(sampler) = sampler().as_mut()
        && (sampler.engine() == EngineKind::Safepoint || Layout::is_withdrawn())
    {
        sampler.sample_here(gvl, record);
    }
}
