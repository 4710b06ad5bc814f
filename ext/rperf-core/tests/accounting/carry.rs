//! Time that goes from thread to thread.

use rperf_core::accounting::{Carry, ThreadClock};
use rperf_core::state::Clock;
use rperf_core::time::Nanos;

use crate::random::Random;

#[test]
fn the_time_of_all_threads_is_taken_once() {
    let mut carry = Carry::default();
    assert_eq!((carry.count(), carry.take()), (0, Nanos::ZERO));
    carry.leave(Nanos(5));
    carry.leave(Nanos(6));
    assert_eq!((carry.count(), carry.take()), (2, Nanos(11)));
    assert_eq!((carry.count(), carry.take()), (0, Nanos::ZERO));
    carry.leave(Nanos(7));
    assert_eq!((carry.count(), carry.take()), (1, Nanos(7)), "counted anew");
}

/// Threads one after the other, each of which takes what earlier ones left.
#[test]
fn short_threads_conserve_time() {
    for seed in 0..2_000 {
        let random = &mut Random::new(seed);
        for mode in [Clock::Cpu, Clock::Wall] {
            let mut carry = Carry::default();
            let (mut lived, mut charged) = (0, 0);
            for _ in 0..30 {
                let mut clock = ThreadClock::running(mode, Nanos(1_000), Nanos(50));
                let mut age = 0;
                for _ in 0..random.below(4) {
                    age += random.duration();
                    let covers = Nanos(random.duration());
                    let weight = clock.tick(Nanos(1_000 + age), Nanos(50 + age), covers);
                    charged += (weight + carry.take()).0;
                }
                age += random.duration();
                lived += age;
                carry.leave(clock.close(Nanos(1_000 + age), Nanos(50 + age)).running);
            }
            assert_eq!(charged + carry.take().0, lived, "seed {seed} {mode:?}");
        }
    }
}
