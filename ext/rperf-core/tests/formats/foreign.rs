//! Profiles of other producers.

use rperf_core::format::decode;
use rperf_core::profile::{LabelValue, Profile, ValueType, totals};
use rperf_core::state::Mode;

/// The profile in this file of `tests/golden/foreign`.
pub fn read(name: &str) -> Profile {
    let path = format!("{}/../../tests/golden/foreign/{name}", env!("CARGO_MANIFEST_DIR"));
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    decode(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn cumulative(profile: &Profile, label: &str) -> u64 {
    let totals = totals(profile);
    totals
        .functions
        .iter()
        .filter(|function| function.label == label)
        .map(|function| function.cumulative.0)
        .sum()
}

#[test]
fn cpu_profile_of_go() {
    let profile = read("go_cpu.pb.gz");
    assert_eq!((profile.meta.mode, profile.meta.value_type.clone()), (Mode::Cpu, None));
    assert_eq!(profile.meta.frequency, 100);
    assert_eq!(profile.total().0, profile.tick_count() * 10_000_000);
    // Inlined into main.main.func1, and yet a frame of its own.
    assert!(cumulative(&profile, "main.shape.area") > 0);
    assert!(cumulative(&profile, "main.main.func1") >= cumulative(&profile, "main.shape.area"));
    let phases = profile.label_sets.iter().flatten().filter(|label| label.key == "phase");
    let mut phases: Vec<_> = phases.map(|label| label.value.clone()).collect();
    phases.sort();
    phases.dedup();
    assert_eq!(phases, ["area", "words"].map(|phase| LabelValue::Text(phase.to_owned())));
}

#[test]
fn heap_profile_of_go() {
    let profile = read("go_heap.pb.gz");
    assert_eq!(profile.value_type(), ValueType::new("inuse_space", "bytes"));
    assert_eq!(profile.meta.frequency, 0);
    assert!(cumulative(&profile, "main.words") > 0);
    let numbers = profile.label_sets.iter().flatten().filter(|label| label.key == "bytes");
    assert!(numbers.count() > 0, "the sizes of the objects are numeric labels");
}
