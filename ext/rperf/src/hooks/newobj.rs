//! An allocation: one object of many is sampled.
//!
//! Context: on the thread that allocates, with the GVL; the object is not built yet, and no
//! collection may begin.

use crate::sampler::sampler;
use crate::threads::hook_timer::HookTimer;
use crate::threads::native_thread::NativeThread;
use crate::threads::record::ThreadRecord;
use crate::threads::session_flags::FLAGS;
use crate::vm::context::InAlloc;
use crate::vm::new_object::NewObject;

/// The object at this address is to be sampled. Returns after how many more the next one is.
pub fn on_due(in_alloc: InAlloc<'_>, object: usize) -> u64 {
    let _timer = HookTimer::begin();
    let record = NativeThread::with(|native| native.record.get()).flatten();
    let record = record.filter(|record: &&ThreadRecord| record.is_known_to(FLAGS.generation()));
    let mut sampler = sampler();
    let sampler = sampler.as_mut().filter(|_| FLAGS.is_on());
    // Without a session: never again.
    sampler.map_or(u64::MAX, |sampler| {
        sampler.sample_object(in_alloc, record, NewObject::at(in_alloc, object));
        sampler.next_gap()
    })
}
