//! Profiles with several values: each of them is what `go tool pprof` says it is.

use rperf_core::format::decode;

use crate::heap::{self, TYPES};
use crate::pprof::Scratch;
use crate::same::{assert_same, assert_same_foreign, foreign, run_plain};

const FILE: &str = "go_heap.pb.gz";

#[test]
fn each_value_of_a_heap_profile_of_go() {
    for (kind, _) in TYPES {
        for view in ["-top", "-tree", "-tags"] {
            assert_same_foreign(FILE, &[view, &format!("-sample_index={kind}")]);
        }
    }
}

#[test]
fn a_heap_profile_of_go_that_rperf_wrote_says_the_same() {
    let bytes = std::fs::read(foreign(FILE)).expect("the file is there");
    let scratch = Scratch::new();
    let again = scratch.write("again.pb.gz", &decode(&bytes).expect("it is a profile"));
    for (kind, _) in TYPES {
        for view in ["-top", "-traces", "-peek=main"] {
            let arguments = [view, &format!("-sample_index={kind}")];
            assert_eq!(run_plain(&again, &arguments), run_plain(&foreign(FILE), &arguments), "{arguments:?}");
        }
    }
    let types = "alloc_objects/count alloc_space/bytes inuse_objects/count inuse_space/bytes[dflt]";
    let raw = run_plain(&again, &["-raw"]);
    assert!(raw.contains("PeriodType: space bytes\nPeriod: 524288\n") && raw.contains(types), "{raw}");
}

#[test]
fn each_value_of_rperf() {
    let mut profile = heap::heap();
    for index in 0..TYPES.len() {
        profile.choose(index);
        for view in ["-top", "-tree", "-tags"] {
            assert_same(&profile, &[view]);
        }
        assert_same(&profile, &["-top", "-unit=auto", "-cum"]);
    }
}
