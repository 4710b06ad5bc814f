//! Burns CPU for a given time: with the GVL, without it, in user mode or in the kernel.

use magnus::{Error, RModule, function};

use crate::{clock, gvl, spin::spin};

/// Maximum number of steps between two readings of the clock (about 30 us). A reading of a thread
/// CPU clock is a system call, and most of the time should pass in user mode.
const MOST_ROUNDS: u64 = 20_000;
/// Minimum number of steps between two readings, about 0.3 us: near the end.
const FEWEST_ROUNDS: u64 = 200;

fn burn_until_advanced(clock: fn() -> u64, ns: u64) {
    let end = clock() + ns;
    loop {
        let left = end.saturating_sub(clock());
        if left == 0 {
            return;
        }
        // A step takes about a nanosecond, so half of the remaining time does not overrun the end.
        spin((left / 2).clamp(FEWEST_ROUNDS, MOST_ROUNDS));
    }
}

fn burn_thread_cpu(ns: u64) -> u64 {
    clock::cost_of(|| burn_until_advanced(clock::thread_cpu_ns, ns))
}

fn burn_wall(ns: u64) -> u64 {
    clock::cost_of(|| burn_until_advanced(clock::monotonic_ns, ns))
}

fn burn_without_gvl(ns: u64) -> u64 {
    clock::cost_of(|| gvl::without_gvl(|| burn_until_advanced(clock::thread_cpu_ns, ns)))
}

/// Burns system time: has the kernel fill a buffer with random bytes, about 10 us a call.
fn burn_in_kernel(ns: u64) -> u64 {
    let mut buffer = [0_u8; 4096];
    clock::cost_of(|| {
        let end = clock::thread_cpu_ns() + ns;
        while clock::thread_cpu_ns() < end {
            // SAFETY: the buffer has the length that is given.
            unsafe { libc::getrandom(buffer.as_mut_ptr().cast(), buffer.len(), 0) };
        }
    })
}

/// Defines the `burn_...(ns)` methods, and `burn_a` to `burn_e`: `burn_thread_cpu` under other
/// names, for programs that need several C methods.
pub fn define(module: RModule) -> Result<(), Error> {
    module.define_module_function("burn_thread_cpu", function!(burn_thread_cpu, 1))?;
    for name in ["burn_a", "burn_b", "burn_c", "burn_d", "burn_e"] {
        module.define_module_function(name, function!(burn_thread_cpu, 1))?;
    }
    module.define_module_function("burn_wall", function!(burn_wall, 1))?;
    module.define_module_function("burn_without_gvl", function!(burn_without_gvl, 1))?;
    module.define_module_function("burn_in_kernel", function!(burn_in_kernel, 1))
}
