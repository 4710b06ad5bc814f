//! Work of a fixed size: the same instructions each time, in user mode only.

use std::hint::black_box;

use magnus::{Error, RModule, function};

/// Does `rounds` steps of a generator of pseudo-random numbers (about 1 ns each) and returns the
/// last number.
pub fn spin(rounds: u64) -> u64 {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    for _ in 0..black_box(rounds) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
    }
    black_box(state) >> 3
}

/// Defines `spin(rounds)`.
pub fn define(module: RModule) -> Result<(), Error> {
    module.define_module_function("spin", function!(spin, 1))
}
