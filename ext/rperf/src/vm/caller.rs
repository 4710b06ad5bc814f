//! Where the VM is when a native thread takes memory.

use std::ffi::c_int;
use std::sync::OnceLock;

use super::context::Gvl;
use crate::os::symbols;

/// What the calling thread is doing.
#[derive(Clone, Copy)]
pub enum Caller<'a> {
    /// It runs with the GVL, and not in the collector.
    Program(Gvl<'a>),
    /// It collects.
    Collector,
    /// It has no GVL, or is none of Ruby's.
    Outside,
}

type Question = unsafe extern "C" fn() -> c_int;
static HAS_GVL: OnceLock<Option<Question>> = OnceLock::new();

/// Looks up how to ask: looking up takes memory, asking does not. False where it cannot be asked.
pub fn prepare(_ruby: &magnus::Ruby) -> bool {
    let question = HAS_GVL.get_or_init(|| {
        let address = symbols::lookup(c"ruby_thread_has_gvl_p")?;
        // SAFETY: the function has had this signature since Ruby 1.9.
        Some(unsafe { std::mem::transmute::<*const std::ffi::c_void, Question>(address) })
    });
    question.is_some()
}

/// What the calling thread is doing. `has_run`: it is one of Ruby's, and has had the GVL. (Of a
/// thread that is just beginning the VM says that it has it.)
pub fn caller<'a>(has_run: bool) -> Caller<'a> {
    // SAFETY: looks at the calling thread's structure.
    let has_gvl = |question: &Question| unsafe { question() } != 0;
    if !has_run || !HAS_GVL.get().and_then(Option::as_ref).is_some_and(has_gvl) {
        return Caller::Outside;
    }
    // SAFETY: reads a flag.
    if unsafe { rb_sys::rb_during_gc() } != 0 { Caller::Collector } else { Caller::Program(Gvl::new()) }
}
