//! Tests of the encoder with prost as the reader, and of messages that only other producers write.

use prost::Message;

use super::message::{Function, Label, Line, Location, Mapping, Profile as Proto, Sample, ValueType};
use super::{decode, write};
use crate::ids::{LabelSetId, ThreadSeq};
use crate::parts::written;
use crate::profile::{Builder, Meta, Profile};
use crate::state::Mode;
use crate::time::Nanos;

fn small() -> Profile {
    let mut builder = Builder::new(Meta {
        mode: Mode::Wall,
        frequency: 1000,
        start_time_ns: 5,
        duration: Nanos(7),
        rperf_version: "0.1.0".to_owned(),
        ..Meta::default()
    });
    let function = builder.intern_function("a.rb", "a", 3);
    let location = builder.intern_location(function, 4);
    builder.push(&[location], Nanos(100), 2, ThreadSeq(9), LabelSetId(0));
    builder.push(&[location], Nanos(50), 1, ThreadSeq(9), LabelSetId(0));
    builder.build()
}

#[test]
fn prost_reads_what_was_written_in_parts() {
    let proto = Proto::decode(written(|out| write(&small(), out)).as_slice()).expect("it is a message");
    let text = |index: i64| proto.string_table[index as usize].as_str();
    let types: Vec<_> = proto.sample_type.iter().map(|it| (text(it.r#type), text(it.unit))).collect();
    assert_eq!(types, [("samples", "count"), ("events", "count"), ("wall", "nanoseconds")]);
    assert_eq!(text(proto.default_sample_type), "wall");
    assert_eq!(text(0), "");
    let period = proto.period_type.expect("there is a period type");
    assert_eq!((text(period.r#type), text(period.unit), proto.period), ("wall", "nanoseconds", 1_000_000));
    assert_eq!((proto.time_nanos, proto.duration_nanos), (5, 7));
    assert!(text(proto.doc_url).starts_with("https://"));

    let [sample] = proto.sample.as_slice() else { panic!("the samples are merged") };
    assert_eq!(
        (sample.location_id.as_slice(), sample.value.as_slice()),
        ([1].as_slice(), [3, 0, 150].as_slice())
    );
    assert_eq!(
        sample.label.iter().map(|label| (text(label.key), label.num)).collect::<Vec<_>>(),
        [("thread_seq", 9)]
    );
    assert_eq!(proto.location[0].line, [Line { function_id: 1, line: 4 }]);
    assert_eq!(proto.location[0].mapping_id, proto.mapping[0].id);
    let function = proto.function[0];
    assert_eq!((text(function.name), text(function.filename), function.start_line), ("a", "a.rb", 3));
}

/// A message with odd ids, two sample types in microseconds and bytes, and an inlined function.
fn foreign() -> Proto {
    let strings = [
        "",
        "delay",
        "microseconds",
        "space",
        "bytes",
        "inner",
        "outer",
        "x.c",
        "/usr/lib/libz.so",
        "k",
        "v",
    ];
    Proto {
        sample_type: vec![ValueType { r#type: 1, unit: 2 }, ValueType { r#type: 3, unit: 4 }],
        sample: vec![
            Sample {
                location_id: vec![1 << 40, 77],
                value: vec![3, 4096],
                label: vec![Label { key: 9, str: 10, ..Label::default() }],
            },
            Sample { location_id: vec![], value: vec![1, 1], label: vec![] },
        ],
        mapping: vec![Mapping { id: 5, filename: 8, ..Mapping::default() }],
        location: vec![
            Location { id: 77, mapping_id: 5, address: 0xabc, ..Location::default() },
            Location {
                id: 1 << 40,
                line: vec![Line { function_id: 30, line: 12 }, Line { function_id: 20, line: -1 }],
                ..Location::default()
            },
        ],
        function: vec![
            Function { id: 20, name: 6, filename: 7, ..Function::default() },
            Function { id: 30, system_name: 5, filename: 7, start_line: 10, ..Function::default() },
        ],
        string_table: strings.map(str::to_owned).to_vec(),
        ..Proto::default()
    }
}

fn frames(profile: &Profile, sample: usize) -> Vec<(&str, &str, u32)> {
    let frame = |at: &crate::ids::LocationId| {
        let function = profile.function_at(*at);
        (function.label.as_str(), function.path.as_str(), profile.locations[at.index()].line)
    };
    profile.stack(&profile.samples[sample]).iter().map(frame).collect()
}

#[test]
fn reads_inlined_functions_and_places_without_names() {
    let profile = decode(&foreign().encode_to_vec(), None).expect("the message is sound");
    let expected = [("inner", "x.c", 12), ("outer", "x.c", 0), ("[libz.so]", "/usr/lib/libz.so", 0)];
    assert_eq!(frames(&profile, 0), expected);
    assert_eq!(frames(&profile, 1), []);
    assert_eq!(profile.label_sets.len(), 2);
}

#[test]
fn takes_the_last_sample_type_unless_another_is_the_default() {
    let mut proto = foreign();
    let last = decode(&proto.encode_to_vec(), None).expect("the message is sound");
    assert_eq!((last.value_type().kind.as_str(), last.value_type().unit.as_str()), ("space", "bytes"));
    assert_eq!(last.total(), Nanos(4097));
    proto.default_sample_type = 1;
    let default = decode(&proto.encode_to_vec(), None).expect("the message is sound");
    // Times become nanoseconds, whatever their unit was.
    assert_eq!(
        (default.value_type().kind.as_str(), default.value_type().unit.as_str()),
        ("delay", "nanoseconds")
    );
    assert_eq!(default.total(), Nanos(4_000));
}

#[test]
fn reads_lists_that_are_not_packed() {
    // location_id 77 twice, then the values. Each number is a field of its own.
    let sample = [0x08, 77, 0x08, 77, 0x10, 3, 0x10, 9];
    let mut message = Proto { sample: vec![], ..foreign() }.encode_to_vec();
    message.extend([0x12, sample.len() as u8]);
    message.extend(sample);
    let profile = decode(&message, None).expect("the message is sound");
    assert_eq!(frames(&profile, 0).len(), 2);
    assert_eq!(profile.total(), Nanos(9));
}

#[test]
fn line_without_function_is_unknown() {
    let mut proto = foreign();
    proto.location[1].line[0].function_id = 0;
    let profile = decode(&proto.encode_to_vec(), None).expect("the message is sound");
    assert_eq!(frames(&profile, 0)[0], ("<unknown>", "", 12));
}
