//! A memory profile for the tests.

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
