//! Cost of the garbage collector, on the clock that was chosen for costs.
//!
//! The hook runs on the collecting thread, so in cpu mode the clock is that of this thread.

use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering};

use magnus::{Error, RModule, Ruby, Value, function};
use rb_sys::VALUE;

use crate::clock;

/// Time at which the running step of the collector began; 0 where none runs.
static ENTERED: AtomicU64 = AtomicU64::new(0);
static COST: AtomicU64 = AtomicU64::new(0);

unsafe extern "C" fn on_step(event: VALUE, _data: *mut c_void) {
    // SAFETY: `event` is what the VM hands to the function of a tracepoint, for the time of this
    // call.
    let flag = unsafe { rb_sys::rb_tracearg_event_flag(rb_sys::rb_tracearg_from_tracepoint(event)) };
    if flag == rb_sys::RUBY_INTERNAL_EVENT_GC_ENTER {
        ENTERED.store(clock::clock_ns(), Ordering::Relaxed);
        return;
    }
    let entered = ENTERED.swap(0, Ordering::Relaxed);
    if entered != 0 {
        COST.fetch_add(clock::clock_ns().saturating_sub(entered), Ordering::Relaxed);
    }
}

/// Returns the nanoseconds that the collector took while the block ran.
fn collector_cost(ruby: &Ruby) -> Result<u64, Error> {
    let steps = rb_sys::RUBY_INTERNAL_EVENT_GC_ENTER | rb_sys::RUBY_INTERNAL_EVENT_GC_EXIT;
    let before = COST.load(Ordering::Relaxed);
    // SAFETY: 0 stands for every thread; `on_step` stays valid for the life of the process and
    // needs no data.
    let hook = unsafe { rb_sys::rb_tracepoint_new(0, steps, Some(on_step), std::ptr::null_mut()) };
    // SAFETY: `hook` is the tracepoint just made. The VM keeps an enabled one alive.
    unsafe { rb_sys::rb_tracepoint_enable(hook) };
    let result = ruby.yield_value::<_, Value>(());
    // SAFETY: as above; it was enabled once.
    unsafe { rb_sys::rb_tracepoint_disable(hook) };
    ENTERED.store(0, Ordering::Relaxed);
    result.map(|_| COST.load(Ordering::Relaxed) - before)
}

/// Defines `collector_cost { ... }`.
pub fn define(module: RModule) -> Result<(), Error> {
    module.define_module_function("collector_cost", function!(collector_cost, 0))
}
