//! The label table: numbers for sets, limits, periods; and remembered steps.

use rperf_core::collect::{Change, LabelLimits, LabelSteps, LabelTable, LabelWord, Merged, OVERFLOW};
use rperf_core::ids::LabelSetId;

const NONE: LabelSetId = LabelSetId(0);

fn table() -> LabelTable {
    LabelTable::new(LabelLimits { sets: 100, bytes: 1 << 20 })
}

fn labels(table: &LabelTable, id: LabelSetId) -> Vec<(&str, &str)> {
    table.labels(id).iter().map(|(key, value)| (&**key, value.as_deref().unwrap_or("(open)"))).collect()
}

/// The set with these labels set and removed.
fn step(table: &mut LabelTable, from: LabelSetId, labels: &[(&[u8], Option<&[u8]>)]) -> LabelSetId {
    table
        .merge(from, labels.iter().map(|(key, value)| (*key, value.map_or(Change::Remove, Change::Text))))
        .id()
}

/// The set with one more label.
fn with(table: &mut LabelTable, from: LabelSetId, key: &str, value: &str) -> LabelSetId {
    step(table, from, &[(key.as_bytes(), Some(value.as_bytes()))])
}

/// The set without a label.
fn without(table: &mut LabelTable, from: LabelSetId, key: &str) -> LabelSetId {
    step(table, from, &[(key.as_bytes(), None)])
}

#[test]
fn equal_sets_have_one_number_whatever_the_order() {
    let mut table = table();
    let (a, b) = (with(&mut table, NONE, "a", "1"), with(&mut table, NONE, "b", "2"));
    let (ab, ba) = (with(&mut table, a, "b", "2"), with(&mut table, b, "a", "1"));
    assert_eq!(ab, ba);
    assert_eq!(labels(&table, ab), [("a", "1"), ("b", "2")]);
    assert_eq!(with(&mut table, NONE, "a", "1"), a, "known");
    assert_eq!(table.sets().iter().map(|(id, _)| *id).collect::<Vec<_>>(), [a, b, ab]);
}

#[test]
fn a_value_replaces_and_none_removes() {
    let mut table = table();
    let one = with(&mut table, NONE, "a", "1");
    let two = with(&mut table, one, "a", "2");
    assert_eq!(labels(&table, two), [("a", "2")]);
    for _ in 0..2 {
        assert_eq!(without(&mut table, two, "a"), NONE);
        assert_eq!(without(&mut table, two, "b"), two);
        assert_eq!(with(&mut table, two, "a", "1"), one);
    }
}

#[test]
fn no_value_is_not_an_empty_one() {
    let mut table = table();
    let empty = with(&mut table, NONE, "a", "");
    assert_eq!(labels(&table, empty), [("a", "")]);
    assert_eq!(without(&mut table, empty, "a"), NONE);
}

#[test]
fn several_labels_at_once_make_one_set() {
    let mut table = table();
    let set =
        step(&mut table, NONE, &[(b"b", Some(b"2")), (b"a", Some(b"1")), (b"c", None), (b"b", Some(b"3"))]);
    assert_eq!(labels(&table, set), [("a", "1"), ("b", "3")]);
    assert_eq!(table.sets().len(), 1, "the steps between are none");
    assert_eq!(step(&mut table, set, &[(b"b", None), (b"a", None)]), NONE);
    assert_eq!(step(&mut table, set, &[]), set);
}

#[test]
fn texts_are_cut_and_made_valid() {
    const LIMIT: usize = LabelTable::MAX_TEXT;
    let mut table = table();
    let long = with(&mut table, NONE, "k", &"x".repeat(1_000_000));
    assert_eq!(labels(&table, long), [("k", "x".repeat(LIMIT).as_str())]);
    assert_eq!(with(&mut table, NONE, "k", &"x".repeat(LIMIT + 1)), long);
    let split = with(&mut table, NONE, "k", &("x".repeat(LIMIT - 1) + "\u{fc}"));
    assert_eq!(labels(&table, split)[0].1, "x".repeat(LIMIT - 1), "no half character");
    let damaged = step(&mut table, NONE, &[(b"k\xFF", Some(b"a\xFFb"))]);
    assert_eq!(labels(&table, damaged), [("k\u{fffd}", "a\u{fffd}b")]);
    let continuation = step(&mut table, NONE, &[(b"k", Some(&[0x80; LIMIT * 2]))]);
    assert_eq!(labels(&table, continuation)[0].1.chars().count(), LIMIT);
}

