//! Work without the GVL, so that other threads run meanwhile.

use std::ffi::c_void;

use magnus::rb_sys::protect;
use magnus::{Error, Ruby};
use rb_sys::VALUE;

/// Runs `body` without the GVL, in a Ruby method. `body` must not touch the VM. A panic in `body`
/// goes on in the caller.
///
/// The VM does not release the GVL while an interrupt of the thread is pending, even if only its
/// time slice is over: other threads run first, then. Where the interrupt may raise, as a signal
/// may, `body` runs with the GVL. Returns an error when an interrupt raised meanwhile; `body` has
/// not run then.
pub fn without_gvl<T>(ruby: &Ruby, body: impl FnOnce() -> T) -> Result<T, Error> {
    let mut body = Some(body);
    let mut result = None;
    run_once(ruby, &mut || result = body.take().map(|body| body()))?;
    Ok(result.expect("without an error the body has run"))
}

fn run_once(ruby: &Ruby, body: &mut dyn FnMut()) -> Result<(), Error> {
    if released(ruby, body) {
        return Ok(());
    }
    // SAFETY: in a Ruby method.
    let may_raise = unsafe { rb_sys::rb_thread_interrupted(rb_sys::rb_thread_current()) } != 0;
    if !may_raise {
        protect(|| {
            // SAFETY: in a Ruby method; the closure owns nothing when it raises.
            unsafe { rb_sys::rb_thread_check_ints() };
            rb_sys::Qnil as VALUE
        })?;
        if released(ruby, body) {
            return Ok(());
        }
    }
    body();
    Ok(())
}

/// Runs `body` without the GVL; `false` where the VM did not release it, and `body` has not run.
fn released(_ruby: &Ruby, body: &mut dyn FnMut()) -> bool {
    struct Call<'b> {
        body: &'b mut dyn FnMut(),
        result: Option<std::thread::Result<()>>,
    }
    unsafe extern "C" fn run(call: *mut c_void) -> *mut c_void {
        // SAFETY: the pointer is that of `call` below, which waits for this function to return.
        let Call { body, result } = unsafe { &mut *call.cast::<Call<'_>>() };
        *result = Some(std::panic::catch_unwind(std::panic::AssertUnwindSafe(body)));
        std::ptr::null_mut()
    }
    let mut call = Call { body, result: None };
    // SAFETY: `call` outlives the call. RB_NOGVL_INTR_FAIL: interrupts, which would jump over Rust
    // frames, are not looked at; when one is pending already the function does not run at all.
    unsafe {
        let flags = rb_sys::RB_NOGVL_INTR_FAIL.cast_signed();
        rb_sys::rb_nogvl(Some(run), (&raw mut call).cast(), None, std::ptr::null_mut(), flags);
    }
    match call.result {
        Some(Err(panic)) => std::panic::resume_unwind(panic),
        result => result.is_some(),
    }
}
