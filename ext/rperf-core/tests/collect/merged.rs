//! Merging: equal samples become one, everything else stays apart.

use rperf_core::collect::{Aggregator, Limits};
use rperf_core::state::VmState;

use crate::samples::{Sample, aggregate, sample, samples_of};

fn merging() -> Aggregator {
    Aggregator::new(true, Limits::default())
}

/// Samples of a few stacks, threads, states and labels, the same in every run.
fn mixed(number: usize) -> Vec<Sample> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut below = |limit: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 20) % limit
    };
    (0..number)
        .map(|_| Sample {
            stack: (0..below(4)).map(|_| below(3) as u32).collect(),
            state: VmState::ALL[below(5) as usize],
            thread: 1 + below(3) as u32,
            labels: below(3) as u32,
            count: 1 + below(4),
            weight: below(1_000_000),
        })
        .collect()
}

#[test]
fn equal_samples_are_added_up() {
    let mut aggregator = merging();
    aggregate(&mut aggregator, &[sample(&[1, 2], 10), sample(&[1, 2], 5)]);
    aggregate(&mut aggregator, &[Sample { count: 3, ..sample(&[1, 2], 100) }]);
    let snapshot = aggregator.take_snapshot();
    assert_eq!(samples_of(&snapshot), [Sample { count: 5, ..sample(&[1, 2], 115) }]);
    assert_eq!(snapshot.unique_stacks, 1);
}

#[test]
fn stacks_states_threads_and_labels_stay_apart() {
    let plain = sample(&[1, 2], 1);
    let all = [
        plain.clone(),
        Sample { labels: 7, ..plain.clone() },
        Sample { thread: 2, ..plain.clone() },
        Sample { state: VmState::GvlWait, ..plain.clone() },
        Sample { stack: vec![2, 1], ..plain.clone() },
        Sample { stack: vec![1], ..plain.clone() },
        Sample { stack: vec![], ..plain.clone() },
        Sample { stack: vec![1, 2, 2], ..plain },
    ];
    let mut aggregator = merging();
    aggregate(&mut aggregator, &all);
    let snapshot = aggregator.take_snapshot();
    assert_eq!(samples_of(&snapshot), all);
    assert_eq!(snapshot.unique_stacks, 5);
}

#[test]
fn a_stack_may_have_several_samples_and_is_stored_once() {
    let gc = Sample { state: VmState::GcMark, ..sample(&[4, 5], 2) };
    let sweep = Sample { state: VmState::GcSweep, ..sample(&[4, 5], 3) };
    let mut aggregator = merging();
    aggregate(&mut aggregator, &[sample(&[4, 5], 1), gc.clone(), sweep.clone()]);
    let snapshot = aggregator.take_snapshot();
    assert_eq!(samples_of(&snapshot), [sample(&[4, 5], 1), gc, sweep]);
    assert_eq!(snapshot.unique_stacks, 1);
}

#[test]
fn nothing_is_lost_or_made_up() {
    let all = mixed(5_000);
    let mut aggregator = merging();
    for part in all.chunks(700) {
        aggregate(&mut aggregator, part);
    }
    let merged = samples_of(&aggregator.take_snapshot());
    let sum = |samples: &[Sample]| samples.iter().map(|it| (it.count, it.weight)).fold((0, 0), add);
    assert_eq!(sum(&merged), sum(&all));
    let key = |it: &Sample| (it.stack.clone(), it.state, it.thread, it.labels);
    for total in &merged {
        let parts: Vec<_> = all.iter().filter(|part| key(part) == key(total)).cloned().collect();
        assert_eq!(sum(&parts), (total.count, total.weight), "{total:?}");
    }
    assert!(merged.len() < all.len() / 2, "{} of {} are left", merged.len(), all.len());
}

fn add(left: (u64, u64), right: (u64, u64)) -> (u64, u64) {
    (left.0 + right.0, left.1 + right.1)
}

#[test]
fn the_order_depends_on_the_samples_alone() {
    let all = mixed(2_000);
    // Each aggregator hashes with a seed of its own; buffers of any size must not matter either.
    let snapshots: Vec<_> = [2_000, 1_999, 64, 1]
        .into_iter()
        .map(|size| {
            let mut aggregator = merging();
            all.chunks(size).for_each(|part| aggregate(&mut aggregator, part));
            aggregator.take_snapshot()
        })
        .collect();
    for snapshot in &snapshots {
        assert_eq!(snapshot, &snapshots[0]);
    }
}

#[test]
fn a_snapshot_does_not_disturb_what_goes_on() {
    let mut aggregator = merging();
    aggregate(&mut aggregator, &[sample(&[1], 10)]);
    let first = aggregator.take_snapshot();
    aggregate(&mut aggregator, &[sample(&[1], 1), sample(&[2], 2)]);
    assert_eq!(samples_of(&first), [sample(&[1], 10)]);
    let second = samples_of(&aggregator.take_snapshot());
    assert_eq!(second, [Sample { count: 2, ..sample(&[1], 11) }, sample(&[2], 2)]);
}

#[test]
fn a_cleared_aggregator_begins_anew() {
    let limits = Limits { samples: 1, ..Limits::default() };
    let mut aggregator = Aggregator::new(true, limits);
    aggregate(&mut aggregator, &[sample(&[1], 10), sample(&[2], 20)]);
    assert!(!aggregator.take_snapshot().drops.to_list().is_empty());
    aggregator.clear();
    assert_eq!(aggregator.take_snapshot(), rperf_core::collect::Snapshot::default());
    aggregate(&mut aggregator, &[sample(&[2], 5)]);
    let snapshot = aggregator.take_snapshot();
    assert_eq!(samples_of(&snapshot), [sample(&[2], 5)]);
    assert_eq!((snapshot.unique_stacks, snapshot.drops.to_list()), (1, vec![]));
}
