//! Sampled objects: who is looked at when, sums after halving, growth.

use std::cell::RefCell;

use rperf_core::collect::{Fate, Labelling, LiveObject, LiveObjects, SampleKey};
use rperf_core::ids::{KindId, LabelSetId, StackId, ThreadSeq, WorkId};
use rperf_core::state::VmState;
use rperf_core::time::Nanos;

/// The key of samples with this stack.
pub fn key(stack: u32) -> SampleKey {
    let labels = Labelling::default();
    SampleKey {
        stack: StackId(stack),
        state: VmState::Running,
        thread: ThreadSeq(1),
        labels,
        kind: KindId::NONE,
    }
}

/// Words of the objects that were asked about and of those that died, in a collection.
fn collection(live: &mut LiveObjects, major: bool, fate: impl Fn(usize) -> Fate) -> [Vec<usize>; 2] {
    let [asked, died] = [RefCell::new(Vec::new()), RefCell::new(Vec::new())];
    live.end_of_marking(
        major,
        |word| {
            asked.borrow_mut().push(word);
            fate(word)
        },
        |object| died.borrow_mut().push(object.word),
    );
    [asked.into_inner(), died.into_inner()].map(|mut words| {
        words.sort_unstable();
        words
    })
}

fn with(words: std::ops::RangeInclusive<usize>) -> LiveObjects {
    let mut live = LiveObjects::new(1_000);
    words.for_each(|word| live.push(word, key(0), 1, Nanos::ZERO));
    live
}

fn words(live: &LiveObjects) -> Vec<usize> {
    let mut words: Vec<_> = live.iter().map(|object| object.word).collect();
    words.sort_unstable();
    words
}

#[test]
fn the_dead_are_told_once_and_forgotten() {
    let mut live = with(1..=6);
    let odd_dies = |word| if word % 2 == 1 { Fate::Dead } else { Fate::Young };
    assert_eq!(collection(&mut live, false, odd_dies), [vec![1, 2, 3, 4, 5, 6], vec![1, 3, 5]]);
    assert_eq!(words(&live), [2, 4, 6]);
    assert_eq!(collection(&mut live, false, odd_dies), [vec![2, 4, 6], vec![]]);
}

#[test]
fn what_is_old_is_looked_at_in_major_collections_only() {
    let mut live = with(1..=4);
    let even_is_old = |word| if word % 2 == 0 { Fate::Old } else { Fate::Young };
    assert_eq!(collection(&mut live, false, even_is_old)[0], [1, 2, 3, 4]);
    live.push(5, key(0), 1, Nanos::ZERO);
    assert_eq!(collection(&mut live, false, even_is_old)[0], [1, 3, 5]);
    let four_dies = |word| if word == 4 { Fate::Dead } else { even_is_old(word) };
    assert_eq!(collection(&mut live, true, four_dies), [vec![1, 2, 3, 4, 5], vec![4]]);
    assert_eq!(words(&live), [1, 2, 3, 5]);
}

#[test]
fn what_a_major_collection_leaves_young_is_looked_at_in_the_next_minor_one() {
    let mut live = with(1..=2);
    collection(&mut live, false, |_| Fate::Old);
    assert_eq!(collection(&mut live, true, |_| Fate::Young)[0], [1, 2]);
    assert_eq!(collection(&mut live, false, |_| Fate::Dead), [vec![1, 2], vec![1, 2]]);
    assert_eq!(live.len(), 0);
}

#[test]
fn what_turns_old_in_a_major_collection_is_asked_about_once() {
    let mut live = with(1..=3);
    assert_eq!(collection(&mut live, true, |_| Fate::Old)[0], [1, 2, 3]);
}

#[test]
fn an_age_is_the_number_of_collections_survived() {
    let mut live = with(1..=1);
    for _ in 0..3 {
        collection(&mut live, false, |_| Fate::Young);
    }
    live.push(2, key(0), 1, Nanos::ZERO);
    collection(&mut live, true, |_| Fate::Old);
    let ages: Vec<_> = live.iter().map(|object| (object.word, live.age(object))).collect();
    assert_eq!(ages, [(1, 4), (2, 1)]);
}

#[test]
fn deaths_are_counted_by_lifetime_and_by_what_objects_stand_for() {
    let mut live = LiveObjects::new(200);
    for (word, weight) in [(1, 500), (2, 500), (3, 1000)] {
        live.push(word, key(0), weight, Nanos::ZERO);
    }
    collection(&mut live, false, |word| if word == 1 { Fate::Dead } else { Fate::Young });
    assert_eq!(live.deaths(), [500, 0, 0, 0, 0, 0]);
    live.push(4, key(0), 500, Nanos::ZERO);
    collection(&mut live, false, |word| if word > 2 { Fate::Dead } else { Fate::Old });
    assert_eq!(live.deaths(), [1000, 1000, 0, 0, 0, 0]);
    for number in 1..=100 {
        live.push(10 + number, key(0), 1, Nanos::ZERO);
    }
    // One dies in each collection.
    for number in 1..=100 {
        collection(&mut live, true, |word| if word == 10 + number { Fate::Dead } else { Fate::Young });
    }
    assert_eq!(live.deaths(), [1001, 1002, 4, 8, 16, 69]);
}

