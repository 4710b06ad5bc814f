//! Time that goes from thread to thread.

use rperf_core::accounting::{ShortThreadRemainder, ThreadClock};
use rperf_core::state::Clock;
use rperf_core::time::Nanos;

use crate::random::Random;

/// As much as a tick can take.
const ALL: Nanos = Nanos(u64::MAX);

#[test]
fn the_time_of_all_threads_is_taken_once() {
    let mut remainder = ShortThreadRemainder::default();
    assert_eq!(remainder.take(ALL), Nanos::ZERO);
    remainder.leave(Nanos(5), None);
    remainder.leave(Nanos(6), Some("leaf"));
    assert_eq!(remainder.take(ALL), Nanos(11));
    assert_eq!(remainder.take(ALL), Nanos::ZERO);
    assert_eq!((remainder.take_placed(), remainder.take_unplaced()), (Vec::new(), (Nanos::ZERO, 0)));
}

#[test]
fn a_long_time_is_divided_among_ticks() {
    let mut remainder = ShortThreadRemainder::default();
    remainder.leave(Nanos(1_000), Some("leaf"));
    remainder.leave(Nanos(30_000), None);
    remainder.leave(Nanos(9_000), Some("other"));
    // An eighth; then an eighth of the rest, until that is less than the least.
    assert_eq!([(); 3].map(|()| remainder.take(Nanos(2_000))), [5_000, 4_375, 3_828].map(Nanos));
    let mut taken = 5_000 + 4_375 + 3_828;
    while taken < 38_000 {
        taken += remainder.take(Nanos(2_000)).0;
    }
    assert_eq!(remainder.take_unplaced(), (Nanos(40_000 - taken), 1));
}

#[test]
fn where_no_tick_comes_threads_keep_their_places() {
    let mut remainder = ShortThreadRemainder::default();
    for (time, place) in [(5, None), (6, Some("leaf")), (7, None), (8, Some("other"))] {
        remainder.leave(Nanos(time), place);
    }
    assert_eq!(remainder.take_placed(), [("leaf", Nanos(6)), ("other", Nanos(8))]);
    assert_eq!(remainder.take_unplaced(), (Nanos(12), 2));
    assert_eq!(remainder.take(ALL), Nanos::ZERO);
}

/// Threads one after the other, each of which takes what earlier ones left.
#[test]
fn short_threads_conserve_time() {
    for seed in 0..2_000 {
        let random = &mut Random::new(seed);
        for mode in [Clock::Cpu, Clock::Wall] {
            let mut remainder = ShortThreadRemainder::<()>::default();
            let (mut lived, mut charged) = (0, 0);
            for _ in 0..30 {
                let mut clock = ThreadClock::running(mode, Nanos(1_000), Nanos(50));
                let mut age = 0;
                for _ in 0..random.below(4) {
                    age += random.duration();
                    let span = Nanos(random.duration());
                    let weight = clock.tick(Nanos(1_000 + age), Nanos(50 + age), span);
                    charged += (weight + remainder.take(ALL)).0;
                }
                age += random.duration();
                lived += age;
                remainder.leave(clock.close(Nanos(1_000 + age), Nanos(50 + age)).running, None);
            }
            assert_eq!(charged + remainder.take(ALL).0, lived, "seed {seed} {mode:?}");
        }
    }
}
