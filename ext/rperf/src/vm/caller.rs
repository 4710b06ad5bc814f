//! What a thread is doing in the VM when it takes native memory.

use std::ffi::c_int;
use std::sync::OnceLock;

use super::context::Gvl;
#[cfg(doc)]
use super::context::InAlloc;
use crate::os::symbols;

/// Activity of the calling thread.
#[derive(Clone, Copy)]
pub enum Caller<'a> {
    /// The thread runs with the GVL, and not in the collector.
    Program(Gvl<'a>),
    /// The thread runs the collector.
    Collector,
    /// The thread has no GVL.
    Outside,
}

type Question = unsafe extern "C" fn() -> c_int;
static HAS_GVL: OnceLock<Option<Question>> = OnceLock::new();

/// Looks up the VM's function for `caller`, since a lookup takes memory. False where there is none.
pub fn prepare(_ruby: &magnus::Ruby) -> bool {
    // SAFETY: the function has had this signature since Ruby 1.9.
    HAS_GVL.get_or_init(|| unsafe { symbols::function(c"ruby_thread_has_gvl_p") }).is_some()
}

/// Returns whether the calling thread, one of Ruby's that has run, has the GVL and less native
/// stack left than Ruby wants for a C function: see [`InAlloc::stack_is_short`].
pub fn stack_is_short() -> bool {
    // SAFETY: compares addresses of the calling thread.
    has_gvl() && unsafe { rb_sys::ruby_stack_check() != 0 }
}

fn has_gvl() -> bool {
    // SAFETY: the function reads the calling thread's structure.
    HAS_GVL.get().and_then(Option::as_ref).is_some_and(|question| unsafe { question() } != 0)
}

/// Returns what the calling thread is doing, one of Ruby's that has had the GVL. (The VM says of a
/// thread that is just beginning that it has the GVL.)
pub fn caller<'a>() -> Caller<'a> {
    if !has_gvl() {
        return Caller::Outside;
    }
    // SAFETY: reads a flag.
    if unsafe { rb_sys::rb_during_gc() } != 0 { Caller::Collector } else { Caller::Program(Gvl::new()) }
}
