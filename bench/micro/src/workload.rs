//! Generated profiles: 20,000 unique stacks of 60 frames over 2,000 methods with 5 lines each.

use rperf_core::ids::{LabelSetId, LocationId, ThreadSeq};
use rperf_core::profile::{Builder, Meta, Profile};
use rperf_core::time::Nanos;

/// Number of unique stacks; `DEPTH` is the number of frames of each.
const STACKS: usize = 20_000;
const DEPTH: usize = 60;
const METHODS: usize = 2_000;
const LINES: u32 = 5;

/// Returns a profile whose stacks share their outer frames, like those of a program: each stack
/// differs from the one before it below some depth.
pub fn call_tree() -> Profile {
    call_tree_of(STACKS)
}

/// Returns the same with `stacks` stacks.
pub fn call_tree_of(stacks: usize) -> Profile {
    build(stacks, |random, stack, at| {
        let keep = random.below(DEPTH - 1);
        for (depth, frame) in stack.iter_mut().enumerate() {
            // The leaf is first, so the outer frames are at the end.
            if depth < keep {
                *frame = at[random.below(at.len())];
            }
        }
        stack[0] = at[random.below(at.len())];
    })
}

/// Returns a profile of stacks without any structure: the worst case.
pub fn random() -> Profile {
    build(STACKS, |random, stack, at| {
        for frame in stack {
            *frame = at[random.below(at.len())];
        }
    })
}

fn build(stacks: usize, next: impl Fn(&mut Random, &mut [LocationId], &[LocationId])) -> Profile {
    let mut builder = Builder::new(Meta {
        frequency: 1000,
        duration: Nanos(20_000_000_000),
        aggregated: true,
        engine: "tick".to_owned(),
        rperf_version: "0.1.0".to_owned(),
        ruby_version: "ruby".to_owned(),
        ..Meta::default()
    });
    let mut locations = Vec::new();
    for method in 0..METHODS {
        let path = format!("/srv/app/lib/component_{}/file_{}.rb", method / 100, method / 10);
        let function =
            builder.intern_function(&path, &format!("Component{}#method_{method}", method / 100), 10);
        locations.extend((0..LINES).map(|line| builder.intern_location(function, 11 + line)));
    }
    let mut random = Random(42);
    let mut stack = vec![locations[0]; DEPTH];
    for _ in 0..stacks {
        next(&mut random, &mut stack, &locations);
        let weight = Nanos(900_000 + random.below(200_000) as u64);
        builder.push(&stack, weight, 1, ThreadSeq(1 + random.below(8) as u32), LabelSetId(0));
    }
    builder.build()
}

/// A small generator of pseudo-random numbers (xorshift64*), the same on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % limit
    }
}
