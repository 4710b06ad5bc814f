//! Events of the garbage collector.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use rb_sys::{ID, VALUE, rb_event_flag_t};

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
pub(super) const EVENTS: rb_event_flag_t = rb_sys::RUBY_INTERNAL_EVENT_GC_ENTER
    | rb_sys::RUBY_INTERNAL_EVENT_GC_START
    | rb_sys::RUBY_INTERNAL_EVENT_GC_END_MARK
    | rb_sys::RUBY_INTERNAL_EVENT_GC_END_SWEEP
    | rb_sys::RUBY_INTERNAL_EVENT_GC_EXIT;

static HOOK: OnceLock<fn(InGc<'_>, GcEvent)> = OnceLock::new();
static ENABLED: AtomicBool = AtomicBool::new(false);

/// Starts to listen, unless rperf listens already. `hook` must be the same at every call.
pub fn enable(_ruby: &magnus::Ruby, hook: fn(InGc<'_>, GcEvent)) {
    HOOK.get_or_init(|| hook);
    if !ENABLED.swap(true, Ordering::AcqRel) {
        let nil = rb_sys::Qnil as VALUE;
        // SAFETY: called from a Ruby method; `on_event` stays valid for the life of the process.
        unsafe { rb_sys::rb_add_event_hook(Some(on_event), EVENTS, nil) };
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
        // SAFETY: called from a Ruby method.
        unsafe { rb_sys::rb_remove_event_hook(Some(on_event)) };
    }
}

unsafe extern "C" fn on_event(flag: rb_event_flag_t, _: VALUE, _: VALUE, _: ID, _: VALUE) {
    let Some(hook) = HOOK.get() else { return };
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
