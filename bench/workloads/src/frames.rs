//! Cost of a bare `rb_profile_frames`, with which the cost of one sample is compared.

use magnus::{Error, RModule, Ruby, function};
use rb_sys::VALUE;

use crate::clock;

/// Maximum number of frames of one walk.
const DEPTH_LIMIT: usize = 10_000;

/// Returns the thread CPU time of one walk of at most `limit` frames, in nanoseconds: the mean of
/// `times` walks.
fn profile_frames_ns(ruby: &Ruby, limit: usize, times: u32) -> Result<f64, Error> {
    if limit == 0 || limit > DEPTH_LIMIT || times == 0 {
        let message =
            format!("limit {limit}, times {times}: use a limit of 1 to {DEPTH_LIMIT} and at least one time");
        return Err(Error::new(ruby.exception_arg_error(), message));
    }
    let mut frames: Vec<VALUE> = vec![0; limit];
    let mut lines = vec![0; limit];
    let start = clock::thread_cpu_ns();
    for _ in 0..times {
        // SAFETY: both arrays have room for `limit` entries, and the GVL is held. The frames are
        // not used after the call, so they need not be kept alive.
        unsafe { rb_sys::rb_profile_frames(0, limit as i32, frames.as_mut_ptr(), lines.as_mut_ptr()) };
    }
    Ok((clock::thread_cpu_ns() - start) as f64 / f64::from(times))
}

/// Defines `profile_frames_ns(limit, times)`.
pub fn define(module: RModule) -> Result<(), Error> {
    module.define_module_function("profile_frames_ns", function!(profile_frames_ns, 2))
}
