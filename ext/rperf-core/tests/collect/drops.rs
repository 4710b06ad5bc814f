//! What was lost is counted by cause.

use rperf_core::collect::{DropCause, Drops};
use rperf_core::time::Nanos;

#[test]
fn only_what_happened_is_listed_by_name() {
    let mut drops = Drops::default();
    assert_eq!(drops.to_list(), []);
    drops.add(DropCause::Unreadable, 2, Nanos::ZERO);
    drops.add(DropCause::ProbeFull, 1, Nanos(10));
    drops.add(DropCause::ProbeFull, 3, Nanos(5));
    drops.add(DropCause::StraySignal, 0, Nanos::ZERO);
    let expected = [("probe full".to_owned(), 4, Nanos(15)), ("unreadable stack".to_owned(), 2, Nanos::ZERO)];
    assert_eq!(drops.to_list(), expected);
}

#[test]
fn merging_adds_cause_by_cause() {
    let mut all = Drops::default();
    for (number, (cause, _)) in (1..).zip(DropCause::ALL) {
        let mut one = Drops::default();
        one.add(cause, number, Nanos(number * 100));
        all.merge(&one);
        all.merge(&one);
    }
    let mut listed: Vec<_> =
        all.to_list().into_iter().map(|(_, samples, weight)| (samples, weight.0)).collect();
    listed.sort_unstable();
    let expected: Vec<_> =
        (1..=DropCause::ALL.len() as u64).map(|number| (number * 2, number * 200)).collect();
    assert_eq!(listed, expected);
}

#[test]
fn causes_have_different_names() {
    assert!(DropCause::ALL.into_iter().all(|(cause, name)| cause.name() == name));
    let mut names = DropCause::ALL.map(|(_, name)| name).to_vec();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), DropCause::ALL.len());
}
