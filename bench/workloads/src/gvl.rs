//! Runs a closure without the GVL.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs `work` with the GVL released, or held when `release` is false. `work` must not touch Ruby.
pub fn run<F: FnOnce()>(release: bool, work: F) {
    if release { without_gvl(work) } else { work() }
}

/// Releases the GVL, runs `work`, takes the GVL again. `work` must not touch Ruby, and Ruby cannot
/// interrupt it: there is no unblocking function, so Ruby itself sends no signal into it.
pub fn without_gvl<F: FnOnce()>(work: F) {
    let mut slot = Some(work);
    let data: *mut Option<F> = &mut slot;
    // SAFETY: `call::<F>` takes the very type that `data` points to; `slot` outlives the call,
    // which returns only after `call` did.
    unsafe { rb_sys::rb_thread_call_without_gvl(Some(call::<F>), data.cast(), None, std::ptr::null_mut()) };
}

unsafe extern "C" fn call<F: FnOnce()>(data: *mut c_void) -> *mut c_void {
    // SAFETY: `data` is the `Option<F>` of `without_gvl`, which nothing else uses meanwhile.
    let slot = unsafe { &mut *data.cast::<Option<F>>() };
    if let Some(work) = slot.take() {
        // A panic must not cross C. The closures here leave nothing half-done.
        if catch_unwind(AssertUnwindSafe(work)).is_err() {
            std::process::abort();
        }
    }
    std::ptr::null_mut()
}
