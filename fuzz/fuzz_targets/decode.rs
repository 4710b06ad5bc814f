//! The target of `fuzz/run`: see `check`.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    rperf_fuzz::check(bytes);
});
