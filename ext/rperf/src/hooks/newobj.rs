//! Allocations: one in `interval` objects is sampled.
//!
//! Context: on the thread that allocates, with the GVL; the object is not built yet, and no
//! collection may begin.

use crate::sampler::{Sampler, sampler};
use crate::threads::hook_timer::HookTimer;
use crate::threads::record::ThreadRecord;
use crate::threads::session_state::{Counter, FLAGS};
use crate::vm::context::InAlloc;
use crate::vm::new_object::NewObject;

/// Returns the number of objects up to the next sampled one; without a session none is sampled.
pub fn next_gap() -> u64 {
    sampler().as_mut().map_or(u64::MAX, Sampler::next_gap)
}

/// Samples the object at this address. Returns the number of objects up to the next sampled one.
pub fn on_due(in_alloc: InAlloc<'_>, object: usize) -> u64 {
    let _timer = HookTimer::begin();
    if in_alloc.stack_is_short() {
        Counter::Busy.add(1);
        return 1;
    }
    let mut sampler = sampler();
    let sampler = sampler.as_mut().filter(|_| FLAGS.is_on());
    // Without a session no further object is sampled.
    sampler.map_or(u64::MAX, |sampler| {
        sampler.sample_object(in_alloc, ThreadRecord::known_here(), NewObject::at(in_alloc, object));
        sampler.next_gap()
    })
}
