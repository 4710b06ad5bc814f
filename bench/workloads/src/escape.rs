//! Control flow that enters and leaves C frames in every way that Ruby's C API offers.
//!
//! These are raw C functions. Ruby jumps over them (longjmp), so none of them owns anything with a
//! destructor while it calls Ruby.

use std::ffi::{CStr, c_int};

use magnus::{RModule, rb_sys::AsRawValue};
use rb_sys::{VALUE, special_consts::Qnil};

type Method = unsafe extern "C" fn(VALUE, VALUE) -> VALUE;

/// `yield_through_c(value) { |value| ... }`: yields from C.
unsafe extern "C" fn yield_through_c(_self: VALUE, value: VALUE) -> VALUE {
    // SAFETY: called by Ruby as a method; a jump out of the block passes only this frame, which
    // owns nothing.
    unsafe { rb_sys::rb_yield(value) }
}

/// `throw_through_c(tag)`: throws `tag`, with nil.
unsafe extern "C" fn throw_through_c(_self: VALUE, tag: VALUE) -> VALUE {
    // SAFETY: as for yield_through_c; rb_throw_obj does not return.
    unsafe { rb_sys::rb_throw_obj(tag, Qnil as VALUE) };
    #[allow(unreachable_code, reason = "the binding does not say that rb_throw_obj never returns")]
    {
        Qnil as VALUE
    }
}

/// `raise_through_c(exception)`: raises `exception`.
unsafe extern "C" fn raise_through_c(_self: VALUE, exception: VALUE) -> VALUE {
    // SAFETY: as for yield_through_c; rb_exc_raise does not return.
    unsafe { rb_sys::rb_exc_raise(exception) }
}

/// `protect_through_c(value) { |value| ... }`: yields, catches a jump out of it, and continues it.
unsafe extern "C" fn protect_through_c(_self: VALUE, value: VALUE) -> VALUE {
    let mut state: c_int = 0;
    // SAFETY: rb_yield has the type that rb_protect wants, and `state` lives through the call.
    let result = unsafe { rb_sys::rb_protect(Some(rb_sys::rb_yield), value, &mut state) };
    if state != 0 {
        // SAFETY: `state` comes from the rb_protect just above, whose jump is still pending.
        unsafe { rb_sys::rb_jump_tag(state) };
    }
    result
}

/// `ensure_through_c(value) { |value| ... }`: yields with an ensure clause in C.
unsafe extern "C" fn ensure_through_c(_self: VALUE, value: VALUE) -> VALUE {
    unsafe extern "C" fn nothing(_value: VALUE) -> VALUE {
        Qnil as VALUE
    }
    // SAFETY: both functions have the type that rb_ensure wants; the frame owns nothing.
    unsafe { rb_sys::rb_ensure(Some(rb_sys::rb_yield), value, Some(nothing), Qnil as VALUE) }
}

fn define_method(module: RModule, name: &CStr, method: Method) {
    // SAFETY: a method of arity 1 is called with self and one value, which is `Method`'s type; the
    // transmute only forgets the arguments, as the C API's declaration does.
    unsafe {
        let forgetful = std::mem::transmute::<Method, unsafe extern "C" fn() -> VALUE>(method);
        rb_sys::rb_define_module_function(module.as_raw(), name.as_ptr(), Some(forgetful), 1);
    }
}

/// Defines the `..._through_c` methods.
pub fn define(module: RModule) {
    define_method(module, c"yield_through_c", yield_through_c);
    define_method(module, c"throw_through_c", throw_through_c);
    define_method(module, c"raise_through_c", raise_through_c);
    define_method(module, c"protect_through_c", protect_through_c);
    define_method(module, c"ensure_through_c", ensure_through_c);
}
