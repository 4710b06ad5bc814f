//! Fiber switches: the VM announces that a thread has entered another fiber.
//!
//! Listening to the event rewrites no instructions and throws no compiled code away (Ruby 3.4,
//! vm_trace.c, `update_global_event_hook`). The event comes late, after the VM has served
//! interrupts in the entered fiber (cont.c, `fiber_switch`), and not at all when one of these
//! interrupts raises.
//!
//! Event hooks belong to a Ractor, but one word of the VM says which internal events are announced
//! (`ruby_vm_event_flags`): those of the Ractor that last changed its hooks. Another Ractor's first
//! label would silence the collector's events, so that Ractor gets an empty hook for them, too.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use magnus::{Error, Ruby};
use rb_sys::{ID, VALUE, rb_event_flag_t};

use super::boundary::guard;
use super::context::Gvl;
use super::gc_events;
use super::ractors::{self, RactorLocal};

/// Function to call on a switch, on the thread, in the fiber that the thread has entered. It may
/// make Ruby objects. An error that it returns is raised in that fiber.
pub type OnSwitch = fn(&Ruby) -> Result<(), Error>;

static HOOK: OnceLock<OnSwitch> = OnceLock::new();
/// Whether a session listens. Hooks of Ractors that cannot be reached at its end remove themselves.
static LISTENING: AtomicBool = AtomicBool::new(false);
/// Number of the session for which the Ractor's hook was added.
static SESSION: RactorLocal = RactorLocal::new();

/// Prepares [`listen`], and sets its hook. Must be called once, at load.
pub fn prepare(ruby: &Ruby, hook: OnSwitch) {
    SESSION.prepare(ruby);
    HOOK.get_or_init(|| hook);
}

/// Listens in the calling Ractor until [`stop`], unless it listens for this session already.
/// `session`: the session's number, not 0.
pub fn listen(ruby: &Ruby, session: usize) {
    let before = SESSION.get(Gvl::of(ruby));
    if before == session {
        return;
    }
    let nil = rb_sys::Qnil as VALUE;
    // SAFETY: called from a Ruby method; the functions stay valid for the life of the process.
    unsafe {
        if before == 0 && !ractors::is_main(Gvl::of(ruby)) {
            rb_sys::rb_add_event_hook(Some(on_collector), gc_events::EVENTS, nil);
        }
        // A hook of an earlier session, or of the process that forked this one, may be there.
        rb_sys::rb_remove_event_hook(Some(on_switch));
        rb_sys::rb_add_event_hook(Some(on_switch), rb_sys::RUBY_EVENT_FIBER_SWITCH, nil);
    }
    SESSION.set(ruby, session);
    LISTENING.store(true, Ordering::Release);
}

/// Returns whether some Ractor listens.
pub fn is_listening() -> bool {
    LISTENING.load(Ordering::Acquire)
}

/// Stops listening. Removes the calling Ractor's hook.
pub fn stop(_ruby: &Ruby) {
    if LISTENING.swap(false, Ordering::AcqRel) {
        // SAFETY: called from a Ruby method.
        unsafe { rb_sys::rb_remove_event_hook(Some(on_switch)) };
    }
}

/// Stops listening in a forked child, where the parent's session is over.
pub fn forget() {
    LISTENING.store(false, Ordering::Release);
}

unsafe extern "C" fn on_switch(
    _event: rb_event_flag_t,
    _data: VALUE,
    _thread: VALUE,
    _method: ID,
    _class: VALUE,
) {
    if !is_listening() {
        // SAFETY: in an event hook, with the GVL; the VM frees a hook when no hook runs any more.
        unsafe { rb_sys::rb_remove_event_hook(Some(on_switch)) };
        return;
    }
    // SAFETY: an event hook runs with the GVL.
    let result = guard(|| HOOK.get().map(|hook| hook(&unsafe { Ruby::get_unchecked() })));
    if let Some(Some(Err(error))) = result {
        // SAFETY: the VM lets event hooks raise, and this function owns nothing else.
        unsafe { magnus::rb_sys::resume_error(error) };
    }
}

unsafe extern "C" fn on_collector(_: rb_event_flag_t, _: VALUE, _: VALUE, _: ID, _: VALUE) {}
