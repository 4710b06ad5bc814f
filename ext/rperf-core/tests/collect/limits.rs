//! Full tables: what is known still merges, what is new is dropped and counted.

use crate::samples::{Collector, Limits, Sample, sample, sums};

#[test]
fn a_full_table_of_stacks_still_merges_known_ones() {
    let mut collector = Collector::new(true, Limits { stacks: 3, ..Limits::NONE });
    collector.add(&[sample(&[1, 2], 1), sample(&[3, 4], 20), sample(&[1, 2], 1)]);
    assert_eq!(collector.samples(), [Sample { count: 2, ..sample(&[1, 2], 2) }]);
    assert_eq!(collector.drops(), [("stack limit".to_owned(), 1, 20)]);
    // Its caller had found room.
    collector.add(&[sample(&[3], 4), sample(&[1], 5)]);
    assert_eq!(collector.samples().len(), 3);
    assert_eq!(collector.drops(), [("stack limit".to_owned(), 1, 20)]);
}

#[test]
fn a_full_table_of_frames_still_takes_stacks_of_known_ones() {
    let mut collector = Collector::new(true, Limits { frames: 2, ..Limits::NONE });
    let lost = Sample { count: 4, ..sample(&[1, 3], 20) };
    collector.add(&[sample(&[1, 2], 1), lost, sample(&[2, 1], 5), sample(&[3], 6)]);
    assert_eq!(collector.samples(), [sample(&[1, 2], 1), sample(&[2, 1], 5)]);
    assert_eq!(collector.drops(), [("frame limit".to_owned(), 5, 26)]);
}

#[test]
fn a_full_table_of_samples_still_merges_known_ones() {
    let mut collector = Collector::new(true, Limits { samples: 2, ..Limits::NONE });
    let labelled = Sample { labels: 1, ..sample(&[1], 7) };
    collector.add(&[
        sample(&[1], 1),
        labelled.clone(),
        Sample { labels: 2, count: 3, ..sample(&[1], 100) },
        labelled.clone(),
        Sample { thread: 2, ..sample(&[1], 1_000) },
    ]);
    assert_eq!(collector.samples(), [sample(&[1], 1), Sample { count: 2, weight: 14, ..labelled }]);
    assert_eq!(collector.drops(), [("stack limit".to_owned(), 4, 1_100)]);
}

#[test]
fn what_goes_in_comes_out_or_is_counted_as_dropped() {
    let all: Vec<_> = (0..3_000_u32)
        .map(|number| Sample {
            thread: 1 + number % 5,
            labels: number % 7,
            count: u64::from(1 + number % 3),
            ..sample(&[number % 13, number % 41], u64::from(number))
        })
        .collect();
    for limits in [
        Limits { stacks: 100, ..Limits::NONE },
        Limits { frames: 20, ..Limits::NONE },
        Limits { samples: 50, ..Limits::NONE },
        Limits { frames: 30, stacks: 150, samples: 70 },
        Limits { stacks: 0, ..Limits::NONE },
        Limits { frames: 0, ..Limits::NONE },
        Limits { samples: 0, ..Limits::NONE },
    ] {
        for merge in [true, false] {
            let mut collector = Collector::new(merge, limits);
            collector.add(&all);
            let (kept, snapshot) = (collector.samples(), collector.snapshot());
            assert!(kept.len() <= limits.samples && snapshot.stacks.len() <= limits.stacks, "{limits:?}");
            let (mut count, mut weight) = sums(&kept);
            let drops = collector.drops();
            assert!(!drops.is_empty(), "{limits:?} {merge}");
            for (_, samples, time) in drops {
                (count, weight) = (count + samples, weight + time);
            }
            assert_eq!((count, weight), sums(&all), "{limits:?} {merge}");
        }
    }
}
