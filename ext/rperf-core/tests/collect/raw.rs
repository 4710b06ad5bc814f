//! `aggregate: false`: every sample is kept.

use rperf_core::collect::{Aggregator, Limits};

use crate::samples::{Sample, aggregate, sample, samples_of};

#[test]
fn raw_samples_stay_apart_and_in_order() {
    let mut aggregator = Aggregator::new(false, Limits::default());
    let first = [sample(&[2, 1], 10), sample(&[1], 3)];
    let second = [sample(&[2, 1], 10), sample(&[1], 1)];
    aggregate(&mut aggregator, &first);
    aggregate(&mut aggregator, &second);
    let snapshot = aggregator.take_snapshot();
    assert_eq!(samples_of(&snapshot), [first, second].concat());
    // Their stacks are stored once all the same.
    assert_eq!(snapshot.unique_stacks, 2);
}

#[test]
fn raw_samples_beyond_the_limit_are_counted() {
    let mut aggregator = Aggregator::new(false, Limits { samples: 2, ..Limits::default() });
    aggregate(&mut aggregator, &[sample(&[1], 1), sample(&[1], 2), Sample { count: 5, ..sample(&[1], 40) }]);
    let snapshot = aggregator.take_snapshot();
    assert_eq!(samples_of(&snapshot), [sample(&[1], 1), sample(&[1], 2)]);
    let [(cause, samples, weight)] = &snapshot.drops.to_list()[..] else { panic!("one cause") };
    assert_eq!((cause.as_str(), *samples, weight.0), ("stack limit", 5, 40));
}

#[test]
fn ticks_that_were_merged_earlier_are_samples_of_their_own() {
    let mut aggregator = Aggregator::new(false, Limits::default());
    aggregate(&mut aggregator, &[Sample { count: 3, ..sample(&[2, 1], 11) }]);
    let parts = [4, 4, 3].map(|weight| sample(&[2, 1], weight));
    assert_eq!(samples_of(&aggregator.take_snapshot()), parts);
}
