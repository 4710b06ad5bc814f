//! What the decoders owe to any bytes. The fuzz target gives it what libFuzzer finds; the tests of
//! the core (`ext/rperf-core/tests/formats/mutations.rs`) include this file and give it a bounded
//! number of mutants.

use std::ops::ControlFlow;

use rperf_core::format::{Format, decode, encode};
use rperf_core::profile::{Kinship, Profile, diff, merge, state_totals, totals};
use rperf_core::report::{Report, ReportOptions, Subject, Surroundings, View};

/// Decodes the bytes; what is accepted must be fit for every use. Whether it was; panics when it is
/// not fit.
pub fn check(bytes: &[u8]) -> bool {
    let Ok(profile) = decode(bytes) else { return false };
    for (format, _) in Format::ALL {
        encode(&profile, format).expect("what was decoded can be encoded");
    }
    let json = encode(&profile, Format::Json).expect("what was decoded can be encoded");
    let again = decode(&json).expect("what was encoded can be decoded");
    assert_eq!(again.total(), profile.total());
    totals(&profile);
    state_totals(&profile);
    show(&profile);
    diff(&profile, &again).expect("a profile can be compared with itself");
    // Sums of two may be too large, which is an error and no panic.
    let _ = merge(&[&profile, &again], Kinship::Recordings);
    true
}

/// Writes every view that is about the whole profile.
fn show(profile: &Profile) {
    for view in
        [View::Top, View::Tree, View::Traces, View::Labels, View::Comments, View::Method(".".to_owned())]
    {
        let report = Report::parse(&ReportOptions { view, ..ReportOptions::default() });
        let report = report.expect("the options make sense");
        let mut sink = |_, _: &[_]| ControlFlow::Continue(());
        let written = report.write(&Subject::profile(profile), Surroundings::default(), &mut sink);
        // A profile without functions has no method.
        assert!(written.is_ok() || profile.functions.is_empty(), "what was decoded can be shown");
    }
}
