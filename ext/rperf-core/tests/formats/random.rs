//! Pseudo-random numbers and profiles, the same in every run.

use rperf_core::ids::{LabelSetId, LocationId, ThreadSeq};
use rperf_core::profile::{
    Builder, Label, LabelValue, Meta, Period, Process, Profile, Thread, ValueType, ValueTypes,
};
use rperf_core::state::Mode;
use rperf_core::time::Nanos;
use serde_json::json;

/// A small generator (xorshift64*).
pub struct Random(u64);

impl Random {
    /// A generator whose numbers depend on the seed only.
    pub fn new(seed: u64) -> Self {
        // Zero would stay zero.
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// The next number.
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below the limit, which is not 0.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 33) as usize % limit
    }

    /// One of these.
    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }

    /// True once in so many times.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    fn name(&mut self) -> String {
        const PARTS: [&str; 13] = [
            "\u{7f}",
            "a",
            "Foo#bar",
            "block in ",
            "<main>",
            ";",
            "\n",
            "日本",
            "\"",
            "\\",
            "\u{0}",
            " 12",
            "é",
        ];
        (0..self.below(4)).map(|_| *self.pick(&PARTS)).collect()
    }

    fn number(&mut self) -> i64 {
        let bits = self.below(63);
        let number = (self.next() >> 1 >> bits) as i64;
        if self.once_in(2) { -number } else { number }
    }
}

/// A profile with odd names and numbers. Every table entry but functions may go unused.
pub fn profile(seed: u64) -> Profile {
    let random = &mut Random::new(seed);
    let mut builder = Builder::new(meta(random));
    fill_counters(random, &mut builder);
    let locations = locations(random, &mut builder);
    let label_sets = label_sets(random, &mut builder);
    add_threads(random, &mut builder);
    let mut stack = Vec::new();
    for _ in 0..random.below(40) {
        if !random.once_in(4) {
            stack.clear();
            stack.extend((0..random.below(12)).map(|_| *random.pick(&locations)));
        }
        let types = builder.meta_mut().value_types.list_len().max(1);
        let values: Vec<u64> = (0..types).map(|_| random.number().unsigned_abs() >> 8).collect();
        let thread_seq = ThreadSeq(random.below(4) as u32);
        let count = random.below(1000) as u64;
        builder.push_values(&stack, &values, count, thread_seq, *random.pick(&label_sets));
    }
    builder.build()
}

fn meta(random: &mut Random) -> Meta {
    let recorded_by_rperf = !random.once_in(3);
    let value_types = if recorded_by_rperf { ValueTypes::default() } else { value_types(random) };
    // A timer, or something else, lies between two samples.
    let objects = Period { value_type: ValueType::new("objects", "count"), length: 500 };
    let period = value_types.are_several().then_some(objects);
    Meta {
        ticks_are_estimated: false,
        mode: if recorded_by_rperf { *random.pick(&Mode::ALL) } else { Mode::Cpu },
        frequency: if period.is_some() { 0 } else { 1 + random.below(10_000) as u32 },
        value_types,
        period,
        start_time_ns: random.number(),
        duration: Nanos(random.number().unsigned_abs()),
        aggregated: random.once_in(2),
        timeline: false,
        engine: if recorded_by_rperf { "poll".to_owned() } else { String::new() },
        rperf_version: if recorded_by_rperf { "0.1.0".to_owned() } else { String::new() },
        ruby_version: if recorded_by_rperf { random.name() } else { String::new() },
        comments: (0..random.below(3)).map(|_| random.name()).collect(),
        label_units: Vec::new(),
        resource: Vec::new(),
        profile_id: None,
        folded: None,
        stat: (0..random.below(3)).map(|_| (random.name(), json!([random.number(), 0.1, null]))).collect(),
        recordings: Vec::new(),
    }
}

/// Those of another producer: one or several.
fn value_types(random: &mut Random) -> ValueTypes {
    let all = [("objects", "count"), ("space", "bytes"), ("age", ValueType::NANOSECONDS)];
    let wanted = 1 + random.below(all.len());
    let types = all[..wanted].iter().map(|(kind, unit)| ValueType::new(*kind, *unit));
    ValueTypes::new(types.collect(), random.below(wanted))
}

fn fill_counters(random: &mut Random, builder: &mut Builder) {
    let recorded_by_rperf = !builder.meta_mut().rperf_version.is_empty();
    let counters = builder.counters_mut();
    counters.sampling_count = random.next();
    counters.sampling_time = Nanos(random.next());
    counters.hook_time = Nanos(random.next());
    counters.trigger_count = random.next();
    counters.detected_thread_count = random.next();
    counters.unique_frames = random.next();
    counters.unique_stacks = random.next();
    if recorded_by_rperf {
        let causes = ["buffer full", "stack table full: 1 ns: 2"];
        let drops = causes.iter().take(random.below(3));
        counters.drops =
            drops.map(|cause| (cause.to_string(), random.next(), Nanos(random.next()))).collect();
    }
}

fn locations(random: &mut Random, builder: &mut Builder) -> Vec<LocationId> {
    let functions: Vec<_> = (0..1 + random.below(20))
        .map(|_| builder.intern_function(&random.name(), &random.name(), random.below(100) as u32))
        .collect();
    (0..1 + random.below(40))
        .map(|_| {
            let line = if random.once_in(10) { u32::MAX } else { random.below(5) as u32 };
            builder.intern_location(*random.pick(&functions), line)
        })
        .collect()
}

fn label_sets(random: &mut Random, builder: &mut Builder) -> Vec<LabelSetId> {
    let mut sets = vec![LabelSetId(0)];
    for _ in 0..random.below(5) {
        let mut labels: Vec<Label> = (0..random.below(4)).map(|_| label(random)).collect();
        // JSON objects and Ruby hashes have each key once.
        labels.sort();
        labels.dedup_by(|a, b| a.key == b.key);
        sets.push(builder.intern_label_set(&labels));
    }
    sets
}

fn add_threads(random: &mut Random, builder: &mut Builder) {
    for seq in (1..6).map(ThreadSeq) {
        if random.once_in(2) {
            continue;
        }
        let mut small = |limit| random.below(limit) as u32;
        let (pid, ppid, native_id) = (small(3), small(2), small(4));
        let process = Process { pid, ppid, command: random.name() };
        let process = (!random.once_in(3)).then(|| builder.intern_process(&process));
        builder.push_thread(Thread { seq, name: random.name(), native_id, process });
    }
}

fn label(random: &mut Random) -> Label {
    let value = match random.below(4) {
        0 => LabelValue::Number(0),
        1 => LabelValue::Number(random.number()),
        _ => LabelValue::Text(random.name()),
    };
    Label { key: format!("key {}", random.name()), value }
}
