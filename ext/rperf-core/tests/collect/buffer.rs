//! The buffer: what goes in comes out, and it never grows beyond its bounds.

use rperf_core::collect::SampleBuffer;
use rperf_core::ids::{FrameId, LabelSetId, ThreadSeq};
use rperf_core::state::VmState;
use rperf_core::time::Nanos;

use crate::samples::{Sample, buffer, ids, sample};

/// How many times its first size a buffer may have.
const GROWTH: usize = 16;

fn push_tick(buffer: &mut SampleBuffer, frames: &[FrameId]) -> bool {
    let Some(stack) = buffer.push_stack(frames) else { return false };
    buffer.push(stack, VmState::Running, ThreadSeq(1), LabelSetId(0), 1, Nanos(1));
    true
}

/// A stack of so many frames, another one for each number.
fn numbered(number: usize, depth: usize) -> Vec<FrameId> {
    let leaf = u32::try_from(number).expect("a small number");
    std::iter::once(FrameId(leaf)).chain(vec![FrameId(7); depth - 1]).collect()
}

#[test]
fn samples_come_out_with_their_stacks_in_order() {
    let all = [
        sample(&[3, 2, 1], 10),
        sample(&[], 1),
        Sample { state: VmState::GvlBlocked, thread: 9, labels: 4, count: 2, ..sample(&[1], 7) },
    ];
    let buffer = buffer(&all);
    assert!(!buffer.is_empty());
    let out: Vec<_> = buffer
        .samples()
        .map(|(record, frames)| Sample {
            stack: frames.iter().map(|id| id.0).collect(),
            state: record.state,
            thread: record.thread.0,
            labels: record.labels.0,
            count: u64::from(record.count),
            weight: record.weight.0,
        })
        .collect();
    assert_eq!(out, all);
}

#[test]
fn one_stack_serves_several_samples() {
    let mut buffer = SampleBuffer::new();
    let stack = buffer.push_stack(&ids(&[8, 9])).expect("room");
    for state in [VmState::GvlBlocked, VmState::GvlWait] {
        buffer.push(stack, state, ThreadSeq(1), LabelSetId(0), 1, Nanos(5));
    }
    let stacks: Vec<_> = buffer.samples().map(|(record, frames)| (record.state, frames.to_vec())).collect();
    assert_eq!(stacks, [(VmState::GvlBlocked, ids(&[8, 9])), (VmState::GvlWait, ids(&[8, 9]))]);
}

#[test]
fn it_is_due_before_it_must_grow() {
    let mut by_records = SampleBuffer::new();
    let mut pushed = 0;
    while !by_records.is_due() {
        assert!(push_tick(&mut by_records, &[]));
        pushed += 1;
    }
    assert_eq!(pushed, SampleBuffer::HANDOFF_RECORDS);
    const { assert!(SampleBuffer::HANDOFF_RECORDS < SampleBuffer::RECORDS) };

    let mut by_frames = SampleBuffer::new();
    let mut frames = 0;
    while !by_frames.is_due() {
        assert!(push_tick(&mut by_frames, &numbered(frames, 1000)));
        frames += 1000;
    }
    assert!(frames < SampleBuffer::FRAMES, "due at {frames} frames");
}

#[test]
fn a_buffer_that_nobody_takes_grows_and_then_refuses() {
    let mut by_records = SampleBuffer::new();
    let refused_at = (0..).position(|_| !push_tick(&mut by_records, &[FrameId(1)])).expect("it refuses");
    assert!(refused_at > SampleBuffer::RECORDS, "refused at {refused_at}");
    assert!(refused_at <= SampleBuffer::RECORDS * GROWTH, "refused at {refused_at}");
    assert_eq!(by_records.samples().count(), refused_at);

    let mut by_frames = SampleBuffer::new();
    let refused_at = (0..).position(|number| !push_tick(&mut by_frames, &numbered(number, 4096)));
    assert_eq!(refused_at.expect("it refuses") * 4096, SampleBuffer::FRAMES * GROWTH);
    assert!(push_tick(&mut by_frames, &[]), "a stack that fits is still taken");
}

#[test]
fn a_stack_that_was_taken_has_room_for_its_samples() {
    let mut buffer = SampleBuffer::new();
    let mut records = 0;
    while let Some(stack) = buffer.push_stack(&[]) {
        for _ in 0..4 {
            buffer.push(stack, VmState::Running, ThreadSeq(1), LabelSetId(0), 1, Nanos(1));
            records += 1;
        }
    }
    assert_eq!(records, SampleBuffer::RECORDS * GROWTH);
}

#[test]
fn a_stack_larger_than_everything_is_refused_without_a_trace() {
    let mut buffer = SampleBuffer::new();
    assert!(buffer.push_stack(&vec![FrameId(1); SampleBuffer::FRAMES * GROWTH + 1]).is_none());
    assert!(buffer.is_empty());
    assert!(push_tick(&mut buffer, &vec![FrameId(1); SampleBuffer::FRAMES * GROWTH]));
}

#[test]
fn a_cleared_buffer_is_as_new() {
    let mut buffer = SampleBuffer::new();
    (0..).take_while(|number| push_tick(&mut buffer, &numbered(*number, 64))).for_each(drop);
    buffer.clear();
    assert!(buffer.is_empty() && !buffer.is_due());
    assert_eq!(buffer.samples().count(), 0);
    assert!(push_tick(&mut buffer, &ids(&[2])));
    assert_eq!(buffer.samples().map(|(_, frames)| frames.to_vec()).collect::<Vec<_>>(), [ids(&[2])]);
}

#[test]
fn the_stacks_of_a_loop_are_put_in_once() {
    let mut buffer = SampleBuffer::new();
    let turns = SampleBuffer::HANDOFF_RECORDS - 1;
    for turn in 0..turns {
        assert!(push_tick(&mut buffer, &numbered(turn % 4, 200)));
    }
    assert!(!buffer.is_due(), "they take the room of four");
    for (turn, (_, frames)) in buffer.samples().enumerate() {
        assert_eq!(frames, numbered(turn % 4, 200));
    }
    buffer.clear();
    for turn in 0..4 {
        assert!(push_tick(&mut buffer, &numbered(turn + 1, 200)));
    }
    let leaves: Vec<_> = buffer.samples().map(|(_, frames)| frames[0].0).collect();
    assert_eq!(leaves, [1, 2, 3, 4], "what was there before it was cleared is forgotten");
}
