//! Counting allocated objects.

use std::sync::atomic::{AtomicU64, Ordering};

use magnus::{Error, Object, RModule, Ruby, Value, function};

use super::error;
use crate::vm::allocations::{self, DirectWatch};
use crate::vm::context::{Gvl, InAlloc};
use crate::vm::thread_counts::ThreadCount;
use crate::vm::{countdown, gc_totals};

/// Defines the methods.
pub fn define(native: RModule) -> Result<(), Error> {
    native.define_singleton_method("watch_allocations", function!(watch, 1))?;
    native.define_singleton_method("count_allocations", function!(count, 0))?;
    native.define_singleton_method("allocation_slots", function!(slots, 0))
}

/// `Rperf::Native.allocation_slots`: what the direct watch would change, or has changed: rows of
/// the name of a function, the address of a slot of it, and its content.
fn slots() -> Vec<(&'static str, usize, usize)> {
    allocations::slots()
}

/// `Rperf::Native.watch_allocations(gap) { ... }`: how many objects the direct watch sees during
/// the block, how many the collector counts, and for how many a hook was called that wants each
/// object that comes `gap` after the one before. Raises Rperf::Error where it cannot watch.
fn watch(ruby: &Ruby, gap: u64) -> Result<(u64, u64, u64), Error> {
    let _watch = begin(ruby)?;
    GAP.store(gap, Ordering::Relaxed);
    let before = totals(ruby);
    countdown::begin(on_due, || gap);
    let result = ruby.yield_values::<(), Value>(());
    countdown::end();
    let after = totals(ruby);
    result?;
    Ok((after.0.wrapping_sub(before.0), after.1.wrapping_sub(before.1), DUE.swap(0, Ordering::Relaxed)))
}

static GAP: AtomicU64 = AtomicU64::new(0);
static DUE: AtomicU64 = AtomicU64::new(0);

fn on_due(_in_alloc: InAlloc<'_>, _object: usize) -> u64 {
    DUE.fetch_add(1, Ordering::Relaxed);
    GAP.load(Ordering::Relaxed)
}

/// Objects that the watch has seen so far, and that the collector has counted.
fn totals(ruby: &Ruby) -> (u64, u64) {
    // First the collector: it makes names for its counters when it is first asked.
    let allocated = gc_totals::allocated_objects(ruby);
    (countdown::counted(), allocated)
}

/// `Rperf::Native.count_allocations { ... }`: how many objects the calling thread allocates in the
/// block. Raises Rperf::Error where they cannot be counted.
fn count(ruby: &Ruby) -> Result<u64, Error> {
    let _watch = begin(ruby)?;
    let count = ThreadCount::begin(Gvl::of(ruby))
        .ok_or_else(|| error(ruby, "64 threads count their allocations already: wait until one is done"))?;
    ruby.yield_values::<(), Value>(())?;
    Ok(count.counted())
}

fn begin(ruby: &Ruby) -> Result<DirectWatch, Error> {
    DirectWatch::begin(ruby)
        .map_err(|problem| error(ruby, format!("allocations cannot be watched directly here: {problem}")))
}
