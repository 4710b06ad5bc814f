//! A memory profile for the tests.

use rperf_core::format::{Format, decode, encode};
use rperf_core::ids::ThreadSeq;
use rperf_core::profile::{Builder, Meta, Period, Profile, ValueType, ValueTypes};
use rperf_core::state::Mode;
use rperf_core::time::Nanos;

use crate::fixture::{frame, meta, number, text};

/// What Go and rperf measure of a heap.
pub const TYPES: [(&str, &str); 4] = [
    ("alloc_objects", "count"),
    ("alloc_space", "bytes"),
    ("inuse_objects", "count"),
    ("inuse_space", "bytes"),
];

/// Objects of two classes, by methods that kept some of them: four values, as Go has them.
pub fn heap() -> Profile {
    let types = TYPES.map(|(kind, unit)| ValueType::new(kind, unit));
    let mut builder = Builder::new(Meta {
        value_types: ValueTypes::new(types.to_vec(), 3),
        period: Some(Period { value_type: ValueType::new("objects", "count"), length: 500 }),
        start_time_ns: meta(Mode::Cpu).start_time_ns,
        duration: Nanos(2_500_000_000),
        aggregated: true,
        ..Meta::default()
    });
    let main = frame(&mut builder, "heap.rb", "<main>", 1, 12);
    let cache = frame(&mut builder, "heap.rb", "Cache#fetch", 2, 4);
    let parse = frame(&mut builder, "heap.rb", "Parser#parse", 7, 9);
    let string = builder.intern_label_set(&[text("class", "String"), number("slot", 40)]);
    let array = builder.intern_label_set(&[text("class", "Array"), number("slot", 160)]);
    let thread = ThreadSeq(1);
    builder.push_values(&[cache, main], &[1_500, 3_000_000, 1_000, 2_097_152], 3, thread, string);
    builder.push_values(&[parse, cache, main], &[40_000, 6_400_000, 500, 80_000], 80, thread, array);
    builder.push_values(&[parse, main], &[2_000, 80_000, 0, 0], 4, thread, string);
    builder.build()
}

/// A recording counts a draw where an object was allocated, and pprof keeps no counts beside
/// several values: what is in use was drawn as often, whichever file it is read from.
#[test]
fn what_is_in_use_has_the_same_number_of_samples_after_pprof() {
    let mut recorded = heap();
    recorded.samples.iter_mut().for_each(|sample| sample.count = 0);
    let pprof = encode(&recorded, Format::Pprof).expect("the profile is sound");
    let again = decode(&pprof).expect("what was encoded can be decoded");
    for (format, number) in [
        (Format::Text, "\nSamples: 3, Interval: 500 (objects)\n"),
        (Format::Markdown, " in 3 samples\n"),
        (Format::Dot, "\\l3 samples\\l"),
        (Format::Callgrind, "\ndesc: Samples: 3\n"),
    ] {
        let [one, other] = [&recorded, &again].map(|profile| {
            String::from_utf8(encode(profile, format).expect("the profile is sound")).expect("it is a text")
        });
        assert!(one.contains(number) && other.contains(number), "{one}{other}");
    }
}
