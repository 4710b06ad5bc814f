use std::collections::BTreeMap;

use rperf_core::ids::NativeId;
use rperf_core::native::{Share, divide};

fn shares(notes: &[u64]) -> Vec<Share> {
    notes.iter().enumerate().map(|(at, notes)| Share::new(NativeId::from(at), *notes)).collect()
}

/// The amounts of each function.
fn by_function<const N: usize>(parts: Vec<(NativeId, [u64; N])>) -> BTreeMap<usize, [u64; N]> {
    let mut sums = BTreeMap::new();
    for (native, part) in parts {
        let sum = sums.entry(native.index()).or_insert([0; N]);
        *sum = std::array::from_fn(|at| sum[at] + part[at]);
    }
    sums
}

#[test]
fn a_stack_with_many_ticks_has_the_shares_of_its_leaf() {
    let parts = by_function(divide(&mut shares(&[7, 2, 1]), [1_000, 100, 10]));
    assert_eq!(parts, BTreeMap::from([(0, [700, 70, 7]), (1, [200, 20, 2]), (2, [100, 10, 1])]));
}

#[test]
fn a_stack_has_no_more_leaves_than_ticks_and_loses_nothing() {
    let mut shares = shares(&[1; 60]);
    for ticks in 0..70_u64 {
        let amounts = [1_000_003 * ticks + 5, 17, ticks];
        let parts = by_function(divide(&mut shares, amounts));
        assert!(parts.len() as u64 <= ticks.max(1), "{ticks} ticks have {} leaves", parts.len());
        let sums = parts.values().fold([0; 3], |sums, part| std::array::from_fn(|at| sums[at] + part[at]));
        assert_eq!(sums, amounts);
    }
}

/// However the ticks are spread over stacks, and also in the middle of them.
#[test]
fn stacks_of_few_ticks_have_the_shares_together() {
    let notes = [500, 300, 150, 40, 10];
    let mut shares = shares(&notes);
    let mut given = [0; 5];
    let mut all = 0;
    for stack in 0..5_000 {
        let tick = 900_000 + 137 * (stack % 1_000);
        let ticks = 1 + stack % 3;
        for (native, [time, _]) in divide(&mut shares, [tick * ticks, ticks]) {
            given[native.index()] += time;
        }
        all += tick * ticks;
        for (native, notes) in notes.iter().enumerate() {
            let due = all * notes / 1_000;
            assert!(given[native].abs_diff(due) < 2_500_000, "{native}: {} of {due} ns", given[native]);
        }
    }
}
