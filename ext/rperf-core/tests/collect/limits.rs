//! Full tables: what is known still merges, what is new is dropped and counted.

use rperf_core::collect::{Aggregator, Limits};
use rperf_core::time::Nanos;

use crate::samples::{Sample, aggregate, sample, samples_of};

#[test]
fn a_full_table_of_stacks_still_merges_known_ones() {
    let mut aggregator = Aggregator::new(true, Limits { stack_frames: 3, ..Limits::default() });
    aggregate(&mut aggregator, &[sample(&[1, 2], 1), sample(&[3, 4], 20), sample(&[1, 2], 1)]);
    let snapshot = aggregator.take_snapshot();
    assert_eq!(samples_of(&snapshot), [Sample { count: 2, ..sample(&[1, 2], 2) }]);
    assert_eq!(snapshot.drops.to_list(), [("stack limit".to_owned(), 1, Nanos(20))]);
    assert_eq!(snapshot.unique_stacks, 1);
}

#[test]
fn a_smaller_stack_may_still_fit() {
    let mut aggregator = Aggregator::new(true, Limits { stack_frames: 3, ..Limits::default() });
    aggregate(&mut aggregator, &[sample(&[1, 2], 1), sample(&[3, 4], 20), sample(&[3], 4)]);
    let snapshot = aggregator.take_snapshot();
    assert_eq!(samples_of(&snapshot), [sample(&[1, 2], 1), sample(&[3], 4)]);
}

#[test]
fn a_full_table_of_samples_still_merges_known_ones() {
    let mut aggregator = Aggregator::new(true, Limits { samples: 2, ..Limits::default() });
    let labelled = Sample { labels: 1, ..sample(&[1], 7) };
    aggregate(
        &mut aggregator,
        &[
            sample(&[1], 1),
            labelled.clone(),
            Sample { labels: 2, count: 3, ..sample(&[1], 100) },
            labelled.clone(),
            Sample { thread: 2, ..sample(&[1], 1_000) },
        ],
    );
    let snapshot = aggregator.take_snapshot();
    assert_eq!(samples_of(&snapshot), [sample(&[1], 1), Sample { count: 2, weight: 14, ..labelled }]);
    assert_eq!(snapshot.drops.to_list(), [("stack limit".to_owned(), 4, Nanos(1_100))]);
}

#[test]
fn what_goes_in_comes_out_or_is_counted_as_dropped() {
    let all: Vec<_> = (0..3_000_u32)
        .map(|number| Sample {
            thread: 1 + number % 5,
            labels: number % 7,
            count: u64::from(1 + number % 3),
            ..sample(&[number % 41, number % 13], u64::from(number))
        })
        .collect();
    for limits in [
        Limits { stack_frames: 100, samples: 10_000 },
        Limits { stack_frames: 100_000, samples: 50 },
        Limits { stack_frames: 0, samples: 10 },
        Limits { stack_frames: 10, samples: 0 },
    ] {
        for merge in [true, false] {
            let mut aggregator = Aggregator::new(merge, limits);
            aggregate(&mut aggregator, &all);
            let snapshot = aggregator.take_snapshot();
            let kept = samples_of(&snapshot);
            assert!(kept.len() <= limits.samples, "{limits:?}");
            let drops = snapshot.drops.to_list();
            let count =
                kept.iter().map(|it| it.count).sum::<u64>() + drops.iter().map(|it| it.1).sum::<u64>();
            let weight =
                kept.iter().map(|it| it.weight).sum::<u64>() + drops.iter().map(|it| it.2.0).sum::<u64>();
            assert_eq!(count, all.iter().map(|it| it.count).sum::<u64>(), "{limits:?} {merge}");
            assert_eq!(weight, all.iter().map(|it| it.weight).sum::<u64>(), "{limits:?} {merge}");
        }
    }
}
