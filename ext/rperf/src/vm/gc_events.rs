//! Events of the garbage collector.

use std::ffi::c_void;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::boundary::guard;
use super::context::InGc;

/// A moment of a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GcEvent {
    /// The collector takes over.
    Enter,
    /// A collection begins: marking comes next.
    Start,
    /// Marking is done: sweeping comes next.
    EndMark,
    /// Sweeping is done.
    EndSweep,
    /// The collector lets the program go on.
    Exit,
}

/// The VM's flags of all these events.
pub(super) const EVENTS: rb_sys::rb_event_flag_t = rb_sys::RUBY_INTERNAL_EVENT_GC_ENTER
    | rb_sys::RUBY_INTERNAL_EVENT_GC_START
    | rb_sys::RUBY_INTERNAL_EVENT_GC_END_MARK
    | rb_sys::RUBY_INTERNAL_EVENT_GC_END_SWEEP
    | rb_sys::RUBY_INTERNAL_EVENT_GC_EXIT;

static HOOK: OnceLock<fn(InGc<'_>, GcEvent)> = OnceLock::new();
/// The TracePoint object, registered as a root; 0 before the first session.
static TRACEPOINT: AtomicU64 = AtomicU64::new(0);
static ENABLED: AtomicBool = AtomicBool::new(false);

/// Starts to listen, unless rperf listens already. `hook` must be the same at every call.
pub fn enable(_ruby: &magnus::Ruby, hook: fn(InGc<'_>, GcEvent)) {
    HOOK.get_or_init(|| hook);
    if ENABLED.swap(true, Ordering::AcqRel) {
        return;
    }
    // SAFETY: called from a Ruby method; the TracePoint is kept alive as a root for good.
    unsafe {
        if TRACEPOINT.load(Ordering::Acquire) == 0 {
            let nil = rb_sys::Qnil as rb_sys::VALUE;
            let point = rb_sys::rb_tracepoint_new(nil, EVENTS, Some(on_event), std::ptr::null_mut());
            rb_sys::rb_gc_register_mark_object(point);
            TRACEPOINT.store(point, Ordering::Release);
        }
        rb_sys::rb_tracepoint_enable(TRACEPOINT.load(Ordering::Acquire));
    }
}

/// Listens anew. One word of the VM says which events are announced, and a Ractor that changes its
/// hooks writes only its own there (Ruby's bug 19112): another Ractor's TracePoint ends these.
pub fn renew(ruby: &magnus::Ruby, hook: fn(InGc<'_>, GcEvent)) {
    disable(ruby);
    enable(ruby, hook);
}

/// Stops listening.
pub fn disable(_ruby: &magnus::Ruby) {
    if ENABLED.swap(false, Ordering::AcqRel) {
        // SAFETY: the TracePoint was made by `enable`, and is enabled.
        unsafe { rb_sys::rb_tracepoint_disable(TRACEPOINT.load(Ordering::Acquire)) };
    }
}

unsafe extern "C" fn on_event(point: rb_sys::VALUE, _data: *mut c_void) {
    let Some(hook) = HOOK.get() else { return };
    // SAFETY: the VM hands a hook a valid TracePoint.
    let flag = unsafe { rb_sys::rb_tracearg_event_flag(rb_sys::rb_tracearg_from_tracepoint(point)) };
    let event = match flag {
        rb_sys::RUBY_INTERNAL_EVENT_GC_ENTER => GcEvent::Enter,
        rb_sys::RUBY_INTERNAL_EVENT_GC_START => GcEvent::Start,
        rb_sys::RUBY_INTERNAL_EVENT_GC_END_MARK => GcEvent::EndMark,
        rb_sys::RUBY_INTERNAL_EVENT_GC_END_SWEEP => GcEvent::EndSweep,
        rb_sys::RUBY_INTERNAL_EVENT_GC_EXIT => GcEvent::Exit,
        _ => return,
    };
    guard(|| hook(InGc::new(), event));
}
