//! GVL hooks that only count. They show what the VM's events of GVL switches cost without a
//! profiler.

use std::ffi::c_void;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use magnus::{Error, RModule, Ruby, function};

static EVENTS: AtomicU64 = AtomicU64::new(0);
static ADDED: Mutex<Option<Hook>> = Mutex::new(None);

struct Hook(*mut rb_sys::rb_internal_thread_event_hook_t);

// SAFETY: the pointer is only handed back to the VM, by a method of Ruby.
unsafe impl Send for Hook {}

unsafe extern "C" fn count(
    _event: rb_sys::rb_event_flag_t,
    _data: *const rb_sys::rb_internal_thread_event_data_t,
    _user: *mut c_void,
) {
    // All events except READY come on the thread that has the GVL, so few are lost here. An atomic
    // addition would cost more than the hook.
    EVENTS.store(EVENTS.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
}

fn add(ruby: &Ruby) -> Result<(), Error> {
    let mut added = ADDED.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if added.is_some() {
        return Err(Error::new(ruby.exception_runtime_error(), "bare hooks are there: remove them first"));
    }
    let events = rb_sys::RUBY_INTERNAL_THREAD_EVENT_SUSPENDED
        | rb_sys::RUBY_INTERNAL_THREAD_EVENT_READY
        | rb_sys::RUBY_INTERNAL_THREAD_EVENT_RESUMED;
    EVENTS.store(0, Ordering::Relaxed);
    // SAFETY: `count` stays valid for the life of the process.
    *added = Some(Hook(unsafe {
        rb_sys::rb_internal_thread_add_event_hook(Some(count), events, std::ptr::null_mut())
    }));
    Ok(())
}

/// Removes the hooks, if they are there. Returns the approximate number of events.
fn remove() -> u64 {
    let hook = ADDED.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take();
    if let Some(Hook(hook)) = hook {
        // SAFETY: it came from `add`, and is removed once.
        unsafe { rb_sys::rb_internal_thread_remove_event_hook(hook) };
    }
    EVENTS.load(Ordering::Relaxed)
}

/// Defines `add_bare_hooks`, `remove_bare_hooks`.
pub fn define(module: RModule) -> Result<(), Error> {
    module.define_module_function("add_bare_hooks", function!(add, 0))?;
    module.define_module_function("remove_bare_hooks", function!(remove, 0))
}
