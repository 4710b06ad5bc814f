//! Calls that may raise, for lack of memory for example: the exception unwinds over no Rust frame
//! that owns anything.

use rb_sys::VALUE;

/// Calls `body`, in a Ruby method. `body` may raise, and must then own nothing that has to be
/// dropped. `None` when it has raised; the exception is discarded.
pub(super) fn protected<F: Fn() -> VALUE>(body: F) -> Option<VALUE> {
    let mut state = 0;
    // SAFETY: in a Ruby method; `call` gets a pointer to `body`, which outlives the call.
    let result = unsafe { rb_sys::rb_protect(Some(call::<F>), &raw const body as VALUE, &raw mut state) };
    if state == 0 {
        return Some(result);
    }
    // SAFETY: clears the exception of this thread that was raised above.
    unsafe { rb_sys::rb_set_errinfo(rb_sys::Qnil as VALUE) };
    None
}

unsafe extern "C" fn call<F: Fn() -> VALUE>(body: VALUE) -> VALUE {
    // SAFETY: the pointer comes from `protected`.
    let body = unsafe { &*(body as *const F) };
    body()
}
