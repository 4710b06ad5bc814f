//! What runs at every tick and in hooks must not allocate once it knows what it meets: counted by
//! an allocator that notes what the calling thread asks for.

mod counting;

use counting::allocations;
use rperf_core::collect::{
    Aggregator, Fate, FrameTable, LabelSteps, LabelWord, Labelling, LiveObjects, RawFrame, SampleKey,
    StackTable, Time,
};
use rperf_core::ids::{FrameId, KindId, LabelSetId, StackId, ThreadSeq, WorkId};
use rperf_core::state::VmState;
use rperf_core::time::Nanos;

const STACKS: u64 = 2_000;
const DEPTH: u64 = 60;

fn raw(number: u64) -> RawFrame {
    RawFrame { method: number * 8, code: number, pc: 1, operand: 0 }
}

/// Frames, stacks and samples, as a session has them.
struct Tables {
    frames: FrameTable,
    stacks: StackTable,
    aggregator: Aggregator,
}

impl Tables {
    fn new(merge: bool) -> Self {
        Self {
            frames: FrameTable::new(1 << 20),
            stacks: StackTable::new(1 << 20),
            aggregator: Aggregator::new(merge, 1 << 20),
        }
    }

    /// The samples of a program: stacks with common callers, in every state.
    fn tick_all(&mut self) {
        for number in 0..STACKS {
            let stack = (0..DEPTH).fold(StackTable::EMPTY, |callers, depth| {
                let frame = self.frames.intern(raw(depth * 100 + number % (depth + 1))).expect("room");
                self.stacks.intern(callers, frame).expect("room")
            });
            let state = VmState::ALL[number as usize % VmState::ALL.len()];
            self.aggregator.add(key(stack, state), Time::new(Nanos(number), 1), Nanos::ZERO);
        }
    }
}

fn key(stack: StackId, state: VmState) -> SampleKey {
    SampleKey { stack, state, thread: ThreadSeq(1), labels: Labelling::default(), kind: KindId::NONE }
}

#[test]
fn the_counter_counts() {
    assert_eq!(allocations(|| ()), 0);
    assert_eq!(allocations(|| drop(std::hint::black_box(Box::new(7)))), 1);
    let mut list = vec![0_u8; 1];
    assert_eq!(allocations(|| list.reserve_exact(1_000)), 1, "growing counts");
}

#[test]
fn ticks_that_meet_what_is_known_allocate_nothing() {
    let mut tables = Tables::new(true);
    assert!(allocations(|| tables.tick_all()) > 0, "at first they are new");
    let (stacks, samples) = (tables.stacks.nodes().len(), tables.aggregator.len());
    assert_eq!(allocations(|| (0..10).for_each(|_| tables.tick_all())), 0);
    assert_eq!((tables.stacks.nodes().len(), tables.aggregator.len()), (stacks, samples));
}

#[test]
fn a_cleared_aggregator_keeps_its_memory() {
    let mut tables = Tables::new(true);
    tables.tick_all();
    tables.aggregator.drain();
    assert_eq!(allocations(|| tables.tick_all()), 0);
}

#[test]
fn raw_samples_allocate_each_time_that_their_list_doubles() {
    let mut tables = Tables::new(false);
    tables.tick_all();
    let key = key(StackId(1), VmState::Running);
    let mut add = |time| _ = tables.aggregator.add(key, Time::new(Nanos(time), 1), Nanos::ZERO);
    assert!(allocations(|| (0..1 << 20).for_each(&mut add)) <= 20);
}

#[test]
fn what_finds_no_room_allocates_nothing() {
    let mut frames = FrameTable::new(10);
    (0..10).for_each(|number| assert!(frames.intern(raw(number)).is_some()));
    let mut stacks = StackTable::new(10);
    let mut intern = |number| stacks.intern(StackTable::EMPTY, FrameId(number));
    (0..10).for_each(|number| assert!(intern(number).is_some()));
    let refuse = || {
        (10..10_000).for_each(|number| {
            assert!(frames.intern(raw(number)).is_none());
            assert!(intern(number as u32).is_none());
        });
    };
    assert_eq!(allocations(refuse), 0);
    for merge in [true, false] {
        let mut aggregator = Aggregator::new(merge, 10);
        let mut add = |number| {
            _ = aggregator.add(key(StackId(number), VmState::Running), Time::new(Nanos(1), 1), Nanos::ZERO)
        };
        (0..10).for_each(&mut add);
        assert_eq!(allocations(|| (10..10_000).for_each(add)), 0);
        assert_eq!(aggregator.counted.drops.to_list()[0].1, 9_990);
    }
}

#[test]
fn label_steps_are_found_without_allocating() {
    let mut steps = LabelSteps::default();
    let words = [LabelWord::Unique(7), LabelWord::Text(b"/orders/1")];
    steps.remember(LabelSetId(0), &words, LabelSetId(1));
    let mut found = None;
    assert_eq!(allocations(|| found = steps.find(LabelSetId(0), &words)), 0);
    assert_eq!(found, Some(LabelSetId(1)));
}

#[test]
fn requests_that_are_like_others_allocate_nothing() {
    for merge in [true, false] {
        let mut aggregator = Aggregator::new(merge, 1 << 20);
        let mut request = |number| {
            let open = Labelling { set: LabelSetId(1), work: WorkId(number) };
            for stack in 0..50 {
                let key = SampleKey { labels: open, ..key(StackId(stack), VmState::Running) };
                aggregator.add(key, Time::new(Nanos(1), 1), Nanos::ZERO);
            }
            aggregator.settle(open.work, |_| LabelSetId(2).into());
        };
        (1..20).for_each(&mut request);
        // From 950 to 10,000 samples, a list of raw ones doubles four times.
        assert_eq!(allocations(|| (20..200).for_each(request)), if merge { 0 } else { 4 });
    }
}

#[test]
fn collections_look_at_objects_without_allocating() {
    let mut live = LiveObjects::new(50_000);
    (0..50_000).for_each(|word| live.push(word, key(StackId(1), VmState::Running), 1, Nanos::ZERO));
    let fates = [Fate::Dead, Fate::Young, Fate::Old, Fate::Old];
    let collect = || {
        let mut tosses = 0;
        live.halve(1, || {
            tosses += 1;
            tosses % 2 == 0
        });
        for collection in 0..8 {
            live.end_of_marking(collection % 3 == 2, |word| fates[(word + collection) % 4], |_| ());
            live.iter_mut().for_each(|object| object.word += 1);
        }
    };
    assert_eq!(allocations(collect), 0);
    assert!(live.len() > 0);
}
