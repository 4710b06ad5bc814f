//! Measures the time of a function.

use std::fmt;
use std::hint::black_box;
use std::time::{Duration, Instant};

const RUNS: usize = 15;

/// The shortest and the median time of [`RUNS`] runs.
pub struct Time {
    shortest: Duration,
    median: Duration,
}

impl fmt::Display for Time {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millis = |time: Duration| time.as_secs_f64() * 1e3;
        write!(out, "min {:>8.2} ms  median {:>8.2} ms", millis(self.shortest), millis(self.median))
    }
}

/// Runs the function `RUNS` times. Returns the times, and the result of the last run.
pub fn measure<T>(run: impl Fn() -> T) -> (Time, T) {
    let mut times = Vec::with_capacity(RUNS);
    for _ in 1..RUNS {
        let start = Instant::now();
        black_box(run());
        times.push(start.elapsed());
    }
    let start = Instant::now();
    let result = run();
    times.push(start.elapsed());
    times.sort();
    (Time { shortest: times[0], median: times[RUNS / 2] }, result)
}
