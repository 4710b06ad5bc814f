//! What is in use: sums by sample and age.

use rperf_core::collect::{Age, Fate, InUse, LiveObjects};
use rperf_core::time::Nanos;

use crate::live::key;

const HOUR: Nanos = Nanos(3_600);

fn lived(lived: u64, recording: u64) -> u64 {
    Age { collections: 0, lived: Nanos(lived) }.rounded(Nanos(recording)).lived.0
}

#[test]
fn ages_are_rounded_down() {
    let collections = |collections| Age { collections, lived: Nanos::ZERO }.rounded(HOUR).collections;
    assert_eq!([0, 1, 2, 3, 4, 7, 1000].map(collections), [0, 1, 2, 2, 4, 4, 512]);
    assert_eq!([0, 299, 300, 899, 3_599].map(|age| lived(age, 3_600)), [0, 0, 300, 600, 3_300]);
    // Older than the recording.
    assert_eq!([3_600, 7_199, 7_200, 30_000].map(|age| lived(age, 3_600)), [3_600, 3_600, 7_200, 28_800]);
    assert_eq!([0, 5, u64::MAX].map(|age| lived(age, 0)), [0, 4, 1 << 63], "no recording");
}

/// The first third of a recording is what lived for two thirds of it or longer.
#[test]
fn thirds_of_a_recording_are_told_apart() {
    for recording in [7, 100, 3_601, 999_999_999_999] {
        for age in
            [0, recording / 3, recording / 3 + 1, recording * 2 / 3, recording * 2 / 3 + 1, recording - 1]
        {
            for third in 1..=2 {
                let is_older = |age| age * 3 >= third * recording;
                assert_eq!(is_older(lived(age, recording)), is_older(age), "{age} of {recording}");
            }
        }
    }
}

#[test]
fn objects_of_a_sample_are_summed_by_age() {
    let mut live = LiveObjects::new(100);
    let collect = |live: &mut LiveObjects| live.end_of_marking(true, |_| Fate::Old, |_| ());
    for (word, stack, now) in [(1, 1, 1), (2, 1, 10), (3, 2, 20), (4, 1, 3_000)] {
        live.push(word, key(stack), 500, Nanos(now));
    }
    collect(&mut live);
    collect(&mut live);
    live.push(5, key(1), 500, Nanos(3_000));
    collect(&mut live);
    live.push(6, key(1), 500, Nanos(3_590));
    live.iter_mut().for_each(|object| _ = object.grow_to(40));
    let in_use = |stack, collections, lived, objects| {
        let age = Age { collections, lived: Nanos(lived) };
        InUse { key: key(stack), age, objects, bytes: objects * 40 }
    };
    let old = [
        in_use(1, 1, 600, 500),
        in_use(1, 2, 600, 500),
        in_use(1, 2, 3_300, 1_000),
        in_use(2, 2, 3_300, 500),
    ];
    let sum =
        |min_age, end| InUse::sum(live.each_in_use(HOUR), min_age, |moment| moment < Nanos(end), HOUR, HOUR);
    assert_eq!(sum(1, 3_600), old);
    assert_eq!(sum(0, 3_600), [&[in_use(1, 0, 0, 500)], &old[..]].concat());
    assert_eq!(sum(2, 3_600), old[1..]);
    assert_eq!(sum(0, 3_000), old[2..]);
}

/// However many collections there were, and however many objects: a sample has few rows.
#[test]
fn ages_of_a_sample_are_few() {
    let mut live = LiveObjects::new(100_000);
    for word in 0..3_600 {
        live.push(word, key(1), 1, Nanos(word as u64 * 1_000));
        live.end_of_marking(false, |_| Fate::Old, |_| ());
    }
    let end = Nanos(3_600_000);
    let rows = InUse::sum(live.each_in_use(end), 0, |_| true, end, end);
    assert!((20..=24).contains(&rows.len()), "{}", rows.len());
    assert_eq!(rows.iter().map(|row| row.objects).sum::<u64>(), 3_600);
}
