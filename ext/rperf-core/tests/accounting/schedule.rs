//! The spread of ticks: seen over many threads, no moment of their lives is favoured.

use rperf_core::accounting::Schedule;

const THREADS: u64 = 20_000;
/// How far an average over all threads may be off, in ticks. The number of ticks of a thread varies
/// by less than one (standard deviation 0.7 at most), so the average by 0.005: this is four times
/// as much.
const TOLERANCE: f64 = 0.02;

/// The ticks that meet each of many threads, in nanoseconds of its life: threads live one after the
/// other for `age`, and the ticks go on. `gap`: from the end of one to the beginning of the next.
fn ticks(mean: u64, age: u64, gap: u64, seed: u64) -> Vec<u64> {
    let mut schedule = Schedule::new(mean, seed);
    let mut moments = Vec::new();
    let mut tick = schedule.after(0);
    while tick < THREADS * (age + gap) {
        let moment = tick % (age + gap);
        if moment < age {
            moments.push(moment);
        }
        tick = schedule.after(tick);
    }
    moments
}

fn check(mean: u64, age: u64, gap: u64, seed: u64) {
    let average = ticks(mean, age, gap, seed).len() as f64 / THREADS as f64;
    let expected = age as f64 / mean as f64;
    assert!((average - expected).abs() < TOLERANCE, "{mean} ns: {average} ticks in {expected} periods");
}

#[test]
fn a_life_is_met_as_often_as_it_is_long() {
    let mean = 1_000_000;
    for tenths in [1, 2, 3, 5, 7, 9, 10, 11, 13, 15, 17, 20, 25, 33, 50] {
        check(mean, mean / 10 * tenths, 777_777, tenths);
    }
}

#[test]
fn it_holds_for_every_frequency() {
    // 1 Hz to 1 kHz.
    for mean in [1_000_000_000, 10_000_000, 3_333_333, 1_000_000] {
        for age in [mean / 4, mean / 2, mean, mean * 3 / 2, mean * 4] {
            check(mean, age, mean / 7 * 3, 3);
        }
    }
}

#[test]
fn it_holds_for_threads_that_are_in_step_with_the_ticks() {
    for (age, gap) in [(500_000, 500_000), (300_000, 700_000), (1_000_000, 1_000_000)] {
        check(1_000_000, age, gap, 11);
    }
}

#[test]
fn no_moment_of_a_life_is_favoured() {
    const BINS: usize = 30;
    let age = 3_000_000;
    let mut bins = [0_u64; BINS];
    for moment in ticks(1_000_000, age, 777_777, 5) {
        bins[moment as usize * BINS / age as usize] += 1;
    }
    // 2,000 ticks fall into each tenth of a period, 45 more or less (standard deviation).
    let expected = THREADS * 3 / BINS as u64;
    for (bin, count) in bins.iter().enumerate() {
        assert!(count.abs_diff(expected) < 225, "bin {bin} has {count} ticks, not {expected}: {bins:?}");
    }
}
