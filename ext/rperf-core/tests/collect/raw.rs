//! `aggregate: false`: every sample is kept.

use crate::samples::{Collector, Limits, Sample, sample};

fn raw(samples: usize) -> Collector {
    Collector::new(false, Limits { samples, ..Limits::NONE })
}

#[test]
fn raw_samples_stay_apart_and_in_order() {
    let mut collector = raw(100);
    let all = [sample(&[1, 2], 10), sample(&[1], 3), sample(&[1, 2], 10), sample(&[1], 1)];
    collector.add(&all);
    assert_eq!(collector.samples(), all);
    assert_eq!(collector.snapshot().stacks.len(), 2, "their stacks are stored once all the same");
}

#[test]
fn many_of_them_keep_their_order() {
    for number in [16_384, 50_000_u32] {
        let mut collector = raw(100_000);
        let sample = |index: u32| Sample {
            thread: 1 + index % 3,
            count: u64::from(index % 2),
            ..sample(&[index % 7], u64::from(index))
        };
        let all: Vec<_> = (0..number).map(sample).collect();
        for (before, sample) in all.iter().enumerate() {
            assert_eq!(collector.aggregator.len(), before);
            collector.add(std::slice::from_ref(sample));
        }
        assert_eq!(collector.aggregator.len(), number as usize);
        assert!(collector.samples() == all, "{number} samples");
    }
}

#[test]
fn raw_samples_beyond_the_limit_are_counted() {
    let mut collector = raw(2);
    collector.add(&[sample(&[1], 1), sample(&[1], 2), Sample { count: 5, ..sample(&[1], 40) }]);
    assert_eq!(collector.samples(), [sample(&[1], 1), sample(&[1], 2)]);
    assert_eq!(collector.drops(), [("stack limit".to_owned(), 5, 40)]);
}

#[test]
fn the_limit_may_be_large() {
    const LIMIT: usize = 20_000;
    let mut collector = raw(LIMIT);
    let all: Vec<_> = (0..LIMIT as u64 + 30).map(|index| sample(&[1], 1 + index)).collect();
    collector.add(&all);
    assert!(collector.samples() == all[..LIMIT]);
    let lost: u64 = all[LIMIT..].iter().map(|sample| sample.weight).sum();
    assert_eq!(collector.drops(), [("stack limit".to_owned(), 30, lost)]);
}
