//! Native instructions of ticks: in the ring, in the buffer, and merged by function.

use rperf_core::collect::{Aggregator, DropCause, Limits, SampleBuffer, TickInfo};
use rperf_core::ids::{FrameId, LabelSetId, NativeId, ThreadSeq};
use rperf_core::state::VmState;
use rperf_core::time::Nanos;

use crate::ring::{frame, info, ring};

/// What was aggregated: function, count, weight.
type Merged = Vec<(u32, u64, u64)>;

fn buffer_with(count: u32, weight: u64, ips: &[usize]) -> SampleBuffer {
    let mut buffer = SampleBuffer::new();
    let stack = buffer.push_stack(&[FrameId(1), FrameId(2)]).expect("room");
    buffer.push_native(stack, ThreadSeq(1), LabelSetId(0), count, Nanos(weight), ips);
    buffer
}

fn parts(buffer: &SampleBuffer) -> Vec<(u64, u32, u64)> {
    buffer.samples().map(|(record, _)| (record.ip, record.count, record.weight.0)).collect()
}

fn merged(aggregator: &Aggregator) -> Merged {
    let samples = aggregator.take_snapshot().samples;
    samples.iter().map(|sample| (sample.native.0, sample.count, sample.weight.0)).collect()
}

/// Hundreds of instructions are one function; those from 1000 on cannot be named.
fn by_hundreds(ip: u64) -> Option<NativeId> {
    (ip < 1000).then(|| NativeId(u32::try_from(ip / 100).expect("small")))
}

#[test]
fn a_slot_keeps_the_instructions_of_merged_ticks_behind_its_frames() {
    let ring = ring(2, 8);
    let slot = ring.claim().expect("free");
    (0..2).for_each(|index| assert!(ring.write_frame(slot, index, frame(index))));
    ring.write_info(slot, 2, &TickInfo { ip: 70, count: 1, remote: false, ..info(0) });
    assert_eq!(ring.ips(slot).collect::<Vec<_>>(), [70]);
    for count in 2..=20 {
        ring.write_info(slot, 2, &TickInfo { count, ..ring.info(slot) });
        ring.add_ip(slot, count, 100 + count as usize);
    }
    let expected: Vec<_> = std::iter::once(70).chain(102..=120).collect();
    assert_eq!(ring.ips(slot).collect::<Vec<_>>(), expected);
    assert_eq!((ring.frame(slot, 0), ring.frame(slot, 1)), (frame(0), frame(1)));
}

#[test]
fn a_full_slot_keeps_a_fair_choice() {
    let ring = ring(2, 30);
    let (slot, other) = (ring.claim().expect("free"), ring.claim().expect("free"));
    ring.write_frame(other, 0, frame(9));
    ring.write_info(slot, 5, &TickInfo { ip: 1, count: 1, remote: false, ..info(0) });
    let ticks = 1_001_u32;
    for count in 2..=ticks {
        ring.write_info(slot, 5, &TickInfo { count, ..ring.info(slot) });
        ring.add_ip(slot, count, count as usize);
    }
    let kept: Vec<_> = ring.ips(slot).skip(1).collect();
    assert_eq!(kept.len(), 100, "as many as there are words behind five frames");
    let late = kept.iter().filter(|ip| **ip > 500).count();
    assert!((30..=70).contains(&late), "{late} of 100 are from the second half");
    assert_eq!(ring.frame(other, 0), frame(9), "the next slot is untouched");
}

#[test]
fn a_slot_full_of_frames_keeps_the_first_instruction() {
    let ring = ring(1, 3);
    let slot = ring.claim().expect("free");
    (0..3).for_each(|index| assert!(ring.write_frame(slot, index, frame(index))));
    ring.write_info(slot, 3, &TickInfo { ip: 5, count: 2, remote: false, ..info(0) });
    ring.add_ip(slot, 2, 6);
    assert_eq!(ring.ips(slot).collect::<Vec<_>>(), [5]);
    assert_eq!(ring.frame(slot, 2), frame(2));
}

