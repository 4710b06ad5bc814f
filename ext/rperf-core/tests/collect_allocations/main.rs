//! What runs inside of signal handlers, hooks and the collector must not allocate: counted by an allocator
//! that notes what the calling thread asks for.

mod counting;

use std::sync::atomic::AtomicUsize;

use counting::allocations;
use rperf_core::collect::{FrameTable, RawFrame, SampleBuffer, TickFrame, TickInfo, TickKind, TickRing};
use rperf_core::ids::{FrameId, LabelSetId, ThreadSeq};
use rperf_core::state::VmState;
use rperf_core::time::Nanos;

fn raw(number: u64) -> RawFrame {
    RawFrame { method: number * 8, code: number, position: 1, operand: 0 }
}

/// Another leaf, so that it is another stack.
fn change(stack: &mut [FrameId]) {
    stack.iter_mut().take(1).for_each(|leaf| leaf.0 += 1);
}

fn fill(buffer: &mut SampleBuffer, stack: &mut [FrameId]) {
    while !buffer.is_due() {
        change(stack);
        let stack = buffer.push_stack(stack).expect("it is not full");
        buffer.push(stack, VmState::Running, ThreadSeq(1), LabelSetId(0), 1, Nanos(1));
    }
}

#[test]
fn the_counter_counts() {
    assert_eq!(allocations(|| ()), 0);
    assert_eq!(allocations(|| drop(std::hint::black_box(Box::new(7)))), 1);
    let mut list = vec![0_u8; 1];
    assert_eq!(allocations(|| list.reserve_exact(1_000)), 1, "growing counts");
}

#[test]
fn a_buffer_is_filled_without_allocating() {
    let mut buffer = SampleBuffer::new();
    for depth in [0, 1, 60, 1_000] {
        let mut stack = vec![FrameId(3); depth];
        assert_eq!(allocations(|| fill(&mut buffer, &mut stack)), 0, "depth {depth}");
        assert_eq!(allocations(|| buffer.clear()), 0, "depth {depth}");
    }
}

#[test]
fn a_buffer_that_grew_gives_back_what_it_grew_by() {
    let mut buffer = SampleBuffer::new();
    let mut stack = vec![FrameId(3); 100];
    let mut push_all = |buffer: &mut SampleBuffer| {
        allocations(|| {
            while buffer.push_stack(&stack).is_some() {
                change(&mut stack);
            }
        })
    };
    let grown = push_all(&mut buffer);
    assert!(grown > 0, "it had to grow");
    buffer.clear();
    // What the buffer kept is its first size: filling it up to there needs nothing, more than that does.
    assert_eq!(allocations(|| fill(&mut buffer, &mut [FrameId(3); 100])), 0);
    buffer.clear();
    assert_eq!(push_all(&mut buffer), grown, "it had kept what it grew by");
}

#[test]
fn known_frames_are_interned_without_allocating() {
    let mut table = FrameTable::new(100_000);
    for number in 0..50_000 {
        table.intern_frame(raw(number)).expect("room");
    }
    let intern_all = || (0..50_000).for_each(|number| assert!(table.intern_frame(raw(number)).is_some()));
    assert_eq!(allocations(intern_all), 0);
}

#[test]
fn the_first_frames_of_a_session_need_no_allocation() {
    let mut table = FrameTable::new(1 << 20);
    let intern = || (0..4_096).for_each(|number| assert!(table.intern_frame(raw(number)).is_some()));
    assert_eq!(allocations(intern), 0);
}

#[test]
fn a_refused_frame_allocates_nothing() {
    let mut table = FrameTable::new(10);
    (0..10).for_each(|number| assert!(table.intern_frame(raw(number)).is_some()));
    let refuse = || (10..10_000).for_each(|number| assert!(table.intern_frame(raw(number)).is_none()));
    assert_eq!(allocations(refuse), 0);
}

#[test]
fn ticks_are_written_and_read_without_allocating() {
    const SLOTS: usize = 64;
    const FRAMES: usize = 200;
    let words: Vec<_> = (0..TickRing::words_needed(SLOTS, FRAMES)).map(|_| AtomicUsize::new(0)).collect();
    let words: &'static [AtomicUsize] = Box::leak(words.into_boxed_slice());
    let mut read = 0;
    let round_trip = || {
        let ring = TickRing::new(words, SLOTS, FRAMES);
        while let Some(slot) = ring.claim() {
            for index in 0..=FRAMES {
                let frame = TickFrame { pc: index, iseq: index, method: index, ep: index };
                assert_eq!(ring.write_frame(slot, index, frame), index < FRAMES);
            }
            ring.write_info(slot, FRAMES / 2, &INFO);
            (2..1_000).for_each(|count| ring.add_ip(slot, count, 7));
            read += ring.ips(slot).count();
        }
        ring.for_each_word(|word| read += word);
        for slot in (0..SLOTS as u32).map(rperf_core::collect::SlotId::from_number) {
            read += ring.frame(slot, ring.depth(slot) - 1).pc + ring.info(slot).cfp;
            ring.release(slot);
        }
    };
    assert_eq!(allocations(round_trip), 0);
    assert!(read > 0);
}

const INFO: TickInfo = TickInfo {
    kind: TickKind::Running,
    wall: Nanos(1),
    cpu: Nanos(2),
    cfp: 3,
    labels: LabelSetId(4),
    ip: 5,
    operands: [6, 7, 8],
    jit: false,
    truncated: true,
    count: 1,
    remote: false,
    settled: true,
    switches: 0,
    due: Nanos(9),
    other_method: 10,
    number: 11,
    shared: 12,
    covers: Nanos(13),
    collections: 14,
};
