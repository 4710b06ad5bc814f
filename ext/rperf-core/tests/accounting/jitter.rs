//! The spread of ticks: seen over many threads, no moment of their lives is favoured.

use rperf_core::accounting::{Jitter, SHORTEST};

const THREADS: u64 = 20_000;
/// How far an average over all threads may be off, in ticks. The number of ticks of a thread varies by half a tick at most
/// (standard deviation), so the average by 0.0035: this is five times as much.
const TOLERANCE: f64 = 0.018;

/// When the ticks of a thread come, in nanoseconds of its life, up to `end`.
fn ticks(mean: u64, seed: u64, end: u64) -> Vec<u64> {
    let mut jitter = Jitter::new(mean, seed);
    let mut next = jitter.first();
    let mut ticks = Vec::new();
    while next <= end {
        ticks.push(next);
        next += jitter.period();
    }
    ticks
}

/// Ticks of a thread that lives for `age`, on average.
fn average(mean: u64, age: u64, seed: impl Fn(u64) -> u64) -> f64 {
    let total: usize = (0..THREADS).map(|thread| ticks(mean, seed(thread), age).len()).sum();
    total as f64 / THREADS as f64
}

#[test]
fn a_life_is_met_as_often_as_it_is_long() {
    let mean = 1_000_000;
    for tenths in [1, 2, 3, 5, 7, 9, 10, 11, 13, 15, 17, 20, 25, 33, 50] {
        let age = mean / 10 * tenths;
        let (expected, actual) = (age as f64 / mean as f64, average(mean, age, |thread| thread));
        assert!((actual - expected).abs() < TOLERANCE, "{actual} ticks in {expected} periods");
    }
}

#[test]
fn it_holds_for_every_frequency() {
    // 1 Hz to 10 kHz. The shortest ages are where the kernel's shortest period cannot disturb.
    for mean in [1_000_000_000, 10_000_000, 3_333_333, 1_000_000, 100_000] {
        for age in [SHORTEST.max(mean / 4), mean / 2, mean, mean * 3 / 2, mean * 4] {
            let (expected, actual) = (age as f64 / mean as f64, average(mean, age, |thread| thread));
            assert!((actual - expected).abs() < TOLERANCE, "{mean} ns: {actual} ticks in {expected} periods");
        }
    }
}

#[test]
fn it_holds_for_seeds_that_look_alike() {
    // What the binding uses: the number of the thread, mixed with a reading of the clock.
    let clock = 1_234_567_890_123_u64;
    for gap in [10_000_u64, 1 << 20, 1_000_000_000] {
        for age in [250_000, 500_000, 1_000_000, 1_750_000] {
            let seed = |thread| thread ^ (clock + thread * gap);
            let (expected, actual) = (age as f64 / 1e6, average(1_000_000, age, seed));
            assert!(
                (actual - expected).abs() < TOLERANCE,
                "{gap} ns apart: {actual} ticks in {expected} periods"
            );
        }
    }
}

#[test]
fn no_moment_of_a_life_is_favoured() {
    const BINS: usize = 30;
    let (mean, end) = (1_000_000, 3_000_000);
    let mut bins = [0_u64; BINS];
    for thread in 0..THREADS {
        for tick in ticks(mean, thread, end - 1) {
            bins[tick as usize * BINS / end as usize] += 1;
        }
    }
    // 2,000 ticks fall into each tenth of a period, 45 more or less (standard deviation).
    let expected = THREADS * 3 / BINS as u64;
    for (bin, count) in bins.iter().enumerate() {
        assert!(count.abs_diff(expected) < 225, "bin {bin} has {count} ticks, not {expected}: {bins:?}");
    }
}

#[test]
fn a_period_is_never_shorter_than_the_kernel_can() {
    for mean in [0, 1, 100, 20_000, 100_000] {
        let mut jitter = Jitter::new(mean, 3);
        assert!(jitter.first() >= SHORTEST);
        assert!((0..1_000).all(|_| jitter.period() >= SHORTEST), "mean {mean}");
    }
}

#[test]
fn the_same_seed_gives_the_same_ticks_and_others_do_not() {
    let end = 50_000_000;
    assert_eq!(ticks(1_000_000, 42, end), ticks(1_000_000, 42, end));
    assert_ne!(ticks(1_000_000, 42, end), ticks(1_000_000, 44, end));
}
