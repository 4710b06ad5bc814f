//! Weights of ticks, and the time that no tick has been charged with yet.
//!
//! If each tick were given all the time that ran since the tick before, its weight would depend on
//! where it comes. In a burst of work between two pauses, methods that run first would get less
//! than their share, and methods that run last more: less time has come together at first. (Pauses
//! are off the GVL or in the collector. Their time is exact, so ticks there charge nothing.
//! Measured: a tenth of the time of bursts of 0.8 ms; 2 to 3 % of a program's time where one of its
//! methods runs the collector.) In a program that loops in step with the schedule's strata, methods
//! at the end of each stratum would get more: the tick before is further away there. (Measured: up
//! to 5 %.) So a tick weighs the time that it stands for, which is the same for every method. Many
//! later ticks, wherever they are, make up for the difference to the time that ran.

/// Each tick corrects 1/`SLOWNESS` of the difference between the time that ran and the weights.
const SLOWNESS: i64 = 16;
/// Time held back for ticks that weigh more than has run, as a multiple of the usual difference
/// between a tick's span and the time that ran. At most 1/`PART` of all differences is held back.
const HELD_BACK: u64 = 8;
const PART: u64 = 16;
/// Maximum time that is not charged yet, in spans. Where the sampling thread gets no processor and
/// ticks come ten times too seldom, it would be 200 spans: a later method would be charged with it.
const MOST_SPANS: u64 = 16;

/// Time of one thread that has run and is not charged yet, since ticks weighed less.
#[derive(Clone, Debug, Default)]
pub struct WeightSmoother {
    time: u64,
    /// Differences between the spans of ticks and the time that ran: recent mean, and sum.
    uneven: u64,
    all_uneven: u64,
}

impl WeightSmoother {
    /// Returns the weight of a tick that stands for `span` nanoseconds, 0 where that is unknown.
    /// `open`: the time that the thread ran since the last tick that was charged.
    pub fn weigh(&mut self, open: u64, span: u64) -> u64 {
        if span == 0 {
            return open + self.take();
        }
        let uneven = span.abs_diff(open);
        self.uneven = (63 * self.uneven + uneven) / 64;
        self.all_uneven = self.all_uneven.saturating_add(uneven);
        let all = self.time + open;
        let held_back = (HELD_BACK * self.uneven).min(self.all_uneven / PART);
        let surplus = all as i64 - span as i64 - held_back as i64;
        let weight = span
            .saturating_add_signed(surplus / SLOWNESS)
            .max(all.saturating_sub(MOST_SPANS * span))
            .min(all);
        self.time = all - weight;
        weight
    }

    /// Takes the time that is not charged yet.
    pub fn take(&mut self) -> u64 {
        std::mem::take(&mut self.time)
    }
}

#[cfg(test)]
mod tests {
    use super::WeightSmoother;
    use crate::accounting::Schedule;

    const TICK: u64 = 1_000_000;

    /// The method that a thread runs, or `None` for something else, and for how long.
    type Piece = (Option<usize>, u64);

    /// Returns the error of the shares of two methods, as a part of the time that both ran, in a
    /// program that repeats these pieces. `weigh` gets the time that ran since the last tick that
    /// was charged, and the span of the tick.
    fn error(program: &[Piece], mut weigh: impl FnMut(u64, u64) -> u64) -> f64 {
        let mut schedule = Schedule::new(TICK, 7);
        let (mut now, mut open) = (0, 0);
        let (mut ran, mut charged) = ([0_u64; 2], [0_u64; 2]);
        let mut tick = schedule.after(0);
        while now < 1_000_000 * TICK {
            for (method, time) in program {
                let mut begin = now;
                now += time;
                while tick < now {
                    if let Some(method) = method {
                        charged[*method] += weigh(open + tick - begin, TICK);
                        open = 0;
                    }
                    begin = tick;
                    tick = schedule.after(tick);
                }
                if let Some(method) = method {
                    (open, ran[*method]) = (open + now - begin, ran[*method] + time);
                }
            }
        }
        let [all_ran, all_charged] = [ran, charged].map(|times| times.iter().sum::<u64>());
        assert!(all_ran.abs_diff(all_charged) < 10 * TICK, "{all_charged} of {all_ran}");
        (charged[0] as f64 - ran[0] as f64).abs() / all_ran as f64
    }

    /// Returns the errors without a smoother, and with one.
    fn errors(program: &[Piece]) -> [f64; 2] {
        let mut smoother = WeightSmoother::default();
        [error(program, |open, _| open), error(program, |open, span| smoother.weigh(open, span))]
    }

    #[test]
    fn where_ticks_come_seldom_little_is_charged_to_what_runs_later() {
        let mut smoother = WeightSmoother::default();
        let weights: u64 = (0..300).map(|_| smoother.weigh(10 * TICK, TICK)).sum();
        assert_eq!((weights, smoother.take()), (2_984 * TICK, 16 * TICK));
    }

    #[test]
    fn methods_that_run_the_collector_lose_nothing_to_others() {
        for step in [50_000, 250_000, 500_000] {
            let mut program = vec![(Some(0), 3 * TICK)];
            for _ in 0..3 * TICK / step {
                program.extend([(Some(1), step), (None, step)]);
            }
            let [without, with] = errors(&program);
            assert!(with < 0.004 && without > 0.008, "{step}: {with}, without {without}");
        }
    }

    #[test]
    fn what_runs_just_after_a_wait_has_its_share() {
        for [first, second, wait] in
            [[200_000, 200_000, 1_100_000], [300_000, 300_000, 7_000_000], [900_000, 300_000, 2_500_000]]
        {
            let [without, with] = errors(&[(Some(0), first), (Some(1), second), (None, wait)]);
            assert!(with < 0.006 && without > 0.02, "{first} {second} {wait}: {with}, without {without}");
        }
    }

    #[test]
    fn programs_in_step_with_the_ticker_are_seen_as_they_are() {
        for begin in [0, 100_000, 200_000] {
            let mut program = vec![(Some(1), begin), (Some(0), 300_000), (Some(1), 200_000 - begin)];
            program.extend_from_within(..);
            let [without, with] = errors(&program);
            assert!(
                with < 0.006 && (without > 0.05 || begin == 100_000),
                "{begin}: {with}, without {without}"
            );
        }
    }

    /// Returns by how much the second of two methods gets too much, as a part of all time. The
    /// methods take turns of 2 ms. Each 40th tick comes at least 6 ms late, when the second begins.
    /// `span`: the span of a tick that comes so late.
    fn favoured(span: fn(u64) -> u64) -> f64 {
        const TURN: u64 = 4 * TICK;
        let (mut schedule, mut smoother) = (Schedule::new(TICK, 7), WeightSmoother::default());
        let (mut last, mut second) = (0, 0);
        for number in 0..20_000 {
            let due = schedule.after(last);
            let late = (due + 6 * TICK).next_multiple_of(TURN) + TURN / 2;
            let moment = if number % 40 == 0 { late } else { due };
            let weight = smoother.weigh(moment - last, span(moment - due));
            second += if moment % TURN >= TURN / 2 { weight } else { 0 };
            last = moment;
        }
        second as f64 / last as f64 - 0.5
    }

    #[test]
    fn where_late_ticks_come_there_is_little_more_by_the_cpu_clock() {
        let [cpu, wall] = [favoured(|_| TICK), favoured(|late| TICK + late)];
        assert!(cpu < 0.045 && wall > 0.1, "{cpu}, {wall}");
    }
}
