//! Profiles of some functions, and what of them changed beyond chance.

use rperf_core::ids::{LabelSetId, ThreadSeq};
use rperf_core::profile::{Builder, Chance, Comparison, FunctionDiff, Meta, Profile, diff};
use rperf_core::time::Nanos;

/// Functions that were met so often, with ticks of 1 ms; all are called by `main`.
pub fn profile(ticks: &[(&str, u64)]) -> Profile {
    profile_below(&["main"], ticks)
}

/// The same with these callers, leaf first.
pub fn profile_below(callers: &[&str], ticks: &[(&str, u64)]) -> Profile {
    let mut builder = Builder::new(Meta { frequency: 1000, ..Meta::default() });
    let location = |builder: &mut Builder, label| {
        let function = builder.intern_function("a.rb", label, 0);
        builder.intern_location(function, 1)
    };
    let callers: Vec<_> = callers.iter().map(|label| location(&mut builder, label)).collect();
    for (label, count) in ticks {
        let stack = [&[location(&mut builder, label)][..], &callers].concat();
        builder.push(&stack, Nanos(count * 1_000_000), *count, ThreadSeq(0), LabelSetId(0));
    }
    builder.build()
}

/// Recordings of a function `a` and the rest, in so many ticks each.
pub fn recordings(ticks: &[[u64; 2]]) -> Vec<Profile> {
    let rest = |b| [("b", b / 2), ("c", b / 3), ("d", b / 6)];
    ticks.iter().map(|[a, b]| profile(&[&[("a", *a)][..], &rest(*b)].concat())).collect()
}

/// The names of what did.
pub fn beyond(base: &Profile, target: &Profile) -> Vec<String> {
    let chance = Chance::of(base, target);
    let functions = diff(base, target).expect("they measure the same").functions;
    let is_beyond = |row: &FunctionDiff<'_>| {
        chance.is_exceeded_by(row.self_time) || chance.is_exceeded_by(row.cumulative)
    };
    functions.into_iter().filter(is_beyond).map(|row| row.label.to_owned()).collect()
}

/// Several recordings a side.
pub fn of_several(bases: &[Profile], targets: &[Profile]) -> Comparison {
    let [bases, targets] = [bases, targets].map(|side| side.iter().collect::<Vec<_>>());
    Comparison::of(&bases, &targets).expect("they measure the same")
}

/// What changed between recordings of `a` and the rest.
pub fn beyond_of(bases: &[[u64; 2]], targets: &[[u64; 2]]) -> Vec<String> {
    let Comparison { base, target } = of_several(&recordings(bases), &recordings(targets));
    beyond(&base, &target)
}