#[test]
fn bytes_allocated_grow_with_the_object_and_never_shrink() {
    let mut live = LiveObjects::new(10);
    live.push(8, key(0), 500, Nanos::ZERO);
    let mut object: LiveObject = *live.iter().next().expect("an object");
    assert_eq!(object.grow_to(40), 20_000);
    assert_eq!(object.grow_to(40), 0);
    assert_eq!(object.grow_to(100), 30_000);
    assert_eq!(object.grow_to(40), 0, "it has become smaller");
    assert_eq!(object.bytes(), 20_000);
    assert_eq!(object.grow_to(110), 5_000);
}

#[test]
fn addresses_follow_objects_that_move() {
    let mut live = with(1..=4);
    collection(&mut live, false, |word| if word < 3 { Fate::Old } else { Fate::Young });
    live.iter_mut().for_each(|object| object.word += 100);
    assert_eq!(words(&live), [101, 102, 103, 104]);
}

#[test]
fn objects_of_a_request_have_its_name_when_it_is_over() {
    let mut live = LiveObjects::new(10);
    let in_work = |work, set| Labelling { set: LabelSetId(set), work: WorkId(work) };
    for (word, work) in [(1, 1), (2, 2), (3, 1)] {
        live.push(word, SampleKey { labels: in_work(work, 5), ..key(0) }, 1, Nanos::ZERO);
    }
    collection(&mut live, false, |word| if word == 3 { Fate::Dead } else { Fate::Old });
    live.settle(WorkId(1), |set| LabelSetId(set.0 + 1));
    let mut labels: Vec<_> = live.iter().map(|object| (object.word, object.key.labels)).collect();
    labels.sort_by_key(|(word, _)| *word);
    assert_eq!(labels, [(1, in_work(0, 6)), (2, in_work(2, 5))]);
}

#[test]
fn there_is_no_more_than_the_limit() {
    let mut live = LiveObjects::new(4);
    (0..10).for_each(|word| live.push(word, key(0), 1, Nanos::ZERO));
    assert!(live.is_full());
    assert_eq!(words(&live), [0, 1, 2, 3]);
}

/// A generator by itself: the tests say who stays.
fn coin(seed: u64) -> impl FnMut() -> bool {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state >> 63 == 1
    }
}

/// Of 10,000 objects of one stack and 1,000 of another, with room for 512: what the records say in
/// the end.
fn estimates(seed: u64) -> [f64; 2] {
    let (mut live, mut coin) = (LiveObjects::new(512), coin(seed));
    let mut interval = 1;
    for number in 0..11_000 {
        // One in `interval`, by chance.
        let mut halvings = interval;
        while halvings > 1 && coin() {
            halvings /= 2;
        }
        if halvings > 1 {
            continue;
        }
        let weight = interval;
        interval = live.halve(interval, &mut coin);
        live.push(number, key(u32::from(number % 11 == 0)), weight, Nanos::ZERO);
    }
    [0, 1].map(|stack| {
        let of_stack = live.iter().filter(|object| object.key == key(stack));
        of_stack.map(|object| object.weight as f64).sum()
    })
}

#[test]
fn halving_goes_on_until_there_is_room() {
    let (mut live, mut tosses) = (LiveObjects::new(2), [true, true, true, false].into_iter());
    (0..2).for_each(|word| live.push(word, key(0), 1, Nanos::ZERO));
    assert_eq!(live.halve(500, || tosses.next().expect("there are four")), 2_000);
    live.push(2, key(0), 500, Nanos::ZERO);
    assert_eq!(live.iter().map(|object| object.weight).collect::<Vec<_>>(), [4, 500]);
}

#[test]
fn halving_leaves_sums_as_they_were_but_for_chance() {
    const SEEDS: u32 = 200;
    let all: Vec<_> = (1..=u64::from(SEEDS)).map(estimates).collect();
    for (row, truth) in [(0, 10_000.0), (1, 1_000.0)] {
        let mean = all.iter().map(|sums| sums[row]).sum::<f64>() / f64::from(SEEDS);
        let variance = all.iter().map(|sums| (sums[row] - mean).powi(2)).sum::<f64>() / f64::from(SEEDS - 1);
        let error = (variance / f64::from(SEEDS)).sqrt();
        assert!((mean - truth).abs() < 3.0 * error, "{mean} of {truth}, standard error {error}");
    }
}
