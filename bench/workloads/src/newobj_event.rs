//! An empty TracePoint of new objects. It shows what the VM's event costs any profiler that uses
//! it.

use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering};

use magnus::{Error, RModule, Ruby, function};

/// The TracePoint; 0 before the first call of `add`.
static POINT: AtomicU64 = AtomicU64::new(0);

unsafe extern "C" fn nothing(_point: rb_sys::VALUE, _data: *mut c_void) {}

fn add(_ruby: &Ruby) {
    // SAFETY: called from a Ruby method; the TracePoint is kept alive as a root for good.
    unsafe {
        if POINT.load(Ordering::Acquire) == 0 {
            let nil = rb_sys::Qnil as rb_sys::VALUE;
            let event = rb_sys::RUBY_INTERNAL_EVENT_NEWOBJ;
            let point = rb_sys::rb_tracepoint_new(nil, event, Some(nothing), std::ptr::null_mut());
            rb_sys::rb_gc_register_mark_object(point);
            POINT.store(point, Ordering::Release);
        }
        rb_sys::rb_tracepoint_enable(POINT.load(Ordering::Acquire));
    }
}

fn remove(_ruby: &Ruby) {
    let point = POINT.load(Ordering::Acquire);
    if point != 0 {
        // SAFETY: called from a Ruby method; the TracePoint was made by `add`.
        unsafe { rb_sys::rb_tracepoint_disable(point) };
    }
}

/// Defines `add_newobj_tracepoint`, `remove_newobj_tracepoint`.
pub fn define(module: RModule) -> Result<(), Error> {
    module.define_module_function("add_newobj_tracepoint", function!(add, 0))?;
    module.define_module_function("remove_newobj_tracepoint", function!(remove, 0))
}
