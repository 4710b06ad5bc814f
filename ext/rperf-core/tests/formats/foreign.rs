//! Profiles of other producers.

use rperf_core::format::{Format, decode, decode_values, encode};
use rperf_core::profile::{Kinship, LabelValue, Period, Profile, ValueType, merge, totals};
use rperf_core::state::Mode;

use crate::heap::TYPES;

/// The profile in this file of `test/golden/foreign`.
pub fn read(name: &str) -> Profile {
    decode(&bytes_of(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The bytes of this file.
pub fn bytes_of(name: &str) -> Vec<u8> {
    let path = format!("{}/../../test/golden/foreign/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
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
    assert_eq!((profile.meta.mode, profile.meta.value_types.chosen()), (Mode::Cpu, None));
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
    let value_type = ValueType::new("space", "bytes");
    assert_eq!(profile.meta.period, Some(Period { value_type, length: 512 << 10 }));
    assert!(cumulative(&profile, "main.words") > 0);
    let numbers = profile.label_sets.iter().flatten().filter(|label| label.key == "bytes");
    assert!(numbers.count() > 0, "the sizes of the objects are numeric labels");
}

/// The sum of each value.
fn sums(profile: &Profile) -> [u64; 4] {
    [0, 1, 2, 3].map(|index| profile.samples.iter().map(|sample| sample.values[index]).sum())
}

#[test]
fn all_values_of_a_heap_profile_are_kept() {
    let profile = read("go_heap.pb.gz");
    assert_eq!(profile.value_types(), TYPES.map(|(kind, unit)| ValueType::new(kind, unit)));
    let [objects, space, objects_in_use, space_in_use] = sums(&profile);
    assert!(objects > objects_in_use && objects_in_use > 0 && space > space_in_use);
    assert_eq!(profile.total().0, space_in_use);
    for format in [Format::Pprof, Format::Json] {
        let again = decode(&encode(&profile, format).expect("it is sound")).expect("it is a profile");
        assert_eq!(
            (sums(&again), again.meta.value_types),
            (sums(&profile), profile.meta.value_types.clone())
        );
        assert_eq!(again.meta.period, profile.meta.period);
    }
}

#[test]
fn each_value_of_a_heap_profile_can_be_chosen() {
    let heap = read("go_heap.pb.gz");
    for format in [Format::Pprof, Format::Json] {
        let bytes = encode(&heap, format).expect("it is sound");
        for (index, (kind, unit)) in TYPES.into_iter().enumerate() {
            for wanted in [kind, &index.to_string()] {
                let profile = decode_values(&bytes, Some(wanted)).expect("it has such values");
                assert_eq!(profile.value_type(), ValueType::new(kind, unit));
                assert_eq!((profile.total().0, sums(&profile)), (sums(&heap)[index], sums(&heap)));
            }
        }
        let error = decode_values(&bytes, Some("samples")).expect_err("it has no such values");
        let expected = "it has no values of the sample type 'samples': its sample types are \
                        alloc_objects, alloc_space, inuse_objects, inuse_space";
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn all_values_are_merged() {
    let heap = read("go_heap.pb.gz");
    let mut other = heap.clone();
    other.choose(0);
    let merged = merge(&[&heap, &other], Kinship::Recordings).expect("they measure the same");
    assert_eq!(sums(&merged), sums(&heap).map(|sum| 2 * sum));
    assert_eq!((merged.value_type(), merged.total().0), (heap.value_type(), 2 * heap.total().0));
    other.keep_chosen();
    let error = merge(&[&heap, &other], Kinship::Recordings).expect_err("one has one value only");
    let expected = "the profiles measure different things, alloc_objects (count), alloc_space (bytes), \
                    inuse_objects (count), inuse_space (bytes) and alloc_objects (count): \
                    use profiles of the same mode";
    assert_eq!(error.to_string(), expected);
}

/// V8 has the line -1 for functions without a file, and so have the files that are made of its
/// profiles; JSON of other languages has fractions.
#[test]
fn lines_of_json_that_make_no_sense_are_unknown() {
    let files = [
        r#"{"meta": {"interval": 1, "preprocessedProfileVersion": 47}, "threads": [{
            "samples": {"stack": [0, 1]}, "stackTable": {"frame": [0, 1], "prefix": [null, 0]},
            "frameTable": {"func": [0, 1], "line": [null, 7.0]}, "stringArray": ["(root)", "f"],
            "funcTable": {"name": [0, 1], "lineNumber": [-1, 5]}}]}"#,
        r#"{"shared": {"frames": [{"name": "(root)", "line": -1}, {"name": "f", "line": 5.0}]},
            "profiles": [{"type": "sampled", "name": "", "unit": "none", "samples": [[0, 1]], "weights": [2]}]}"#,
        r#"{"mode": "wall", "interval": 1, "raw": [2, 1, 2, 2], "frames": {
            "1": {"name": "(root)", "file": "", "line": -1, "samples": 0},
            "2": {"name": "f", "file": "", "line": 5.0, "samples": 2}}}"#,
    ];
    for file in files {
        let profile = decode(file.as_bytes()).unwrap_or_else(|error| panic!("{error}: {file}"));
        let mut lines: Vec<_> =
            profile.functions.iter().map(|it| (it.label.as_str(), it.start_line)).collect();
        lines.sort_unstable();
        assert_eq!(lines, [("(root)", 0), ("f", 5)], "{file}");
    }
}
