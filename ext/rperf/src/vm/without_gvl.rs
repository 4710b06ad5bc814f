//! Work without the GVL, so that other threads run meanwhile.

use std::ffi::c_void;

/// Runs `body` without the GVL. It must not touch the VM; a panic in it goes on in the caller.
pub fn without_gvl<T>(_ruby: &magnus::Ruby, body: impl FnOnce() -> T) -> T {
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
        (Some(Ok(result)), _) => result,
        (Some(Err(panic)), _) => std::panic::resume_unwind(panic),
        (None, Some(body)) => body(),
        (None, None) => unreachable!("the body either ran and left a result, or is still there"),
    }
}
