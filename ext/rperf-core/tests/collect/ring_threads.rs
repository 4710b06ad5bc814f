//! The ring of ticks, used by several threads at once.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;

use crate::ring::{frame, info, ring};

const THREADS: usize = 4;
const ROUNDS: usize = 20_000;

#[test]
fn no_slot_belongs_to_two_threads() {
    // Fewer slots than threads: they wait for each other.
    let ring = ring(THREADS - 1, 2);
    let owners: Vec<AtomicBool> = (0..THREADS).map(|_| AtomicBool::new(false)).collect();
    let together = Barrier::new(THREADS);
    let refused = AtomicU32::new(0);
    let worker = |thread: usize| {
        together.wait();
        for round in 0..ROUNDS {
            let Some(slot) = ring.claim() else {
                refused.fetch_add(1, Ordering::Relaxed);
                thread::yield_now();
                continue;
            };
            let owned = &owners[slot.number() as usize];
            assert!(!owned.swap(true, Ordering::AcqRel), "slot {slot:?} is claimed twice");
            let number = thread * ROUNDS + round;
            assert!(ring.write_frame(slot, 1, frame(number)));
            ring.write_info(slot, 2, &info(number));
            assert_eq!((ring.frame(slot, 1), ring.info(slot)), (frame(number), info(number)));
            owned.store(false, Ordering::Release);
            ring.release(slot);
        }
    };
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let worker = &worker;
            scope.spawn(move || worker(thread));
        }
    });
    let free = std::iter::from_fn(|| ring.claim()).count();
    assert_eq!(free, THREADS - 1, "every slot was given back; {refused:?} claims found none");
}

#[test]
fn slots_claimed_at_once_are_different() {
    const EACH: usize = 16;
    for _ in 0..200 {
        let ring = ring(THREADS * EACH, 0);
        let together = Barrier::new(THREADS);
        let claim = || {
            together.wait();
            (0..EACH).map(|_| ring.claim().expect("there are enough").number()).collect::<Vec<_>>()
        };
        let mut numbers: Vec<_> = thread::scope(|scope| {
            let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(claim)).collect();
            threads.into_iter().flat_map(|thread| thread.join().expect("no thread fails")).collect()
        });
        numbers.sort_unstable();
        assert_eq!(numbers, (0..(THREADS * EACH) as u32).collect::<Vec<_>>());
        assert_eq!(ring.claim(), None);
    }
}
