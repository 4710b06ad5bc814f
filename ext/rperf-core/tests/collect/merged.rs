//! Merging: equal samples become one, everything else stays apart.

use rperf_core::state::VmState;

use crate::samples::{Collector, Limits, Sample, sample, sums};

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
            work: below(2) as u32,
            count: below(5),
            weight: below(1_000_000),
        })
        .collect()
}

#[test]
fn equal_samples_are_added_up() {
    let mut collector = Collector::merging();
    assert_eq!(collector.aggregator.len(), 0);
    collector.add(&[sample(&[1, 2], 10), sample(&[1, 2], 5)]);
    // A part of a tick that has been counted already.
    collector.add(&[Sample { count: 3, ..sample(&[1, 2], 100) }, Sample { count: 0, ..sample(&[1, 2], 7) }]);
    assert_eq!(collector.samples(), [Sample { count: 5, ..sample(&[1, 2], 122) }]);
    assert_eq!(collector.aggregator.len(), 1);
}

#[test]
fn stacks_states_threads_and_labels_stay_apart() {
    let plain = sample(&[1, 2], 1);
    let all = [
        plain.clone(),
        Sample { labels: 7, ..plain.clone() },
        Sample { labels: 7, work: 1, ..plain.clone() },
        Sample { thread: 2, ..plain.clone() },
        Sample { state: VmState::GvlWait, ..plain.clone() },
        Sample { stack: vec![1, 2, 2], ..plain.clone() },
        Sample { stack: vec![2], ..plain.clone() },
        Sample { stack: vec![2, 1], ..plain },
    ];
    let mut collector = Collector::merging();
    // The order of their keys, whatever order they come in.
    all.iter().for_each(|sample| collector.add(std::slice::from_ref(sample)));
    assert_eq!(collector.samples(), all);
    assert_eq!(collector.aggregator.len(), all.len());
}

#[test]
fn a_sample_without_frames_is_a_sample() {
    let mut collector = Collector::merging();
    collector.add(&[sample(&[], 3), sample(&[1], 1), sample(&[], 4)]);
    assert_eq!(collector.samples(), [Sample { count: 2, ..sample(&[], 7) }, sample(&[1], 1)]);
}

#[test]
fn nothing_is_lost_or_made_up() {
    let all = mixed(5_000);
    let mut collector = Collector::merging();
    collector.add(&all);
    let merged = collector.samples();
    assert_eq!(sums(&merged), sums(&all));
    let key = |it: &Sample| (it.stack.clone(), it.state, it.thread, it.labels, it.work);
    for total in &merged {
        let parts: Vec<_> = all.iter().filter(|part| key(part) == key(total)).cloned().collect();
        assert_eq!(sums(&parts), (total.count, total.weight), "{total:?}");
    }
    assert!(merged.len() < all.len() / 2, "{} of {} are left", merged.len(), all.len());
}

#[test]
fn the_order_depends_on_the_samples_alone() {
    let all = mixed(2_000);
    // Each aggregator hashes with a seed of its own.
    let snapshots: Vec<_> = (0..4)
        .map(|step| {
            let mut collector = Collector::merging();
            // Their stacks have the same ids in each.
            collector.add(&all);
            collector.clear();
            let (first, last) = all.split_at(step * 500);
            collector.add(last);
            collector.add(first);
            collector.snapshot()
        })
        .collect();
    assert!(snapshots[0].times.cpu.len() > 500);
    for snapshot in &snapshots {
        assert_eq!(snapshot, &snapshots[0]);
    }
}

#[test]
fn a_snapshot_does_not_disturb_what_goes_on() {
    let mut collector = Collector::merging();
    collector.add(&[sample(&[1], 10)]);
    let first = collector.snapshot();
    collector.add(&[sample(&[1], 1), sample(&[2], 2)]);
    assert_eq!((first.times.cpu.len(), first.times.cpu[0].amount.weight.0, first.stacks.len()), (1, 10, 1));
    assert_eq!(collector.samples(), [Sample { count: 2, ..sample(&[1], 11) }, sample(&[2], 2)]);
}

#[test]
fn a_cleared_aggregator_begins_anew() {
    for merge in [true, false] {
        let mut collector = Collector::new(merge, Limits { samples: 1, ..Limits::NONE });
        collector.add(&[sample(&[1], 10), sample(&[2], 20)]);
        assert!(!collector.drops().is_empty());
        collector.clear();
        assert!(collector.aggregator.len() == 0 && collector.samples().is_empty());
        assert_eq!(collector.drops(), []);
        collector.add(&[sample(&[2], 5)]);
        assert_eq!(collector.samples(), [sample(&[2], 5)], "there is room again");
    }
}
