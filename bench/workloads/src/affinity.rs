//! Keeps a measurement on one CPU: a handover between threads on different CPUs costs several times
//! more.

use magnus::{Error, RModule, Ruby, function};

type Set = libc::cpu_set_t;

fn allowed() -> Result<Set, std::io::Error> {
    // SAFETY: cpu_set_t is a plain bit set, for which all zeroes is a value.
    let mut set: Set = unsafe { std::mem::zeroed() };
    // SAFETY: `set` has the size that is given; 0 means the calling thread.
    match unsafe { libc::sched_getaffinity(0, size_of::<Set>(), &mut set) } {
        0 => Ok(set),
        _ => Err(std::io::Error::last_os_error()),
    }
}

fn allow(set: &Set) -> Result<(), std::io::Error> {
    // SAFETY: as in `allowed`.
    match unsafe { libc::sched_setaffinity(0, size_of::<Set>(), set) } {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error()),
    }
}

fn first_of(set: &Set) -> Set {
    // SAFETY: the set is plain bits, and the CPU numbers are below the set's size.
    unsafe {
        let mut one: Set = std::mem::zeroed();
        let first = (0..libc::CPU_SETSIZE as usize).find(|&cpu| libc::CPU_ISSET(cpu, set));
        libc::CPU_SET(first.unwrap_or(0), &mut one);
        one
    }
}

/// Keeps the calling thread, and the threads that it starts meanwhile, on one CPU while the block
/// runs.
fn on_one_cpu(ruby: &Ruby) -> Result<magnus::Value, Error> {
    let failed = |error: std::io::Error| Error::new(ruby.exception_runtime_error(), error.to_string());
    let before = allowed().map_err(failed)?;
    allow(&first_of(&before)).map_err(failed)?;
    let result = ruby.yield_value::<_, magnus::Value>(());
    allow(&before).map_err(failed)?;
    result
}

/// Defines `on_one_cpu { ... }`.
pub fn define(module: RModule) -> Result<(), Error> {
    module.define_module_function("on_one_cpu", function!(on_one_cpu, 0))
}
