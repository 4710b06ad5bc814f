//! Threads of a millisecond, one after the other, and one clock that ticks all from outside.

use rperf_core::accounting::{Schedule, ShortThreadRemainder, ThreadClock, halves};
use rperf_core::state::Clock;
use rperf_core::time::Nanos;

use crate::random::Random;

const TICK: u64 = 1_000_000;
const LIFE: u64 = 1_050_000;
/// Each thread runs two methods, the first for so long.
const FIRST: u64 = 630_000;
/// From the end of a thread to the beginning of the next none runs.
const PAUSE: u64 = 100_000;
const THREADS: u64 = 20_000;
const SEEDS: u64 = 20;

/// What each of the two methods is charged with, in nanoseconds.
#[derive(Default)]
struct Charges {
    shared: [u64; 2],
    all_to_the_later: [u64; 2],
    last: Option<usize>,
}

impl Charges {
    fn tick(&mut self, method: usize, time: Nanos) {
        let [earlier, later] = halves(time);
        self.shared[self.last.unwrap_or(method)] += earlier.0;
        self.shared[method] += later.0;
        self.all_to_the_later[method] += time.0;
        self.last = Some(method);
    }
}

fn share(charged: [u64; 2]) -> f64 {
    charged[0] as f64 / (charged[0] + charged[1]) as f64
}

/// Every other thread, by chance, waits for its processor whenever a tick comes: these ticks are
/// left out.
fn run(seed: u64) -> (Charges, ShortThreadRemainder<()>) {
    let (random, mut schedule) = (&mut Random::new(seed), Schedule::new(TICK, seed));
    let (mut charges, mut remainder) = (Charges::default(), ShortThreadRemainder::default());
    let mut next = schedule.after(0);
    for number in 0..THREADS {
        let begin = number * (LIFE + PAUSE);
        let mut clock = ThreadClock::running(Clock::Cpu, Nanos(begin), Nanos::ZERO);
        let left_out = random.below(2) == 0;
        while next < begin + LIFE {
            if next > begin && !left_out {
                let age = next - begin;
                let time = clock.tick(Nanos(next), Nanos(age), Nanos::ZERO) + remainder.take(Nanos(u64::MAX));
                charges.tick(usize::from(age >= FIRST), time);
            }
            next = schedule.after(next);
        }
        remainder.leave(clock.close(Nanos(begin + LIFE), Nanos(LIFE)).running, None);
    }
    (charges, remainder)
}

#[test]
fn threads_that_no_tick_meets_favour_neither_their_beginning_nor_their_end() {
    let truth = FIRST as f64 / LIFE as f64;
    let runs: Vec<Charges> = (1..=SEEDS).map(|seed| run(seed).0).collect();
    let mean = |charged: fn(&Charges) -> [u64; 2]| {
        runs.iter().map(|charges| share(charged(charges))).sum::<f64>() / SEEDS as f64
    };
    // Chance alone: 0.0015.
    assert!((mean(|charges| charges.shared) - truth).abs() < 0.006);
    // What it is for: charged to the next tick alone, the beginning of a thread gets too much.
    assert!(mean(|charges| charges.all_to_the_later) - truth > 0.02);
}

#[test]
fn all_time_is_charged_once() {
    let (charges, mut remainder) = run(7);
    assert_eq!(charges.shared.iter().sum::<u64>() + remainder.take(Nanos(u64::MAX)).0, THREADS * LIFE);
    assert_eq!(halves(Nanos(7)), [Nanos(3), Nanos(4)]);
}