#[test]
fn beyond_the_limit_there_is_one_set() {
    let mut table = table();
    let ids: Vec<_> = (0..150).map(|number| with(&mut table, NONE, "request", &number.to_string())).collect();
    assert_eq!(labels(&table, ids[98]), [("request", "98")]);
    assert_eq!(labels(&table, ids[99]), [OVERFLOW]);
    assert_eq!(ids[99], ids[149]);
    assert_eq!(table.overflow_count(), 51);
    assert_eq!(with(&mut table, NONE, "request", "98"), ids[98], "what is known stays known");
    assert_eq!(with(&mut table, ids[99], "more", "x"), ids[99]);
    assert_eq!(without(&mut table, ids[98], "request"), NONE);
    assert_eq!(table.sets().len(), 100, "99 and the overflow set");
    let beyond = table.merge(NONE, [(&b"request"[..], Change::Text(&b"150"[..]))]);
    assert_eq!(beyond, Merged::Overflow(ids[99]));
    assert_eq!(table.merge(NONE, [(&b"request"[..], Change::Text(&b"98"[..]))]), Merged::Set(ids[98]));
}

#[test]
fn sets_that_grow_for_ever_are_bounded_by_their_bytes() {
    let mut table = LabelTable::new(LabelLimits { sets: 10_000, bytes: 100_000 });
    let mut id = NONE;
    for number in 0..1_000 {
        id = with(&mut table, id, &format!("key{number}"), "value");
    }
    let entries: usize = table.sets().iter().map(|(_, labels)| labels.len()).sum();
    assert!(entries < 2_000, "{entries} labels");
    assert!(table.overflow_count() > 0);
}

#[test]
fn a_new_period_frees_what_nothing_refers_to() {
    let mut table = table();
    let ids: Vec<_> = (0..150).map(|number| with(&mut table, NONE, "request", &number.to_string())).collect();
    table.retain(|id| id == ids[3] || id == ids[5]);
    assert_eq!(table.overflow_count(), 0);
    assert_eq!(table.sets().iter().map(|(id, _)| *id).collect::<Vec<_>>(), [ids[3], ids[5]]);
    assert!(table.labels(ids[6]).is_empty(), "a number that is left somewhere has no labels");
    let again = with(&mut table, NONE, "request", "6");
    assert!(!ids.contains(&again), "no number is used twice");
    assert_eq!(labels(&table, again), [("request", "6")]);
    assert_eq!(with(&mut table, NONE, "request", "5"), ids[5]);
}

#[test]
fn weeks_of_requests_do_not_reach_the_limit() {
    let mut table = table();
    for period in 0..1_000 {
        for request in 0..90 {
            let id = with(&mut table, NONE, "request", &format!("{period}.{request}"));
            assert_ne!(labels(&table, id), [OVERFLOW]);
        }
        assert_eq!(table.overflow_count(), 0);
        table.retain(|_| false);
    }
    assert_eq!(table.sets().len(), 0);
}

/// The words of a label whose key is a Symbol.
fn words<'text>(key: u64, value: &'text str) -> [LabelWord<'text>; 2] {
    [LabelWord::Unique(key), LabelWord::Text(value.as_bytes())]
}

#[test]
fn a_step_is_found_by_all_of_it() {
    let mut steps = LabelSteps::default();
    let (one, two) = (LabelSetId(1), LabelSetId(2));
    steps.remember(NONE, &words(7, "a"), one);
    steps.remember(one, &words(7, "b"), two);
    steps.remember(two, &[], two);
    assert_eq!(steps.find(NONE, &words(7, "a")), Some(one));
    assert_eq!(steps.find(one, &words(7, "b")), Some(two));
    assert_eq!(steps.find(two, &[]), Some(two));
    for (from, words) in
        [(two, words(7, "a")), (NONE, words(8, "a")), (NONE, words(7, "b")), (NONE, words(7, ""))]
    {
        assert_eq!(steps.find(from, &words), None, "{from:?} {words:?}");
    }
    assert_eq!(steps.find(NONE, &words(7, "a")[..1]), None);
    assert_eq!(steps.find(NONE, &[LabelWord::Unique(7), LabelWord::Unique(97)]), None, "no text is a number");
}

#[test]
fn steps_are_bounded() {
    let mut steps = LabelSteps::default();
    let long = "x".repeat(100_000);
    steps.remember(NONE, &words(1, &long), LabelSetId(1));
    assert_eq!(steps.find(NONE, &words(1, &long)), None);
    let found = (0..100_000).filter(|number| {
        let text = number.to_string();
        steps.remember(NONE, &words(1, &text), LabelSetId(*number));
        steps.find(NONE, &words(1, &text)) == Some(LabelSetId(*number))
    });
    assert_eq!(found.count(), 100_000, "the last one is always known");
    let known = (0..100_000u32).filter(|number| steps.find(NONE, &words(1, &number.to_string())).is_some());
    assert!(known.count() < 10_000);
}
