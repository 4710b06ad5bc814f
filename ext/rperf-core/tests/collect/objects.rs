//! Objects: which are sampled, their kinds, and what samples of them add up to.

use rperf_core::accounting::Gaps;
use rperf_core::collect::{Aggregator, Labelling, ObjectKind, ObjectKinds, SampleKey, StackTable, Values};
use rperf_core::ids::{KindId, StackId, ThreadSeq};
use rperf_core::state::VmState;
use rperf_core::time::Nanos;

fn gaps(interval: u64, seed: u64, count: usize) -> Vec<u64> {
    let mut gaps = Gaps::new(interval, seed);
    (0..count).map(|_| gaps.draw()).collect()
}

#[test]
fn with_an_interval_of_1_each_object_is_sampled() {
    assert!(gaps(1, 7, 1000).iter().all(|gap| *gap == 1));
}

#[test]
fn gaps_have_the_mean_and_the_spread_of_the_geometric_distribution() {
    const COUNT: f64 = 200_000.0;
    for interval in [2, 4, 100, 250, 500, 10_000] {
        let gaps = gaps(interval, 3, COUNT as usize);
        let (expected, mean) = (interval as f64, gaps.iter().sum::<u64>() as f64 / COUNT);
        let deviation = (expected * (expected - 1.0)).sqrt();
        assert!((mean - expected).abs() < 4.0 * deviation / COUNT.sqrt(), "{interval}: {mean}");
        let square = gaps.iter().map(|gap| (*gap as f64 - mean).powi(2)).sum::<f64>() / COUNT;
        assert!((square.sqrt() / deviation - 1.0).abs() < 0.02, "{interval}: {}", square.sqrt());
        let shortest = gaps.iter().filter(|gap| **gap == 1).count() as f64 / COUNT;
        assert!(
            (shortest * expected - 1.0).abs() < 4.0 / (COUNT / expected).sqrt(),
            "{interval}: {shortest}"
        );
    }
}

#[test]
fn gaps_follow_an_interval_that_changes() {
    const COUNT: usize = 100_000;
    let mut gaps = Gaps::new(1, 9);
    assert_eq!(gaps.draw(), 1);
    gaps.set_interval(64);
    let mean = (0..COUNT).map(|_| gaps.draw()).sum::<u64>() as f64 / COUNT as f64;
    // Four standard errors.
    assert!((mean - 64.0).abs() < 4.0 * 64.0 / (COUNT as f64).sqrt(), "{mean}");
}

/// In a loop that makes four objects, each kind has its share at every interval: each Nth object
/// would always be of the same kind.
#[test]
fn a_loop_in_step_with_the_interval_has_all_its_objects() {
    for interval in [500, 250, 100, 4] {
        let mut counts = [0_f64; 4];
        let mut position = 0;
        for gap in gaps(interval, 11, 40_000) {
            position += gap;
            counts[(position % 4) as usize] += 1.0;
        }
        // 87 more or less (standard deviation).
        assert!(counts.iter().all(|count| (count - 10_000.0).abs() < 450.0), "{interval}: {counts:?}");
    }
}

#[test]
fn kinds_have_numbers_from_1_on_as_long_as_there_is_room() {
    let [string, array] =
        [5, 7].map(|number| ObjectKind { object_type: (number, 0), ..ObjectKind::default() });
    let mut kinds = ObjectKinds::new(2);
    assert_eq!(kinds.intern(string), Some((KindId(1), true)));
    assert_eq!(kinds.intern(ObjectKind { class: 8, ..array }), Some((KindId(2), true)));
    assert_eq!(kinds.intern(array), None);
    assert_eq!(kinds.intern(string), Some((KindId(1), false)));
    assert_eq!(kinds.kinds(), [ObjectKind::default(), string, ObjectKind { class: 8, ..array }]);
}

#[test]
fn a_kind_that_is_known_by_its_name_keeps_no_class() {
    let (kind, named) =
        (ObjectKind { class: 8, slot: 40, ..ObjectKind::default() }, ObjectKind::named(8, 40));
    assert_eq!([kind.kept(), named.kept()], [8, 0]);
    assert_eq!([kind.name(), named.name()], [None, Some(8)]);
    let mut kinds = ObjectKinds::new(9);
    assert_eq!([kinds.intern(kind), kinds.intern(named)], [1, 2].map(|id| Some((KindId(id), true))));
    assert!(kinds.contains(&named) && !kinds.contains(&ObjectKind::named(9, 40)));
}

#[test]
fn values_of_equal_samples_add_up() {
    let key = |kind| SampleKey {
        stack: StackId(StackTable::EMPTY.0 + 1),
        state: VmState::Running,
        thread: ThreadSeq(1),
        labels: Labelling::default(),
        kind,
    };
    let mut aggregator = Aggregator::new(true, 2);
    for (kind, values) in [(1, [500, 20_000]), (2, [500, 40_000]), (1, [500, 30_000]), (3, [500, 1])] {
        aggregator.add(key(KindId(kind)), Values::one(&values), Nanos::ZERO);
    }
    let mut samples = aggregator.samples();
    samples.sort_unstable_by_key(|sample| sample.key);
    let sums: Vec<_> = samples.iter().map(|sample| (sample.key.kind.0, sample.amount)).collect();
    let sum = |values, count| Values { values, count };
    assert_eq!(sums, [(1, sum([1000, 50_000, 0, 0], 2)), (2, sum([500, 40_000, 0, 0], 1))]);
    assert_eq!(aggregator.counted.drops.to_list(), [("stack limit".to_owned(), 1, Nanos::ZERO)]);
}
