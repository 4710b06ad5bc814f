//! The stack table: a tree of prefixes.

use rperf_core::collect::StackTable;
use rperf_core::ids::{FrameId, StackId};

/// The id of a stack, the outermost frame first.
fn intern(table: &mut StackTable, frames: &[u32]) -> Option<StackId> {
    frames.iter().try_fold(StackTable::EMPTY, |parent, frame| table.intern(parent, FrameId(*frame)))
}

/// The frames of a stack, the outermost first.
fn frames(table: &StackTable, stack: StackId) -> Vec<u32> {
    let mut frames: Vec<_> = table.nodes().frames(stack).map(|frame| frame.0).collect();
    frames.reverse();
    frames
}

#[test]
fn what_goes_in_comes_out() {
    let stacks: Vec<Vec<u32>> = (0..2_000_u32)
        .map(|number| (0..number % 7).map(|depth| number / (depth + 1) % 5).collect())
        .collect();
    let mut table = StackTable::new(1 << 20);
    let ids: Vec<_> = stacks.iter().map(|stack| intern(&mut table, stack).expect("room")).collect();
    for (stack, id) in stacks.iter().zip(&ids) {
        assert_eq!(&frames(&table, *id), stack);
        assert_eq!(intern(&mut table, stack), Some(*id), "known");
    }
    let mut different = ids.clone();
    different.sort_unstable();
    different.dedup();
    let mut distinct = stacks.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(different.len(), distinct.len(), "equal stacks have equal ids, and others other ones");
}

#[test]
fn callers_are_stored_once() {
    let mut table = StackTable::new(100);
    assert_eq!(table.nodes().len(), 0);
    intern(&mut table, &[1, 2, 3]);
    assert_eq!(table.nodes().len(), 3);
    intern(&mut table, &[1, 2, 4]);
    intern(&mut table, &[1, 2]);
    assert_eq!(table.nodes().len(), 4);
    intern(&mut table, &[2, 1, 2]);
    assert_eq!(table.nodes().len(), 7, "the same frames below others");
}

#[test]
fn a_recursion_is_as_deep_as_it_is() {
    let mut table = StackTable::new(1 << 20);
    let deep = vec![5; 100_000];
    let stack = intern(&mut table, &deep).expect("room");
    assert_eq!(frames(&table, stack), deep);
    assert_ne!(intern(&mut table, &deep[1..]), Some(stack));
}

#[test]
fn a_full_table_still_knows_its_stacks() {
    let mut table = StackTable::new(3);
    let known = intern(&mut table, &[1, 2, 3]).expect("room");
    assert_eq!(intern(&mut table, &[1, 2, 4]), None);
    assert_eq!(intern(&mut table, &[4]), None);
    assert_eq!(intern(&mut table, &[1, 2, 3]), Some(known));
    assert_eq!(intern(&mut table, &[]), Some(StackTable::EMPTY), "it needs no room");
    assert_eq!(table.nodes().len(), 3);
}

#[test]
fn the_stack_that_was_last_interned_on_top_of_another_is_known() {
    let mut table = StackTable::new(3);
    let [callers, one, other] = [&[1][..], &[1, 2], &[1, 3]].map(|frames| intern(&mut table, frames));
    let callers = callers.expect("room");
    assert_eq!(table.last_on(callers), other.map(|other| (other, FrameId(3))));
    intern(&mut table, &[1, 2]);
    assert_eq!(table.last_on(callers), one.map(|one| (one, FrameId(2))));
    assert_eq!(table.last_on(one.expect("room")), None);
    assert_eq!(intern(&mut table, &[4]), None, "the table is full");
    assert_eq!(table.last_on(StackTable::EMPTY), Some((callers, FrameId(1))), "the last that it has");
}

#[test]
fn a_copy_of_the_tree_does_not_change() {
    let mut table = StackTable::new(100);
    let stack = intern(&mut table, &[1, 2]).expect("room");
    let nodes = table.nodes().clone();
    intern(&mut table, &[1, 2, 3]);
    assert_eq!(nodes.len(), 2);
    assert_eq!(nodes.frames(stack).collect::<Vec<_>>(), [FrameId(2), FrameId(1)]);
    assert_ne!(&nodes, table.nodes());
}
