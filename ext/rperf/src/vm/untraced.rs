//! Calls that are not announced to the program's TracePoints and `set_trace_func`, and that no
//! other thread interrupts.
//!
//! While a thread runs the hook of an event, the VM announces no other event to it
//! (`rb_exec_event_hooks` in vm_trace.c). The event of code that has been compiled leads into a
//! hook and costs the program nothing: listening to it changes no code (it is none of
//! `ISEQ_TRACE_EVENTS`). The program's own hooks do not get this event: the VM calls the youngest
//! hook first, which is rperf's, and that ends with an exception.

use std::ffi::c_int;
use std::ptr;
use std::sync::OnceLock;

use magnus::rb_sys::{AsRawValue, FromRawValue, protect};
use magnus::value::ReprValue;
use magnus::{Error, Ruby, Symbol, Value};
use rb_sys::{ID, VALUE, rb_event_flag_t};

use super::boundary::guard;

/// Calls a method without arguments, untraced and undisturbed. A call in a hook of the program is
/// untraced anyway.
pub fn call(ruby: &Ruby, receiver: Value, method: Symbol) -> Result<Value, Error> {
    // SAFETY: called from a Ruby method, whose frame has no block.
    FINISH.get_or_init(|| unsafe {
        let block = rb_sys::rb_proc_new(Some(finish), rb_sys::Qnil as VALUE);
        rb_sys::rb_gc_register_mark_object(block);
        block
    });
    let (answer, interrupt) = answer(ruby, receiver, method);
    interrupt.map_or(answer, Err)
}

/// Returns the method's answer, and what interrupts the thread after it.
fn answer(ruby: &Ruby, receiver: Value, method: Symbol) -> (Result<Value, Error>, Option<Error>) {
    let (mut answer, mut interrupt) = (None, None);
    let mut once = || {
        if answer.is_some() {
            return;
        }
        let raised = undisturbed(ruby, || answer = Some(receiver.funcall(method, ()))).err();
        match answer {
            Some(_) => interrupt = raised,
            // Where the program has changed the methods that this needs.
            None => answer = Some(receiver.funcall(method, ())),
        }
    };
    let signal = in_hook(ruby, &mut once).err();
    once();
    // Exceptions of signals are handed on.
    let interrupt = interrupt.or(signal);
    (answer.unwrap_or_else(|| Ok(ruby.qnil().as_value())), interrupt)
}

/// Runs `body`, which must not raise. What other threads raise in this one meanwhile is raised
/// afterwards, by `Thread.handle_interrupt`.
fn undisturbed<F: FnMut()>(ruby: &Ruby, mut body: F) -> Result<(), Error> {
    let mask = ruby.hash_new();
    // The program may have a method `hash` of its own for all objects.
    mask.funcall::<_, _, Value>("compare_by_identity", ())?;
    mask.aset(ruby.class_object(), ruby.to_symbol("never"))?;
    let (thread, name) = (ruby.class_thread().as_raw(), ruby.sym_new("handle_interrupt").as_raw());
    let data = &raw mut body as VALUE;
    // SAFETY: called with the GVL on a Ruby thread; the block is called before `body` is gone, and
    // the closure here owns nothing when `handle_interrupt` raises.
    protect(|| unsafe {
        rb_sys::rb_block_call(thread, rb_sys::rb_sym2id(name), 1, &mask.as_raw(), Some(run::<F>), data)
    })
    .map(|_| ())
}

unsafe extern "C" fn run<F: FnMut()>(
    _yielded: VALUE,
    body: VALUE,
    _count: c_int,
    _arguments: *const VALUE,
    _block: VALUE,
) -> VALUE {
    // SAFETY: the pointer comes from `undisturbed`, which waits for this block.
    guard(unsafe { &mut *(body as *mut F) });
    rb_sys::Qnil as VALUE
}

/// A block that calls `finish`, of a frame that has no block itself. A forked child ends in a call
/// of `Kernel#fork` that has one, where nothing can be compiled. (It stays in the program's heap.)
static FINISH: OnceLock<VALUE> = OnceLock::new();

