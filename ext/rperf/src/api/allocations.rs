//! Counting allocated objects.

use magnus::{Error, Object, RModule, Ruby, Value, function};

use super::error;
use crate::os::mallocs;
use crate::session;
use crate::vm::allocations::{self, DirectWatch};
use crate::vm::context::Gvl;
use crate::vm::thread_counts::ThreadCount;
use crate::vm::{caller, countdown, gc_totals, malloc_proof, newobj_event, ractors};

/// Defines the methods.
pub fn define(native: RModule) -> Result<(), Error> {
    native.define_singleton_method("watch_allocations", function!(watch, 0))?;
    native.define_singleton_method("count_allocations", function!(count, 0))?;
    native.define_singleton_method("allocation_slots", function!(slots, 0))?;
    native.define_singleton_method("malloc_slots", function!(malloc_slots, 0))?;
    native.define_singleton_method("prove_malloc", function!(prove_malloc, 0))
}

/// `Rperf::Native.allocation_slots`: returns the slots that the direct watch would change or has
/// changed: rows of the name of a function, the address of its slot, and the slot's content.
fn slots() -> Vec<(&'static str, usize, usize)> {
    allocations::slots()
}

/// `Rperf::Native.malloc_slots`: the same for the functions that hand out memory and free it.
fn malloc_slots() -> Vec<(&'static str, usize, usize)> {
    mallocs::slots()
}

/// `Rperf::Native.prove_malloc`: whether all memory that Ruby takes from malloc(3) is seen. Raises
/// Rperf::Error while a session runs.
fn prove_malloc(ruby: &Ruby) -> Result<bool, Error> {
    if session::is_running() {
        return Err(error(ruby, "a session runs: end it before malloc(3) is proved to be seen"));
    }
    Ok(caller::prepare(ruby) && malloc_proof::prove(ruby))
}

/// `Rperf::Native.watch_allocations { ... }`: returns the number of objects that the direct watch
/// sees during the block, and the number that the collector counts; nil if it cannot watch. Raises
/// Rperf::Error in a session that watches by the VM's event.
fn watch(ruby: &Ruby) -> Result<Option<(u64, u64)>, Error> {
    if newobj_event::is_on() {
        let message =
            "a session watches allocations by the VM's event: end it first, or let it watch directly";
        return Err(error(ruby, message));
    }
    let Ok(_watch) = DirectWatch::begin(ruby, ractors::others(ruby)?) else { return Ok(None) };
    let before = totals(ruby);
    ruby.yield_values::<(), Value>(())?;
    let after = totals(ruby);
    Ok(Some((after.0.wrapping_sub(before.0), after.1.wrapping_sub(before.1))))
}

/// Returns how many objects the watch has seen and the collector has counted so far.
fn totals(ruby: &Ruby) -> (u64, u64) {
    // The collector comes first: it makes names for its counters at the first call.
    let allocated = gc_totals::allocated_objects(ruby);
    (countdown::counted(), allocated)
}

/// `Rperf::Native.count_allocations { ... }`: returns the number of objects that the calling thread
/// allocates in the block. Raises Rperf::Error if they cannot be counted.
fn count(ruby: &Ruby) -> Result<u64, Error> {
    let _watch = DirectWatch::begin(ruby, ractors::others(ruby)?)
        .map_err(|problem| error(ruby, format!("allocations cannot be watched directly here: {problem}")))?;
    let count = ThreadCount::begin(Gvl::of(ruby))
        .ok_or_else(|| error(ruby, "64 threads count their allocations already: wait until one is done"))?;
    ruby.yield_values::<(), Value>(())?;
    Ok(count.counted())
}
