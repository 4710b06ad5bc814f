//! What ticks weigh, and the time that no tick has been charged with yet.
//!
//! If each tick were given all that ran since the one before, its weight would depend on where it
//! comes. In a burst of work between two pauses (without the VM's lock, or in the collector, whose
//! times are exact, so that ticks there charge nothing) what runs first would get less than its
//! share, and what runs last more: at the beginning less has come together. (Measured: a tenth of
//! the time of bursts of 0.8 ms; 2 to 3 % of a program's time where one of its methods runs the
//! collector.) And in a program that loops in step with the schedule's strata, what runs at the
//! end of each would get more: there the tick before is further away. (Measured: up to 5 %.) So a
//! tick weighs the time that it stands for, which is the same for every method; and what that is
//! too much or too little is made up for over many later ticks, wherever these are.

/// One part in so many of what is too much or too little is made up for at each tick.
const SLOWNESS: i64 = 16;
/// So many times as much as ticks are from what has run is held back, for ticks that weigh more
/// than that; less, in this proportion, as long as little was uneven.
const HELD_BACK: u64 = 8;
const PART: u64 = 16;

/// Time of one thread that is not charged yet, since ticks weighed less.
#[derive(Clone, Debug, Default)]
pub struct WeightSmoother {
    time: u64,
    /// How far ticks are from what has run: lately, on average, and in sum.
    uneven: u64,
    all_uneven: u64,
}

impl WeightSmoother {
    /// A tick comes that stands for `span` nanoseconds, 0 where that is unknown; since the last
    /// one that was charged, the thread ran for `open`. Returns the weight.
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
        let weight = span.saturating_add_signed(surplus / SLOWNESS).min(all);
        self.time = all - weight;
        weight
    }

    /// Time that was taken and could not be charged.
    pub fn give_back(&mut self, time: u64) {
        self.time += time;
    }

    /// What is not charged yet.
    pub fn take(&mut self) -> u64 {
        std::mem::take(&mut self.time)
    }
}

#[cfg(test)]
mod tests {
    use super::WeightSmoother;
    use crate::accounting::Schedule;
    use crate::state::ByClock;

    const TICK: u64 = 1_000_000;

    /// What a thread does for so long: runs that method, or something else.
    type Piece = (Option<usize>, u64);

    /// How wrong the shares of two methods are, in parts of what they ran, in a program that does
    /// this again and again. `weigh`: what ran since the last tick that was charged, and what the
    /// tick span.
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
                        charged[*method] += weigh(open + tick - begin, schedule.span().cpu);
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

    /// Without a smoother, and with it.
    fn errors(program: &[Piece]) -> [f64; 2] {
        let mut smoother = WeightSmoother::default();
        [error(program, |open, _| open), error(program, |open, span| smoother.weigh(open, span))]
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

    /// How much too much the second of two methods gets, in parts of all, which take 2 ms each in
    /// turns, where each 40th tick comes 6 ms late or more, when that one begins.
    fn favoured(span: fn(ByClock<u64>) -> u64) -> f64 {
        const TURN: u64 = 4 * TICK;
        let (mut schedule, mut smoother) = (Schedule::new(TICK, 7), WeightSmoother::default());
        let (mut last, mut second) = (0, 0);
        for number in 0..20_000 {
            let due = schedule.after(last);
            let late = (due + 6 * TICK).next_multiple_of(TURN) + TURN / 2;
            let moment = if number % 40 == 0 { late } else { due };
            let weight = smoother.weigh(moment - last, span(schedule.span()));
            second += if moment % TURN >= TURN / 2 { weight } else { 0 };
            last = moment;
        }
        second as f64 / last as f64 - 0.5
    }

    #[test]
    fn where_late_ticks_come_there_is_little_more_by_the_cpu_clock() {
        let [cpu, wall] = [favoured(|span| span.cpu), favoured(|span| span.wall)];
        assert!(cpu < 0.045 && wall > 0.1, "{cpu}, {wall}");
    }

    #[test]
    fn where_nobody_knows_what_a_tick_stands_for_it_weighs_what_has_run() {
        let mut smoother = WeightSmoother::default();
        for open in [1_000_000, 30, 2_500_000, 0, 700_000] {
            assert_eq!(smoother.weigh(open, 0), open);
        }
        smoother.give_back(70_000);
        assert_eq!(smoother.weigh(600_000, 0), 670_000);
        assert_eq!(smoother.take(), 0);
    }

    #[test]
    fn no_more_is_charged_than_has_run() {
        let mut smoother = WeightSmoother::default();
        let (mut open, mut charged) = (0, 0);
        for tick in 0..10_000_u64 {
            let ran = tick * 7_919 % TICK;
            charged += smoother.weigh(ran, TICK);
            open += ran;
            assert!(charged <= open, "{charged} of {open} at {tick}");
            assert!(open - charged <= 8 * TICK, "{charged} of {open} at {tick}");
        }
        assert_eq!(charged + smoother.take(), open);
    }
}
