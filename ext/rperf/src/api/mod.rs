//! `Rperf::Native`, the interface for rperf's Ruby code. `Rperf::Options` has validated the
//! arguments. Errors are raised as `Rperf::Error` with one sentence.

mod allocations;
mod data_hash;
mod encode;
mod field;
mod figures;
mod files;
mod json_value;
mod labels;
mod ledger;
mod memory;
mod metrics;
mod native_profile;
mod page;
mod parts;
mod process_hooks;
mod profile;
mod profile_from;
mod proof;
mod report;
mod report_options;
mod samples_from;
mod session;
mod sources;
mod store;
mod thread_tables;
mod wait_kinds;

use magnus::value::ReprValue;
use magnus::{Error, Module, Object, RModule, Ruby, Symbol, Value, function};
use rperf_core::format::Format;
use rperf_core::report::printable;
use rperf_core::state::{Mode, VmState};

use crate::hooks::safepoint::on_safepoint;
use crate::os::large_memory;
use crate::roots;
use crate::session::{FOR_THREAD, NO_MEMORY, OwnWork, fork, guards};
use crate::vm::marking::{self, Roots};
use crate::vm::{postponed, ractors, threads, untraced};

/// Registers with the VM what can be registered only once, and defines the methods that begin a
/// session. Ruby calls this function when the extension is loaded. Each method costs the profiled
/// program three objects, so `Rperf::Native.complete` defines all others.
#[magnus::init(name = "rperf")]
fn define(ruby: &Ruby) -> Result<(), Error> {
    threads::create_key(ruby).map_err(|cause| error(ruby, no_key(&cause)))?;
    let rperf = ruby.define_module("Rperf")?;
    let native = rperf.define_module("Native")?;
    ractors::mark_main(ruby);
    ractors::know_type(ruby)?;
    if !postponed::register(ruby, on_safepoint) {
        return Err(error(
            ruby,
            "the VM's table of postponed jobs is full: load rperf before other profilers",
        ));
    }
    let roots = Roots { visit: roots::visit, moved: roots::moved, ended: guards::vm_ended };
    marking::register(ruby, native, roots)?;
    fork::handle();
    session::define_beginning(native)?;
    files::define_beginning(native)?;
    sources::define(native)?;
    proof::define_beginning(native)?;
    process_hooks::define(ruby, rperf)?;
    native.define_singleton_method("at_exit", function!(untraced::finish_at_end, 1))?;
    native.define_singleton_method("untraced", function!(call_untraced, 2))?;
    native.define_singleton_method("complete", function!(complete, 0))
}

/// `Rperf::Native.untraced(receiver, method)`: calls the method, for work of rperf in the middle of
/// the program. See [`untraced::call`]. Its allocations are rperf's own.
fn call_untraced(ruby: &Ruby, receiver: Value, method: Symbol) -> Result<Value, Error> {
    let _own = OwnWork::begin(ruby);
    untraced::call(ruby, receiver, method)
}

/// `Rperf::Native.complete`: defines all other methods, once. Returns the module.
fn complete(ruby: &Ruby) -> Result<RModule, Error> {
    let native = ruby.define_module("Rperf")?.define_module("Native")?;
    ractors::methods_for_main(ruby, || {
        define_constants(ruby, native)?;
        native.define_singleton_method("check_memory", function!(check_thread_memory, 0))?;
        session::define(ruby, native)?;
        files::define(native)?;
        profile::define(ruby, native)?;
        native_profile::define(ruby, native)?;
        report::define(ruby, native)?;
        proof::define(native)?;
        allocations::define(native)?;
        memory::define(native)?;
        ledger::define(native)?;
        metrics::define(native)?;
        labels::prepare(ruby, native)?;
        labels::define(ruby, native)
    })?;
    Ok(native)
}

/// Defines constants for names that Rust owns, so that Ruby does not repeat them.
fn define_constants(ruby: &Ruby, native: RModule) -> Result<(), Error> {
    let modes = ruby.ary_from_iter(Mode::ALL.map(|mode| ruby.to_symbol(mode.name())));
    let formats = ruby.ary_from_iter(Format::ALL.map(|(_, name)| ruby.to_symbol(name)));
    let frames = VmState::ALL.into_iter().filter_map(|state| Some((state.path()?, state.label()?)));
    let frames = ruby.ary_from_iter(frames);
    for (name, list) in [("MODES", modes), ("FORMATS", formats), ("STATE_FRAMES", frames)] {
        list.freeze();
        native.const_set(name, list)?;
    }
    native.const_set("DEFAULT_SIGNAL", crate::os::signal::default_signal())
}

/// Returns the reason why threads cannot keep a pointer of rperf's.
fn no_key(cause: &Error) -> String {
    format!(
        "the VM keeps no data for rperf ({cause}): require rperf before other profilers, and before a Ractor runs"
    )
}

/// Raises `Rperf::Error` where the process may have too little further memory.
fn check_memory(ruby: &Ruby, bytes: usize) -> Result<(), Error> {
    if large_memory::is_short(bytes) { Err(error(ruby, NO_MEMORY)) } else { Ok(()) }
}

/// `Rperf::Native.check_memory`: raises Rperf::Error where there is too little for a thread.
fn check_thread_memory(ruby: &Ruby) -> Result<(), Error> {
    check_memory(ruby, FOR_THREAD)
}

/// Returns an `Rperf::Error`. The message may have names from a file.
fn error(ruby: &Ruby, message: impl Into<String>) -> Error {
    let class = ruby
        .class_object()
        .const_get::<_, RModule>("Rperf")
        .and_then(|rperf| rperf.const_get::<_, magnus::ExceptionClass>("Error"))
        .unwrap_or_else(|_| ruby.exception_runtime_error());
    Error::new(class, printable(&message.into()).into_owned())
}
