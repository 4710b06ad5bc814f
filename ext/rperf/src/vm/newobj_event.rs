//! The event NEWOBJ: the VM announces each object that is born, and the countdown counts it.
//!
//! The hook is called in the Ractor that added it, with the collector off and the VM's lock held
//! (`newobj_of` in gc.c).
//!
//! rperf listens only while there is no other Ractor. With any hook of this event, also one that
//! does nothing, a collection that another Ractor runs may meet objects that are not built yet, and
//! the program crashes (Ruby 3.4.5: 3 of 300 runs of a program that starts 1,000 Ractors).

use std::ffi::c_int;

use super::countdown;
use super::ractors;
use super::slow_path::{self, SlowPath};

/// Starts to listen, until another Ractor is seen. A hook that is there already is replaced.
pub fn listen(ruby: &magnus::Ruby) {
    stop(ruby);
    if !ractors::only_main() {
        return;
    }
    slow_path::set(SlowPath::Event, true);
    let nil = rb_sys::Qnil as rb_sys::VALUE;
    // SAFETY: called from a Ruby method; `on_event` stays valid for the life of the process.
    unsafe { rb_add_event_hook2(on_event, rb_sys::RUBY_INTERNAL_EVENT_NEWOBJ, nil, SAFE | RAW_ARG) };
}

/// Returns whether a watch of this process listens.
pub fn is_on() -> bool {
    slow_path::has(SlowPath::Event)
}

/// Stops listening. The hook may be gone already: the VM removes all hooks when the program ends.
pub fn stop(_ruby: &magnus::Ruby) {
    slow_path::set(SlowPath::Event, false);
    // SAFETY: called from a Ruby method.
    unsafe { rb_remove_event_hook(on_event) };
}

/// Stops listening in a forked child: the hook removes itself at the next object. (A native thread
/// that is none of Ruby's may have forked, and must not change the VM's list of hooks.)
pub fn forget() {
    slow_path::set(SlowPath::Event, false);
}

unsafe extern "C" fn on_event(_data: rb_sys::VALUE, event: *mut rb_sys::rb_trace_arg_t) {
    if is_on() && ractors::only_main() {
        // SAFETY: the VM hands the hook a valid event, whose object has been born.
        countdown::count_told(|| unsafe { rb_sys::rb_tracearg_object(event) } as usize);
    } else {
        // SAFETY: a hook may remove itself: it is freed when it has returned (`clean_hooks` in
        // vm_trace.c).
        unsafe { rb_remove_event_hook(on_event) };
    }
}

/// `RUBY_EVENT_HOOK_FLAG_SAFE` and `RUBY_EVENT_HOOK_FLAG_RAW_ARG` (ruby/debug.h): rb_sys has them
/// as an enum, which cannot hold both.
const SAFE: c_int = 1;
const RAW_ARG: c_int = 4;

/// `rb_event_hook_raw_arg_func_t` (vm_trace.c).
type RawHook = unsafe extern "C" fn(rb_sys::VALUE, *mut rb_sys::rb_trace_arg_t);

unsafe extern "C" {
    fn rb_add_event_hook2(hook: RawHook, events: rb_sys::rb_event_flag_t, data: rb_sys::VALUE, flags: c_int);
    fn rb_remove_event_hook(hook: RawHook) -> c_int;
}
