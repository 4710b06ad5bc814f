//! Calls that are not announced to the program's TracePoints and `set_trace_func`.
//!
//! While a thread runs the hook of an event, the VM announces no other event to it
//! (`rb_exec_event_hooks` in vm_trace.c). The event of code that has been compiled leads into a
//! hook and costs the program nothing: listening to it changes no code (it is none of
//! `ISEQ_TRACE_EVENTS`), and code without instructions causes no other event.

use magnus::rb_sys::{AsRawValue, FromRawValue, protect};
use magnus::value::ReprValue;
use magnus::{Error, Ruby, Symbol, Value};
use rb_sys::{ID, VALUE, rb_event_flag_t};

use super::boundary::guard;

/// Calls a method without arguments, untraced. A call in a hook of the program is untraced anyway.
pub fn call(ruby: &Ruby, receiver: Value, method: Symbol) -> Result<Value, Error> {
    let mut answer = None;
    let mut once = || {
        answer.get_or_insert_with(|| receiver.funcall(method, ()));
    };
    let compiled = in_hook(ruby, &mut once);
    once();
    // Exceptions of signals are handed on. Where a thread has no frame of Ruby code below it (the
    // end of a process that another thread than the main one has forked), nothing can be compiled:
    // that is a RuntimeError, and the call was traced.
    if let Err(error) = compiled
        && !error.is_kind_of(ruby.exception_standard_error())
    {
        return Err(error);
    }
    answer.unwrap_or_else(|| Ok(ruby.qnil().as_value()))
}

/// Makes the VM call `finish` of this object at the end of the program, after all handlers that are
/// registered from here on.
pub fn finish_at_end(_ruby: &Ruby, receiver: Value) {
    // SAFETY: called from a Ruby method; `finish` stays valid, and the VM marks the object.
    unsafe { rb_sys::rb_set_end_proc(Some(finish), receiver.as_raw()) };
}

unsafe extern "C" fn finish(receiver: VALUE) {
    let mut raised = None;
    guard(|| {
        // SAFETY: the VM calls this with the GVL, with the object that was registered.
        let (ruby, receiver) = unsafe { (Ruby::get_unchecked(), Value::from_raw(receiver)) };
        raised = call(&ruby, receiver, ruby.to_symbol("finish")).err().and_then(|error| error.value());
    });
    if let Some(exception) = raised {
        // SAFETY: the VM lets a function that it calls here raise; nothing here has to be dropped.
        unsafe { rb_sys::rb_exc_raise(exception.as_raw()) };
    }
}

/// Runs `body` in a hook, if the VM announces the event at all.
fn in_hook<F: FnMut()>(ruby: &Ruby, body: &mut F) -> Result<VALUE, Error> {
    // SAFETY: called from a Ruby method or at the end of the program, on a Ruby thread. The
    // pointer's lowest bit is free; set, it makes the pointer a small Integer for the collector.
    // The hook is gone before `body` is.
    unsafe {
        let thread = rb_sys::rb_thread_current();
        let data = &raw mut *body as VALUE | 1;
        rb_sys::rb_thread_add_event_hook(
            thread,
            Some(on_event::<F>),
            rb_sys::RUBY_EVENT_SCRIPT_COMPILED,
            data,
        );
        let compiled = compile(ruby);
        rb_sys::rb_thread_remove_event_hook(thread, Some(on_event::<F>));
        compiled
    }
}

/// Compiles and runs code without instructions. With its line, no compiler of Ruby counts a line in
/// it, so that Coverage makes no result (`rb_iseq_new_eval` in iseq.c).
fn compile(ruby: &Ruby) -> Result<VALUE, Error> {
    let file = ruby.str_new("rperf").as_raw();
    let arguments = [ruby.str_new("").as_raw(), file, ruby.integer_from_i64(-2).as_raw()];
    let module = ruby.class_object().as_raw();
    // SAFETY: called from a Ruby method or at the end of the program; these are arguments of
    // `Module#module_eval`, and the closure owns nothing when it raises.
    protect(|| unsafe { rb_sys::rb_mod_module_eval(3, arguments.as_ptr(), module) })
}

unsafe extern "C" fn on_event<F: FnMut()>(
    _event: rb_event_flag_t,
    data: VALUE,
    _of: VALUE,
    _method: ID,
    _class: VALUE,
) {
    // SAFETY: the pointer comes from `in_hook`, which waits for this hook; the hook gets events of
    // this thread only.
    guard(unsafe { &mut *((data & !1) as *mut F) });
}
