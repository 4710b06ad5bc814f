//! Decodes arbitrary bytes; what is accepted must be fit for every use.
//!
//!     cargo fuzz run decode fuzz/corpus/decode tests/golden tests/golden/foreign
//!
//! A bounded version of this runs in the normal tests (`ext/rperf-core/tests/formats/mutations.rs`).

#![no_main]

use libfuzzer_sys::fuzz_target;
use rperf_core::format::{Format, decode, encode};
use rperf_core::profile::{Source, diff, merge, state_totals, totals};
use rperf_core::report::{TopOptions, top};

fuzz_target!(|bytes: &[u8]| {
    let Ok(profile) = decode(bytes) else { return };
    for format in Format::ALL {
        encode(&profile, format).expect("what was decoded can be encoded");
    }
    let json = encode(&profile, Format::Json).expect("what was decoded can be encoded");
    let again = decode(&json).expect("what was encoded can be decoded");
    assert_eq!(again.total(), profile.total());
    totals(&profile);
    state_totals(&profile);
    top(&profile, &TopOptions::default()).expect("what was decoded can be shown");
    diff(&profile, &again).expect("a profile can be compared with itself");
    // Sums of two may be too large, which is an error and no panic.
    let _ = merge(&[Source::from(&profile), Source::from(&again)]);
});
