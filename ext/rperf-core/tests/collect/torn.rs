use rperf_core::collect::{Function, Link, Mended, RawFrame, TornStacks};
use rperf_core::ids::FrameId;

use crate::seen::Seen;

/// A program: its methods are letters, which a caller's code calls or not. A position is a digit behind the letter.
struct Program {
    calls: &'static [&'static str],
    seen: Seen,
}

fn function(name: char) -> Function {
    let method = u64::from(u32::from(name));
    // Capitals are C methods.
    Function { method, code: if name.is_uppercase() { 0 } else { method << 8 } }
}

impl Program {
    fn new(calls: &'static [&'static str]) -> Self {
        Self { calls, seen: Seen::default() }
    }

    /// The outermost first: `m1 a2 c0`; a leaf with a star is unsettled.
    fn ids(&mut self, stack: &str) -> Vec<FrameId> {
        let raw = |frame: &str| {
            let mut chars = frame.chars();
            let Function { method, code } = function(chars.next().expect("a name"));
            let position = chars.next().and_then(|digit| digit.to_digit(10)).unwrap_or(0);
            let raw = RawFrame { method, code, position, operand: 0 };
            if frame.ends_with('*') { raw.unsettled() } else { raw }
        };
        let stack: Vec<_> = stack.rsplit(' ').map(raw).collect();
        self.seen.ids(&stack)
    }

    fn seen(mut self, stack: &str, count: u64) -> Self {
        let stack = self.ids(stack);
        self.seen.add(stack, count);
        self
    }

    /// What becomes of a stack, written as in `seen`, with a mark where it was cut; `None` when it stays as it is.
    fn mended(&mut self, stack: &str) -> Option<String> {
        let stack = self.ids(stack);
        let can_call = |link: Link| {
            let name = |function: Function| char::from_u32(function.method as u32).expect("a name");
            let call: String = [name(link.caller), name(link.callee)].into_iter().collect();
            self.calls.contains(&call.as_str())
        };
        let torn = TornStacks::of(&self.seen.samples, &self.seen.frames, can_call);
        let Mended { stack, is_cut, .. } = torn.mended(&stack)?;
        let text = |id: &FrameId| {
            let RawFrame { method, position, .. } = self.seen.frames[id.index()];
            format!("{}{position}", char::from_u32(method as u32).expect("a name"))
        };
        let frames: Vec<_> = stack.iter().rev().map(text).collect();
        Some(format!("{}{}", if *is_cut { "... " } else { "" }, frames.join(" ")))
    }
}

/// `m` calls `a`, `b`, `c`, one by the other, and then `d`, `e`, `g`.
fn two_chains() -> Program {
    Program::new(&["ma", "ab", "bc", "md", "de", "eg"])
        .seen("m1 a1 b1 c1", 50)
        .seen("m2 d1 e1 g1", 40)
        .seen("m2 d1 e1", 9)
}

#[test]
fn a_frame_gets_the_callers_that_it_was_seen_with() {
    let mut program = two_chains().seen("m1 a1 e1 g1", 2);
    assert_eq!(program.mended("m1 a1 e1 g1").as_deref(), Some("m2 d1 e1 g1"));
    assert_eq!(program.mended("m2 d1 e1 g1"), None);
}

#[test]
fn so_it_does_where_two_callers_are_others() {
    let mut program = two_chains().seen("m1 a1 b1 g3", 1).seen("m2 d1 b1 c1", 1).seen("m2 d1 e1 c2", 1);
    assert_eq!(program.mended("m1 a1 b1 g3").as_deref(), Some("m2 d1 e1 g3"), "its own line is kept");
    assert_eq!(program.mended("m2 d1 b1 c1").as_deref(), Some("m1 a1 b1 c1"));
    assert_eq!(program.mended("m2 d1 e1 c2").as_deref(), Some("m1 a1 b1 c2"));
}

#[test]
fn frames_further_out_stay_as_they_were() {
    let mut program = Program::new(&["ma", "ab", "md", "de", "xm", "ym"])
        .seen("x1 m1 a1 b1", 5)
        .seen("y3 m3 d1 e1", 99)
        .seen("x7 m2 d1 e1", 8)
        .seen("x3 m1 a1 e1", 1);
    assert_eq!(program.mended("x3 m1 a1 e1").as_deref(), Some("x3 m2 d1 e1"));
}

