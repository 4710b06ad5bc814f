//! C methods whose cost is known, for the benches and stress tests of rperf.
//!
//! Each file defines the methods of its subject in the Ruby module `Workloads`. Durations are
//! nanoseconds. A method that burns or waits returns its own cost: how far the clock chosen with
//! `Workloads.clock = :cpu | :wall` advanced between its first and its last instruction.

use magnus::{Error, Ruby};

mod affinity;
mod bare_hooks;
mod bare_timer;
mod blocking;
mod burn;
mod clock;
mod collector;
mod eintr;
mod escape;
mod frames;
mod gvl;
mod nap;
mod newobj_event;
mod spin;

/// Ruby calls this when it loads the extension.
#[magnus::init(name = "workloads")]
fn init(ruby: &Ruby) -> Result<(), Error> {
    // SAFETY: called while the extension is loaded. Its methods share atomics and one mutex only.
    unsafe { rb_sys::rb_ext_ractor_safe(true) };
    let module = ruby.define_module("Workloads")?;
    clock::define(ruby, module)?;
    collector::define(module)?;
    spin::define(module)?;
    burn::define(module)?;
    nap::define(module)?;
    eintr::define(module)?;
    blocking::define(module)?;
    escape::define(module);
    frames::define(module)?;
    affinity::define(module)?;
    bare_hooks::define(module)?;
    bare_timer::define(module)?;
    newobj_event::define(module)
}
