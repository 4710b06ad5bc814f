//! The frame table: equal frames have one number.

use rperf_core::collect::{Code, FrameTable, RawFrame};
use rperf_core::ids::FrameId;

const FRAME: RawFrame = RawFrame { method: 8, code: 16, pc: 3, operand: 0 };

#[test]
fn equal_frames_have_one_number_and_others_another() {
    let all = [
        FRAME,
        RawFrame { method: 24, ..FRAME },
        RawFrame { code: 32, ..FRAME },
        RawFrame { pc: 4, ..FRAME },
        RawFrame { operand: 1, ..FRAME },
        RawFrame::default(),
        RawFrame::TRUNCATED,
    ];
    let mut table = FrameTable::new(100);
    for _ in 0..2 {
        let ids = all.map(|frame| table.intern(frame));
        assert_eq!(ids, [0, 1, 2, 3, 4, 5, 6].map(|number| Some(FrameId(number))));
    }
    assert_eq!(table.frames(), all, "an id is an index");
}

#[test]
fn a_frame_that_is_known_by_its_name_keeps_nothing() {
    let named = [0, 1].map(RawFrame::named);
    let mut table = FrameTable::new(10);
    assert_eq!(named.map(|frame| table.intern(frame)), [0, 1].map(|number| Some(FrameId(number))));
    assert_eq!(named.map(|frame| frame.name()), [Some(0), Some(1)]);
    assert_eq!([FRAME, RawFrame::TRUNCATED, RawFrame::default()].map(|frame| frame.name()), [None; 3]);
    assert_eq!(table.objects().count(), 0);
    assert_eq!([named[1], FRAME].map(|frame| table.id(&frame)), [Some(FrameId(1)), None]);
}

#[test]
fn the_first_entry_of_a_method_stands_for_all_of_them() {
    let mut table = FrameTable::new(10);
    let entries = [([1, 2, 3], 8), ([1, 2, 3], 16), ([1, 2, 4], 24), ([1, 2, 3], 32)];
    assert_eq!(entries.map(|(identity, entry)| table.method(identity, 0, entry)), [8, 8, 24, 8]);
}

#[test]
fn a_method_that_is_defined_again_with_the_same_code_is_the_same() {
    let mut table = FrameTable::new(10);
    let entries = [([1, 2, 3], 5, 8), ([6, 2, 3], 5, 16), ([6, 2, 3], 7, 24)];
    assert_eq!(entries.map(|(identity, code, entry)| table.method(identity, code, entry)), [8, 8, 24]);
}

#[test]
fn code_with_many_methods_keeps_some_of_them() {
    let mut table = FrameTable::new(10);
    let mut methods = |code| (1..=200).map(|owner| table.method([1, 2, owner], code, owner)).collect();
    let (in_ruby, in_c): (Vec<_>, Vec<_>) = (methods(5), methods(0));
    assert_eq!(in_ruby, (1..=200).map(|owner| if owner <= 100 { owner } else { 0 }).collect::<Vec<_>>());
    assert_eq!(in_c, (1..=200).collect::<Vec<_>>(), "C code has no name of its own");
}

#[test]
fn what_was_compiled_first_stands_for_what_is_the_same() {
    let mut table = FrameTable::new(10);
    let codes = [8, 16, 24].map(|address| Code { address, instructions: address + 1000 });
    let identities = [[1; 8], [1; 8], [2; 8]];
    let mut found = || std::array::from_fn(|at| table.code(identities[at], codes[at]).address);
    assert_eq!([found(), found()], [[8, 8, 24]; 2]);
    table.forget_identities();
    assert_eq!(table.code(identities[1], codes[1]), codes[1], "objects have moved");
}

#[test]
fn a_full_table_still_knows_its_frames() {
    let mut table = FrameTable::new(2);
    let [one, two, three] = [1, 2, 3].map(|pc| RawFrame { pc, ..FRAME });
    assert!(table.intern(one).is_some() && table.intern(two).is_some());
    assert_eq!(table.intern(three), None);
    assert_eq!((table.intern(one), table.intern(two)), (Some(FrameId(0)), Some(FrameId(1))));
    assert_eq!(table.frames(), [one, two]);
    assert_eq!(FrameTable::new(0).intern(one), None);
}

#[test]
fn each_word_that_may_be_an_object_is_listed_once() {
    let mut table = FrameTable::new(5);
    for (method, code, pc) in [(8, 16, 1), (8, 16, 2), (16, 0, 3), (0, 24, 0), (0, 0, 0), (40, 48, 7)] {
        table.intern(RawFrame { method, code, pc, operand: 0 });
    }
    let mut objects: Vec<_> = table.objects().collect();
    objects.sort_unstable();
    assert!([8, 16, 24].iter().all(|object| table.keeps(*object)) && !table.keeps(40));
    assert_eq!(objects, [8, 16, 24], "no 0, and nothing of a frame that found no room");
}