#[test]
fn of_several_callers_that_differ_least_count_and_of_these_the_most_frequent() {
    let program = || {
        Program::new(&["ma", "md", "mh", "de", "he", "nd", "na"])
            .seen("m1 d1 e1", 5)
            .seen("m2 h1 e1", 6)
            .seen("n2 d2 e1", 90)
            .seen("m1 a1 e1", 1)
    };
    assert_eq!(program().mended("m1 a1 e1").as_deref(), Some("m2 h1 e1"));
    assert_eq!(program().seen("m1 d1 e3", 3).mended("m1 a1 e1").as_deref(), Some("m1 d1 e1"));
}

#[test]
fn a_caller_that_could_not_be_read_is_known_from_others() {
    let mut program = two_chains().seen("m1 a1 c1", 2).seen("m2 d1 e1 b1 c1", 1);
    assert_eq!(program.mended("m1 a1 c1").as_deref(), Some("m1 a1 b1 c1"));
}

#[test]
fn a_stack_may_be_torn_twice() {
    let mut program = Program::new(&["mp", "pa", "ab", "ad", "de", "mq"])
        .seen("m1 p1 a2 d1 e1", 5)
        .seen("m1 p1 a1 b1", 5)
        .seen("m2 q1", 5)
        .seen("m2 q1 a1 b1 e1", 1);
    assert_eq!(program.mended("m2 q1 a1 b1 e1").as_deref(), Some("m1 p1 a2 d1 e1"));
}

#[test]
fn where_no_known_callers_come_together_with_its_own_they_are_left_out() {
    let mut program = two_chains().seen("x1 y1 g1", 3);
    assert_eq!(program.mended("x1 y1 g1").as_deref(), Some("... g1"));
}

#[test]
fn callers_too_different_are_none() {
    let path = |first: u8, changed: u8| {
        let names = (0..changed).map(|index| char::from(first + index).to_string());
        format!("m {} z", names.collect::<Vec<_>>().join(" "))
    };
    let mended = |changed: u8| {
        let (known, torn) = (path(b'!', changed), path(b'a', changed));
        let mut program = Program::new(&["0z", "1z"]).seen(&known, 9).seen(&torn, 1);
        program.mended(&torn)
    };
    assert!(mended(16).is_some_and(|stack| stack.starts_with("m0 !0")));
    assert_eq!(mended(17).as_deref(), Some("... z0"));
}

#[test]
fn what_is_seen_much_more_often_than_others_is_not_doubted() {
    let mended = |often: u64| {
        let mut program = Program::new(&["md", "de"]).seen("m a e", often).seen("m d e", 4);
        (program.mended("m a e"), program.mended("m d e"))
    };
    assert_eq!(mended(16), (Some("m0 d0 e0".to_owned()), None));
    assert_eq!(mended(17), (None, None));
}

#[test]
fn where_no_caller_can_be_none_is_doubted() {
    let mut program = Program::new(&[]).seen("m a e", 4).seen("m d e", 9);
    assert_eq!(program.mended("m a e"), None);
}

#[test]
fn what_is_seen_often_stays_unless_callers_are_known_there() {
    let mended = |others: &str, often: u64| {
        let mut program = Program::new(&["md", "de"]).seen("m a e", often).seen(others, 100);
        program.mended("m a e")
    };
    assert_eq!(mended("n d e", 7).as_deref(), Some("... e0"));
    assert_eq!(mended("n d e", 8), None);
    assert_eq!(mended("m d e", 8).as_deref(), Some("m0 d0 e0"));
}

#[test]
fn a_c_method_in_motion_is_named_by_others() {
    let mut program = Program::new(&["ma", "mb", "aE", "bF"])
        .seen("m a E", 5)
        .seen("m b F", 5)
        .seen("m b E*", 1)
        .seen("m b E", 1);
    assert_eq!(program.mended("m b E*"), None);
    assert_eq!(program.mended("m b E").as_deref(), Some("m0 a0 E0"));
}
