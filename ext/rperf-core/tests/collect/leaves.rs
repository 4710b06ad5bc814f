use rperf_core::collect::{Leaves, RawFrame, SnapshotSample};
use rperf_core::ids::{FrameId, LabelSetId, NativeId, ThreadSeq};
use rperf_core::state::VmState;
use rperf_core::time::Nanos;

const PLUS: u64 = 8;
const TIMES: u64 = 16;
const CODE: u64 = 24;

fn c_method(method: u64) -> RawFrame {
    RawFrame { method, code: 0, position: 0, operand: 0 }
}

fn ruby(position: u32, operand: u16) -> RawFrame {
    RawFrame { method: CODE, code: CODE, position, operand }
}

/// Collects stacks (the leaf first), each so many times.
struct Seen {
    frames: Vec<RawFrame>,
    samples: Vec<SnapshotSample>,
}

impl Seen {
    fn new(stacks: &[(&[RawFrame], u64)]) -> Self {
        let mut seen = Self { frames: Vec::new(), samples: Vec::new() };
        for (stack, count) in stacks {
            let stack = seen.ids(stack);
            seen.add(stack, *count);
        }
        seen
    }

    fn add(&mut self, stack: Vec<FrameId>, count: u64) {
        self.samples.push(SnapshotSample {
            stack,
            state: VmState::Running,
            thread: ThreadSeq(1),
            labels: LabelSetId(0),
            native: NativeId(0),
            weight: Nanos(count),
            count,
        });
    }

    fn ids(&mut self, stack: &[RawFrame]) -> Vec<FrameId> {
        let id = |frame: &RawFrame| {
            let known = self.frames.iter().position(|known| known == frame);
            FrameId::from(known.unwrap_or_else(|| {
                self.frames.push(*frame);
                self.frames.len() - 1
            }))
        };
        stack.iter().map(id).collect()
    }

    /// Sees this stack as well, and settles it.
    fn settle(&mut self, stack: &[RawFrame]) -> Option<RawFrame> {
        let stack = self.ids(stack);
        self.add(stack.clone(), 1);
        let leaf = Leaves::of(&self.samples, &self.frames).settle(&stack);
        leaf.map(|id| self.frames[id.index()])
    }
}

#[test]
fn a_c_method_is_the_one_that_was_seen_called_there() {
    let mut seen = Seen::new(&[
        (&[c_method(PLUS), ruby(3, 0)], 2),
        (&[c_method(TIMES), ruby(5, 0)], 9),
        (&[c_method(TIMES).unsettled(), ruby(3, 0)], 99),
    ]);
    assert_eq!(seen.settle(&[c_method(TIMES).unsettled(), ruby(3, 0)]), Some(c_method(PLUS)));
    assert_eq!(seen.settle(&[RawFrame::SOME_C_METHOD, ruby(5, 0)]), Some(c_method(TIMES)));
}

#[test]
fn where_several_were_called_it_is_its_own_or_else_the_most_frequent() {
    let mut seen = Seen::new(&[(&[c_method(PLUS), ruby(3, 0)], 2), (&[c_method(TIMES), ruby(3, 0)], 9)]);
    assert_eq!(seen.settle(&[c_method(PLUS).unsettled(), ruby(3, 0)]), Some(c_method(PLUS)));
    assert_eq!(seen.settle(&[c_method(32).unsettled(), ruby(3, 0)]), Some(c_method(TIMES)));
}

#[test]
fn an_instruction_worked_on_what_it_was_seen_to_work_on() {
    let mut seen =
        Seen::new(&[(&[ruby(7, 0x123)], 3), (&[ruby(7, 0x456)], 1), (&[c_method(PLUS), ruby(7, 0)], 50)]);
    assert_eq!(seen.settle(&[ruby(7, 0x789).unsettled()]), Some(ruby(7, 0x123)));
    assert_eq!(seen.settle(&[ruby(7, 0x456).unsettled()]), Some(ruby(7, 0x456)));
}

#[test]
fn what_was_never_seen_settled_keeps_its_name_if_it_has_one() {
    let mut seen = Seen::new(&[(&[c_method(PLUS), ruby(3, 0)], 2)]);
    let alone = c_method(TIMES).unsettled();
    assert_eq!(seen.settle(&[alone, ruby(4, 0)]), Some(alone));
    assert_eq!(seen.settle(&[alone]), Some(alone));
    assert_eq!(seen.settle(&[ruby(0, 0).unsettled()]), Some(ruby(0, 0).unsettled()));
    assert_eq!(seen.settle(&[RawFrame::SOME_C_METHOD, ruby(4, 0)]), None);
    assert_eq!(seen.settle(&[]), None);
}
