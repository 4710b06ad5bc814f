//! Work without the GVL, so that other threads run meanwhile.

use std::ffi::c_void;

use magnus::rb_sys::protect;
use magnus::{Error, Ruby};
use rb_sys::VALUE;

/// Runs `body` without the GVL, in a Ruby method. It must not touch the VM; a panic in it goes on
/// in the caller.
///
/// The VM does not release the GVL while something waits to interrupt the thread, be it only that
/// its time slice is over: other threads run first, then. Where it is something that may raise, a
/// signal say, `body` runs with the GVL. An error: what something raised that came meanwhile, and
/// `body` has not run.
pub fn without_gvl<T>(ruby: &Ruby, body: impl FnOnce() -> T) -> Result<T, Error> {
    let body = match released(ruby, body) {
        Ok(result) => return Ok(result),
        Err(body) => body,
    };
    // SAFETY: in a Ruby method.
    let may_raise = unsafe { rb_sys::rb_thread_interrupted(rb_sys::rb_thread_current()) } != 0;
    if may_raise {
        return Ok(body());
    }
    protect(|| {
        // SAFETY: in a Ruby method; the closure owns nothing when it raises.
        unsafe { rb_sys::rb_thread_check_ints() };
        rb_sys::Qnil as VALUE
    })?;
    Ok(released(ruby, body).unwrap_or_else(|body| body()))
}

/// Runs `body` without the GVL; returns it where the VM did not release that.
fn released<F: FnOnce() -> T, T>(_ruby: &Ruby, body: F) -> Result<T, F> {
    struct Call<F, T> {
        body: Option<F>,
        result: Option<std::thread::Result<T>>,
    }
    unsafe extern "C" fn run<F: FnOnce() -> T, T>(call: *mut c_void) -> *mut c_void {
        // SAFETY: the pointer is that of `call` below, which waits for this function to return.
        let call = unsafe { &mut *call.cast::<Call<F, T>>() };
        call.result =
            call.body.take().map(|body| std::panic::catch_unwind(std::panic::AssertUnwindSafe(body)));
        std::ptr::null_mut()
    }
    fn pointer<F: FnOnce() -> T, T>(_call: &Call<F, T>) -> unsafe extern "C" fn(*mut c_void) -> *mut c_void {
        run::<F, T>
    }
    let mut call = Call { body: Some(body), result: None };
    let function = pointer(&call);
    // SAFETY: `call` outlives the call. RB_NOGVL_INTR_FAIL: interrupts, which would jump over our
    // frames, are not looked at; when one is pending already the function does not run at all.
    unsafe {
        let flags = rb_sys::RB_NOGVL_INTR_FAIL.cast_signed();
        rb_sys::rb_nogvl(Some(function), (&raw mut call).cast(), None, std::ptr::null_mut(), flags);
    }
    match (call.result, call.body) {
        (Some(Ok(result)), _) => Ok(result),
        (Some(Err(panic)), _) => std::panic::resume_unwind(panic),
        (None, Some(body)) => Err(body),
        (None, None) => unreachable!("the body either ran and left a result, or is still there"),
    }
}
