use rperf_core::collect::Fingerprints;
use rperf_core::ids::LabelSetId;

const STACK: [[usize; 5]; 2] = [[1, 2, 3, 4, 5], [6, 7, 8, 9, 10]];

#[test]
fn a_stack_has_one_fingerprint() {
    let prints = Fingerprints::default();
    let take = || prints.take(STACK.into_iter(), LabelSetId(1), 7);
    assert_eq!(take(), take());
    assert_ne!(take().number(), 0);
}

#[test]
fn another_word_makes_another_fingerprint() {
    let prints = Fingerprints::default();
    let one = prints.take(STACK.into_iter(), LabelSetId(1), 7);
    for place in 0..10 {
        let mut other = STACK;
        other[place / 5][place % 5] += 1;
        assert_ne!(prints.take(other.into_iter(), LabelSetId(1), 7), one, "word {place}");
    }
    let [leaf, caller] = STACK;
    for other in [vec![caller, leaf], vec![leaf], vec![leaf, caller, [0; 5]], vec![]] {
        assert_ne!(prints.take(other.into_iter(), LabelSetId(1), 7), one);
    }
}

#[test]
fn so_do_other_labels_and_a_collection() {
    let prints = Fingerprints::default();
    let take = |labels, collections| prints.take(STACK.into_iter(), LabelSetId(labels), collections);
    assert_ne!(take(1, 7), take(2, 7));
    assert_ne!(take(1, 7), take(1, 8));
}
