//! The ring of ticks, used by one thread.

use std::sync::atomic::AtomicUsize;

use rperf_core::collect::{SlotId, TickFrame, TickInfo, TickKind, TickRing};
use rperf_core::ids::LabelSetId;
use rperf_core::time::Nanos;

/// A ring with memory of its own, which is never given back: a test's is small.
pub fn ring(slots: usize, frames: usize) -> TickRing {
    let words: Vec<AtomicUsize> =
        (0..TickRing::words_needed(slots, frames)).map(|_| AtomicUsize::new(0)).collect();
    TickRing::new(Box::leak(words.into_boxed_slice()), slots, frames)
}

/// A frame whose words all differ, and differ from those of every other number.
pub fn frame(number: usize) -> TickFrame {
    let word = number * 4 + 1_000;
    TickFrame { pc: word, iseq: word + 1, method: word + 2, ep: word + 3 }
}

/// A tick whose figures all differ.
pub fn info(number: usize) -> TickInfo {
    TickInfo {
        kind: [TickKind::Running, TickKind::Asleep, TickKind::InKernel, TickKind::Missed][number % 4],
        wall: Nanos(number as u64 + 1),
        cpu: Nanos(number as u64 + 2),
        cfp: number + 3,
        labels: LabelSetId(number as u32 + 4),
        ip: number + 5,
        operands: [number + 6, number + 7, number + 8],
        jit: number.is_multiple_of(3),
        truncated: number.is_multiple_of(5),
        count: number as u32 + 9,
        remote: number.is_multiple_of(7),
        settled: number.is_multiple_of(11),
        switches: number as u64 + 10,
        due: Nanos(number as u64 + 11),
        other_method: number + 12,
        number: number as u64 + 13,
        shared: number + 14,
        covers: Nanos(number as u64 + 15),
        collections: number as u64 + 16,
    }
}

fn claim_all(ring: &TickRing) -> Vec<SlotId> {
    std::iter::from_fn(|| ring.claim()).collect()
}

fn words(ring: &TickRing) -> Vec<usize> {
    let mut words = Vec::new();
    ring.for_each_word(|word| words.push(word));
    words
}

#[test]
fn every_slot_is_handed_out_once() {
    for slots in [1, 5, 63, 64] {
        let ring = ring(slots, 1);
        let mut numbers: Vec<_> = claim_all(&ring).into_iter().map(SlotId::number).collect();
        numbers.sort_unstable();
        assert_eq!(numbers, (0..slots as u32).collect::<Vec<_>>());
        assert_eq!(ring.claim(), None);
    }
}

#[test]
fn a_released_slot_can_be_claimed_again() {
    let ring = ring(4, 1);
    let slots = claim_all(&ring);
    ring.release(slots[2]);
    assert_eq!(ring.claim(), Some(slots[2]));
    assert_eq!(ring.claim(), None);
    slots.iter().for_each(|slot| ring.release(*slot));
    assert_eq!(claim_all(&ring).len(), 4);
}

#[test]
fn all_slots_can_be_given_back_at_once() {
    let ring = ring(3, 1);
    let all = claim_all(&ring);
    ring.release_all();
    assert_eq!(claim_all(&ring), all);
}

#[test]
fn a_ring_without_slots_has_nothing_to_claim() {
    assert_eq!(ring(0, 8).claim(), None);
}

#[test]
#[should_panic(expected = "room for the slots")]
fn too_little_memory_is_noticed() {
    let words: &'static [AtomicUsize] = Box::leak(Box::new([const { AtomicUsize::new(0) }; 10]));
    let _ring = TickRing::new(words, 2, 8);
}

#[test]
fn slots_do_not_touch_each_other() {
    let ring = ring(64, 7);
    assert_eq!(ring.frame_capacity(), 7);
    let slots = claim_all(&ring);
    for (number, slot) in slots.iter().enumerate() {
        assert!((0..7).all(|index| ring.write_frame(*slot, index, frame(number * 100 + index))));
        ring.write_info(*slot, 7, &info(number));
    }
    for (number, slot) in slots.iter().enumerate() {
        assert_eq!(ring.depth(*slot), 7);
        assert_eq!(ring.info(*slot), info(number));
        let read: Vec<_> = (0..7).map(|index| ring.frame(*slot, index)).collect();
        let written: Vec<_> = (0..7).map(|index| frame(number * 100 + index)).collect();
        assert_eq!(read, written);
    }
}

#[test]
fn extreme_figures_come_back() {
    let ring = ring(1, 1);
    let slot = ring.claim().expect("one is free");
    let extreme = TickInfo {
        wall: Nanos(u64::MAX),
        cpu: Nanos(u64::MAX),
        cfp: usize::MAX,
        labels: LabelSetId(u32::MAX),
        ip: usize::MAX,
        operands: [usize::MAX; 3],
        count: u32::MAX,
        switches: u64::MAX,
        due: Nanos(u64::MAX),
        number: u64::MAX,
        shared: usize::MAX,
        ..info(0)
    };
    ring.write_info(slot, 0, &extreme);
    assert_eq!((ring.depth(slot), ring.info(slot)), (0, extreme));
}

#[test]
fn a_stack_deeper_than_a_slot_is_cut() {
    let ring = ring(2, 3);
    let first = ring.claim().expect("free");
    let second = ring.claim().expect("free");
    ring.write_frame(second, 0, frame(77));
    let written = (0..10).take_while(|index| ring.write_frame(first, *index, frame(*index))).count();
    assert_eq!(written, 3);
    // A depth that claims more than fits (memory that was overwritten) does not lead out of the slot.
    ring.write_info(first, 10, &info(1));
    assert_eq!(ring.depth(first), 3);
    assert_eq!(
        (0..3).map(|index| ring.frame(first, index)).collect::<Vec<_>>(),
        [frame(0), frame(1), frame(2)]
    );
    assert_eq!(ring.frame(second, 0), frame(77));
}

#[test]
fn the_collector_sees_what_waits_and_nothing_else() {
    let ring = ring(4, 3);
    assert_eq!(words(&ring), Vec::<usize>::new());
    let slots = claim_all(&ring);
    for (number, slot) in slots.iter().enumerate() {
        (0..3).for_each(|index| assert!(ring.write_frame(*slot, index, frame(number * 10 + index))));
        ring.write_info(*slot, number, &info(number * 1_000_000));
    }
    ring.release(slots[3]);
    ring.release(slots[1]);
    let of_frame = |number: usize| [frame(number).iseq, frame(number).method];
    let of_info = |number: usize| [&info(number).operands[..], &[info(number).other_method]].concat();
    let expected = [of_info(0), of_frame(20).to_vec(), of_frame(21).to_vec(), of_info(2_000_000)].concat();
    assert_eq!(words(&ring), expected);
}

#[test]
fn a_slot_that_is_used_again_shows_its_new_frames_only() {
    let ring = ring(1, 4);
    let slot = ring.claim().expect("free");
    (0..4).for_each(|index| assert!(ring.write_frame(slot, index, frame(index))));
    ring.write_info(slot, 4, &info(0));
    ring.release(slot);
    let slot = ring.claim().expect("free again");
    assert!(ring.write_frame(slot, 0, frame(50)));
    ring.write_info(slot, 1, &info(2));
    let mut expected = vec![frame(50).iseq, frame(50).method];
    expected.extend(info(2).operands);
    expected.push(info(2).other_method);
    assert_eq!(words(&ring), expected);
}

#[test]
fn a_slot_survives_as_a_number() {
    let ring = ring(3, 1);
    let slot = claim_all(&ring)[2];
    assert_eq!(SlotId::from_number(slot.number()), slot);
}