/// Makes the VM call `finish` of this object at the end of the program, after all handlers that are
/// registered from here on.
pub fn finish_at_end(_ruby: &Ruby, receiver: Value) {
    // SAFETY: called from a Ruby method; `end` stays valid, and the VM marks the object.
    unsafe { rb_sys::rb_set_end_proc(Some(end), receiver.as_raw()) };
}

unsafe extern "C" fn end(receiver: VALUE) {
    // SAFETY: the VM calls this with the GVL, with the object that was registered. It lets this
    // function raise; nothing here has to be dropped.
    unsafe {
        match FINISH.get() {
            Some(&block) => rb_sys::rb_proc_call(block, rb_sys::rb_ary_new_from_values(1, &receiver)),
            None => finish(receiver, 0, 0, ptr::null(), 0),
        };
    }
}

unsafe extern "C" fn finish(
    receiver: VALUE,
    _data: VALUE,
    _count: c_int,
    _arguments: *const VALUE,
    _block: VALUE,
) -> VALUE {
    let raised = guard(|| {
        // SAFETY: `end` calls this with the GVL, with the object that was registered.
        let (ruby, receiver) = unsafe { (Ruby::get_unchecked(), Value::from_raw(receiver)) };
        let (answer, interrupt) = answer(&ruby, receiver, ruby.to_symbol("finish"));
        // Here the program has no handlers left, so without rperf what other threads raise from now
        // on, and what they have raised and no handler met, would come to nothing. A signal counts.
        let interrupt = interrupt.filter(|error| error.is_kind_of(ruby.exception_signal()));
        answer.err().or(interrupt).and_then(|error| error.value())
    });
    if let Some(exception) = raised.flatten() {
        // SAFETY: as in `end`.
        unsafe { rb_sys::rb_exc_raise(exception.as_raw()) };
    }
    rb_sys::Qnil as VALUE
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
        let debug = *rb_sys::rb_ruby_debug_ptr();
        let compiled = compile(ruby);
        *rb_sys::rb_ruby_debug_ptr() = debug;
        rb_sys::rb_thread_remove_event_hook(thread, Some(on_event::<F>));
        compiled
    }
}

/// Begins to compile code without instructions, and returns when the hook has raised. With its
/// line, no compiler of Ruby counts a line in it, so that Coverage makes no result
/// (`rb_iseq_new_eval` in iseq.c).
///
/// Where a thread has no frame of Ruby code below it (the end of a process that another thread than
/// the main one has forked), nothing can be compiled: that is a RuntimeError, and the call is
/// traced. `rb_rescue` takes either exception, and leaves the program's `$!` as it was.
fn compile(ruby: &Ruby) -> Result<VALUE, Error> {
    let file = ruby.str_new("rperf").as_raw();
    let mut arguments = [ruby.str_new("").as_raw(), file, ruby.integer_from_i64(-2).as_raw()];
    let data = arguments.as_mut_ptr() as VALUE;
    // SAFETY: called from a Ruby method or at the end of the program; the closure owns nothing when
    // it raises, and the arguments live until it returns.
    protect(|| unsafe { rb_sys::rb_rescue(Some(evaluate), data, None, rb_sys::Qnil as VALUE) })
}

unsafe extern "C" fn evaluate(arguments: VALUE) -> VALUE {
    // SAFETY: the pointer comes from `compile`; these are arguments of `Module#module_eval`.
    unsafe { rb_sys::rb_mod_module_eval(3, arguments as *const VALUE, rb_sys::rb_cObject) }
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
    // SAFETY: the VM lets a hook raise, and `compile` rescues; nothing here has to be dropped.
    unsafe {
        *rb_sys::rb_ruby_debug_ptr() = rb_sys::Qfalse as VALUE; // Else Ruby writes of the exception.
        rb_sys::rb_exc_raise(rb_sys::rb_exc_new(rb_sys::rb_eStandardError, c"".as_ptr(), 0));
    }
}