#[test]
fn ticks_from_outside_have_no_instruction() {
    let ring = ring(1, 3);
    let slot = ring.claim().expect("free");
    ring.write_info(slot, 0, &TickInfo { ip: 0, count: 3, remote: true, ..info(0) });
    assert_eq!(ring.ips(slot).count(), 0);
}

#[test]
fn some_slots_can_be_left_to_others() {
    let ring = ring(4, 1);
    let first = ring.claim_spare(2).expect("three are left");
    assert!(ring.claim_spare(2).is_some());
    assert_eq!(ring.claim_spare(2), None);
    ring.release(first);
    assert_eq!(ring.claim_spare(2), Some(first));
}

#[test]
fn time_and_ticks_are_shared_out_without_loss() {
    assert_eq!(parts(&buffer_with(3, 11, &[7, 8, 9])), [(7, 1, 4), (8, 1, 4), (9, 1, 3)]);
    assert_eq!(
        parts(&buffer_with(5, 4, &[7, 7])),
        [(7, 3, 2), (7, 2, 2)],
        "more ticks than instructions were kept"
    );
    assert_eq!(parts(&buffer_with(1, 4, &[7, 8])), [(7, 1, 2), (8, 0, 2)]);
    assert_eq!(parts(&buffer_with(2, 9, &[])), [(0, 2, 9)]);
}

#[test]
fn a_buffer_without_room_for_all_parts_takes_the_whole() {
    let mut buffer = SampleBuffer::new();
    let stack = buffer.push_stack(&[FrameId(1)]).expect("room");
    let many = vec![5; SampleBuffer::RECORDS * 16 + 1];
    buffer.push_native(stack, ThreadSeq(1), LabelSetId(0), 9, Nanos(90), &many);
    assert_eq!(parts(&buffer), [(0, 9, 90)]);
}

#[test]
fn samples_are_merged_by_function() {
    let mut aggregator = Aggregator::new(true, Limits::default());
    let ips: Vec<usize> = (100..300).collect();
    aggregator.aggregate_native(&buffer_with(200, 2_000, &ips), by_hundreds);
    aggregator.aggregate_native(&buffer_with(1, 50, &[199]), by_hundreds);
    aggregator.aggregate_native(&buffer_with(1, 7, &[]), by_hundreds);
    assert_eq!(merged(&aggregator), [(0, 1, 7), (1, 101, 1_050), (2, 100, 1_000)]);
    assert_eq!(aggregator.take_snapshot().unique_stacks, 1, "the stack below is kept once");
}

#[test]
fn what_cannot_be_named_is_counted_and_keeps_its_time() {
    let mut aggregator = Aggregator::new(true, Limits::default());
    aggregator.aggregate_native(&buffer_with(3, 30, &[100, 5_000, 6_000]), by_hundreds);
    assert_eq!(merged(&aggregator), [(0, 2, 20), (1, 1, 10)]);
    let drops = aggregator.take_snapshot().drops.to_list();
    assert_eq!(drops, [(DropCause::UnknownNative.name().to_owned(), 2, Nanos::ZERO)]);
}

#[test]
fn raw_samples_keep_each_instructions_function() {
    let mut aggregator = Aggregator::new(false, Limits::default());
    aggregator.aggregate_native(&buffer_with(4, 8, &[100, 200]), by_hundreds);
    assert_eq!(merged(&aggregator), [(1, 1, 2), (1, 1, 2), (2, 1, 2), (2, 1, 2)]);
}

#[test]
fn only_running_threads_have_native_functions() {
    let mut buffer = buffer_with(1, 5, &[100]);
    let stack = buffer.push_stack(&[FrameId(1)]).expect("room");
    buffer.push(stack, VmState::GcMark, ThreadSeq(1), LabelSetId(0), 1, Nanos(6));
    assert!(buffer.has_ips());
    assert_eq!(parts(&buffer), [(100, 1, 5), (0, 1, 6)]);
    buffer.clear();
    assert!(!buffer.has_ips());
}
