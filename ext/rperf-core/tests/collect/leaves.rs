use rperf_core::collect::{Leaves, RawFrame};

use crate::seen::Seen;

const PLUS: u64 = 8;
const TIMES: u64 = 16;
const CODE: u64 = 24;

fn c_method(method: u64) -> RawFrame {
    RawFrame { method, code: 0, position: 0, operand: 0 }
}

fn ruby(position: u32, operand: u16) -> RawFrame {
    RawFrame { method: CODE, code: CODE, position, operand }
}

/// Sees this stack as well, and settles it.
fn settle(seen: &mut Seen, stack: &[RawFrame]) -> Option<RawFrame> {
    let stack = seen.ids(stack);
    seen.add(stack.clone(), 1);
    let leaf = Leaves::of(&seen.samples, &seen.frames).settle(&stack);
    leaf.map(|id| seen.frames[id.index()])
}

#[test]
fn a_c_method_is_the_one_that_was_seen_called_there() {
    let mut seen = Seen::new(&[
        (&[c_method(PLUS), ruby(3, 0)], 2),
        (&[c_method(TIMES), ruby(5, 0)], 9),
        (&[c_method(TIMES).unsettled(), ruby(3, 0)], 99),
    ]);
    assert_eq!(settle(&mut seen, &[c_method(TIMES).unsettled(), ruby(3, 0)]), Some(c_method(PLUS)));
    assert_eq!(settle(&mut seen, &[RawFrame::SOME_C_METHOD, ruby(5, 0)]), Some(c_method(TIMES)));
}

#[test]
fn where_several_were_called_it_is_its_own_or_else_the_most_frequent() {
    let mut seen = Seen::new(&[(&[c_method(PLUS), ruby(3, 0)], 2), (&[c_method(TIMES), ruby(3, 0)], 9)]);
    assert_eq!(settle(&mut seen, &[c_method(PLUS).unsettled(), ruby(3, 0)]), Some(c_method(PLUS)));
    assert_eq!(settle(&mut seen, &[c_method(32).unsettled(), ruby(3, 0)]), Some(c_method(TIMES)));
}

#[test]
fn an_instruction_worked_on_what_it_was_seen_to_work_on() {
    let mut seen =
        Seen::new(&[(&[ruby(7, 0x123)], 3), (&[ruby(7, 0x456)], 1), (&[c_method(PLUS), ruby(7, 0)], 50)]);
    assert_eq!(settle(&mut seen, &[ruby(7, 0x789).unsettled()]), Some(ruby(7, 0x123)));
    assert_eq!(settle(&mut seen, &[ruby(7, 0x456).unsettled()]), Some(ruby(7, 0x456)));
}

#[test]
fn what_was_never_seen_settled_keeps_its_name_if_it_has_one() {
    let mut seen = Seen::new(&[(&[c_method(PLUS), ruby(3, 0)], 2)]);
    let alone = c_method(TIMES).unsettled();
    assert_eq!(settle(&mut seen, &[alone, ruby(4, 0)]), Some(alone));
    assert_eq!(settle(&mut seen, &[alone]), Some(alone));
    assert_eq!(settle(&mut seen, &[ruby(0, 0).unsettled()]), Some(ruby(0, 0).unsettled()));
    assert_eq!(settle(&mut seen, &[RawFrame::SOME_C_METHOD, ruby(4, 0)]), None);
    assert_eq!(settle(&mut seen, &[]), None);
}
