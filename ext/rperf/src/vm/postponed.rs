//! The postponed job: how a tick asks the VM for a safepoint.

use std::ffi::c_void;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use super::boundary::guard;
use super::context::Gvl;
use crate::os::clock;

struct Job {
    handle: rb_sys::rb_postponed_job_handle_t,
    body: fn(Gvl<'_>),
}

static JOB: OnceLock<Job> = OnceLock::new();
/// Earliest time of the next job, in nanoseconds of the monotonic clock: by then the program has
/// run for as long as the last job took. `RUNS` while a job runs.
static NEXT: AtomicU64 = AtomicU64::new(0);
const RUNS: u64 = u64::MAX;

/// Registers the one job of the process. The VM's table has 32 places for all extensions together,
/// so this is called once, when the extension is loaded. Returns false when the table is full.
pub fn register(_ruby: &magnus::Ruby, body: fn(Gvl<'_>)) -> bool {
    // SAFETY: `run` stays valid: extensions are never unloaded.
    let handle = unsafe { rb_sys::rb_postponed_job_preregister(0, Some(run), std::ptr::null_mut()) };
    handle != rb_sys::rb_postponed_job_handle_t::MAX && JOB.set(Job { handle, body }).is_ok()
}

/// Asks for the job to run at the next safepoint. May be called from any thread and from a signal
/// handler.
pub fn trigger() {
    if let Some(job) = JOB.get() {
        // SAFETY: the handle comes from preregister; the function is documented as
        // async-signal-safe.
        unsafe { rb_sys::rb_postponed_job_trigger(job.handle) };
    }
}

/// Returns whether a tick may ask for the job. At 5 kHz a job in a stack of 9,000 frames takes
/// several periods, and the program would stand still.
pub fn is_allowed() -> bool {
    clock::monotonic().0 >= NEXT.load(Ordering::Relaxed)
}

unsafe extern "C" fn run(_data: *mut c_void) {
    if let Some(job) = JOB.get() {
        let begun = clock::monotonic();
        NEXT.store(RUNS, Ordering::Relaxed);
        guard(|| (job.body)(Gvl::new()));
        let ended = clock::monotonic();
        NEXT.store((ended + (ended - begun)).0, Ordering::Relaxed);
    }
}
