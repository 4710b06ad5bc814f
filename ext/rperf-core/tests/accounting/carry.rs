//! Time that goes from thread to thread.

use rperf_core::accounting::{Carry, Rest, ThreadClock, Tick};
use rperf_core::state::Mode;
use rperf_core::time::Nanos;

use crate::random::Random;

fn rest(time: u64, period: Option<u64>) -> Rest {
    Rest { time: Nanos(time), period }
}

#[test]
fn each_rest_is_taken_once() {
    let mut carry = Carry::default();
    assert!(carry.is_empty() && carry.take().is_none() && carry.take_time() == Nanos::ZERO);
    carry.leave(rest(5, Some(70)));
    carry.leave(rest(6, None));
    assert_eq!(carry.len(), 2);
    let mut taken = [carry.take(), carry.take()].map(|rest| rest.expect("two were left"));
    taken.sort_by_key(|rest| rest.time);
    assert_eq!(taken, [rest(5, Some(70)), rest(6, None)]);
    assert!(carry.take().is_none() && carry.is_empty());
}

#[test]
fn the_time_of_all_rests_is_taken_once() {
    let mut carry = Carry::default();
    carry.leave(rest(5, Some(70)));
    carry.leave(rest(6, None));
    assert_eq!(carry.take_time(), Nanos(11));
    assert!(carry.is_empty() && carry.take().is_none());
    assert_eq!(carry.take_time(), Nanos::ZERO);
}

/// Threads one after the other, each of which takes what an earlier one left.
#[test]
fn short_threads_conserve_time() {
    for seed in 0..2_000 {
        let random = &mut Random::new(seed);
        for mode in [Mode::Cpu, Mode::Wall] {
            let mut carry = Carry::default();
            let (mut lived, mut charged) = (0, 0);
            for _ in 0..30 {
                let mut inherited = carry.take().map_or(0, |rest| rest.time.0);
                let mut clock = ThreadClock::running(mode, false, Nanos(1_000), Nanos(50));
                let mut age = 0;
                for _ in 0..random.below(4) {
                    age += random.duration();
                    let weight = clock.tick(Tick::at(Nanos(1_000 + age), Nanos(50 + age)));
                    charged += weight.0 + std::mem::take(&mut inherited);
                }
                age += random.duration();
                lived += age;
                let closing = clock.close(Nanos(1_000 + age), Nanos(50 + age));
                carry.leave(rest(closing.running.0 + inherited, Some(random.duration())));
            }
            assert_eq!(charged + carry.take_time().0, lived, "seed {seed} {mode:?}");
        }
    }
}
