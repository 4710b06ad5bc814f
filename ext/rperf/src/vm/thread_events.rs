//! GVL events: the VM announces that a thread gives up, waits for, gets and loses the GVL for good.

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use super::boundary::guard;
use super::context::Gvl;
use super::threads::RubyThread;

/// Hooks for the events. (A trait, so that the VM's callback calls them directly: the callback runs
/// at each switch of the GVL.)
pub trait ThreadHooks {
    /// Called when the thread gives up the GVL, which it still has. May be under the scheduler's
    /// lock: no Ruby allocation.
    fn suspended(gvl: Gvl<'_>, thread: RubyThread);
    /// Called when the thread waits for the GVL. Any thread may call this, without the GVL.
    fn ready(thread: RubyThread);
    /// Called when the thread has got the GVL. Under the scheduler's lock.
    fn resumed(gvl: Gvl<'_>, thread: RubyThread);
    /// Called when the thread ends. The thread has no GVL any more.
    fn exited(thread: RubyThread);
}

/// The VM's hook, while it is installed.
static INSTALLED: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
/// Whether the hook is the parent's. Such a hook stays for good.
static INHERITED: AtomicBool = AtomicBool::new(false);

/// Starts to listen, unless the hook is there already. An inherited hook serves every session of
/// the child, so it listens to all events that any session wants.
pub fn add<Hooks: ThreadHooks>(_ruby: &magnus::Ruby) {
    if !INSTALLED.load(Ordering::Acquire).is_null() {
        return;
    }
    let events = rb_sys::RUBY_INTERNAL_THREAD_EVENT_SUSPENDED
        | rb_sys::RUBY_INTERNAL_THREAD_EVENT_READY
        | rb_sys::RUBY_INTERNAL_THREAD_EVENT_RESUMED
        | rb_sys::RUBY_INTERNAL_THREAD_EVENT_EXITED;
    // SAFETY: `on_event` stays valid for the life of the process.
    let hook = unsafe {
        rb_sys::rb_internal_thread_add_event_hook(Some(on_event::<Hooks>), events, std::ptr::null_mut())
    };
    INSTALLED.store(hook.cast(), Ordering::Release);
}

/// Keeps the parent's hook in a forked child. (Some thread of the parent may have been in the hook,
/// and held the VM's lock of hooks, for which removing the hook would wait for ever.)
pub fn inherit() {
    INHERITED.store(!INSTALLED.load(Ordering::Acquire).is_null(), Ordering::Release);
}

/// Stops listening, unless the hook is inherited. Must not be called from a hook.
pub fn remove(_ruby: &magnus::Ruby) {
    if INHERITED.load(Ordering::Acquire) {
        return;
    }
    let hook = INSTALLED.swap(std::ptr::null_mut(), Ordering::AcqRel);
    if !hook.is_null() {
        // SAFETY: the pointer came from `add` and is removed once.
        unsafe { rb_sys::rb_internal_thread_remove_event_hook(hook.cast()) };
    }
}

unsafe extern "C" fn on_event<Hooks: ThreadHooks>(
    event: rb_sys::rb_event_flag_t,
    data: *const rb_sys::rb_internal_thread_event_data_t,
    _user: *mut c_void,
) {
    // SAFETY: the VM hands a valid event; its only member is the thread (ruby/thread.h).
    let thread = RubyThread::from_value(unsafe { *data.cast::<rb_sys::VALUE>() });
    guard(|| match event {
        rb_sys::RUBY_INTERNAL_THREAD_EVENT_SUSPENDED => Hooks::suspended(Gvl::new(), thread),
        rb_sys::RUBY_INTERNAL_THREAD_EVENT_READY => Hooks::ready(thread),
        rb_sys::RUBY_INTERNAL_THREAD_EVENT_RESUMED => Hooks::resumed(Gvl::new(), thread),
        rb_sys::RUBY_INTERNAL_THREAD_EVENT_EXITED => Hooks::exited(thread),
        _ => {}
    });
}
