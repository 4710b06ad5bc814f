//! Clocks, and the choice of the one on which the methods of `Workloads` measure their own cost.

use std::sync::atomic::{AtomicI32, Ordering};

use magnus::{Error, RModule, Ruby, StaticSymbol, Symbol, function};

static CHOSEN: AtomicI32 = AtomicI32::new(libc::CLOCK_THREAD_CPUTIME_ID);

/// Returns the nanoseconds on the clock `id`; 0 for a failed read (the clocks used here exist).
pub fn read(id: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid place for the result, and lives through the call.
    unsafe { libc::clock_gettime(id, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Returns the CPU time of the calling thread, in ns.
pub fn thread_cpu_ns() -> u64 {
    read(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// Returns the monotonic time, in ns.
pub fn monotonic_ns() -> u64 {
    read(libc::CLOCK_MONOTONIC)
}

/// Returns the time on the clock chosen for costs, in ns.
pub fn clock_ns() -> u64 {
    read(CHOSEN.load(Ordering::Relaxed))
}

/// Runs `work` and returns how far the chosen clock advanced meanwhile, in ns.
pub fn cost_of(work: impl FnOnce()) -> u64 {
    let start = clock_ns();
    work();
    clock_ns() - start
}

fn process_cpu_ns() -> u64 {
    read(libc::CLOCK_PROCESS_CPUTIME_ID)
}

fn choose(ruby: &Ruby, mode: Symbol) -> Result<Symbol, Error> {
    let id = match mode.name()?.as_ref() {
        "cpu" => libc::CLOCK_THREAD_CPUTIME_ID,
        "wall" => libc::CLOCK_MONOTONIC,
        other => {
            let message = format!("unknown clock :{other}: use :cpu or :wall");
            return Err(Error::new(ruby.exception_arg_error(), message));
        }
    };
    CHOSEN.store(id, Ordering::Relaxed);
    Ok(mode)
}

/// Returns the name of the chosen clock.
fn chosen(ruby: &Ruby) -> StaticSymbol {
    let wall = CHOSEN.load(Ordering::Relaxed) == libc::CLOCK_MONOTONIC;
    ruby.sym_new(if wall { "wall" } else { "cpu" })
}

/// Returns how often the calling thread gave up its CPU to wait. An uninterrupted wait adds one.
fn voluntary_switches() -> i64 {
    // SAFETY: rusage is plain integers, for which all zeroes is a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `usage` is a valid place for the result, and lives through the call.
    unsafe { libc::getrusage(libc::RUSAGE_THREAD, &mut usage) };
    usage.ru_nvcsw
}

/// Defines `clock`, `clock=`, `clock_ns`, `thread_cpu_ns`, `process_cpu_ns`, `monotonic_ns`,
/// `voluntary_switches`.
pub fn define(_ruby: &Ruby, module: RModule) -> Result<(), Error> {
    module.define_module_function("clock", function!(chosen, 0))?;
    module.define_module_function("clock=", function!(choose, 1))?;
    module.define_module_function("clock_ns", function!(clock_ns, 0))?;
    module.define_module_function("thread_cpu_ns", function!(thread_cpu_ns, 0))?;
    module.define_module_function("process_cpu_ns", function!(process_cpu_ns, 0))?;
    module.define_module_function("monotonic_ns", function!(monotonic_ns, 0))?;
    module.define_module_function("voluntary_switches", function!(voluntary_switches, 0))
}
