//! CPU time that a thread uses without the GVL. To measure it takes a reading of its CPU clock at both ends, 0.2 us each,
//! which is too much for each of hundreds of thousands of suspensions a second. So where these are many, some are measured by
//! chance, each as likely as the next, and charged with as many times as that as they stand for. What the others use together is
//! known from readings in between: it is what they are charged from, so that the sum is right.

use super::{Charge, Jitter, Tally};
use crate::time::Nanos;

/// Measured suspensions, of whichever threads, are so far apart on average, or there is none between.
const APART: u64 = 200_000;
/// Those of one thread are at most so many times as far apart, however many others there are.
const SHARED: u64 = 4;
/// Suspensions of at least this are measured, whatever chance says, and charged for themselves alone.
pub const LONG: Nanos = Nanos(1_000_000);
/// When there was none for so long, the next one is: where suspensions become few, it might take long until chance says so.
const OVERDUE: Nanos = Nanos(16 * SHARED * APART);
/// Of so many suspensions one is measured at least.
const MOST: u64 = 256;
/// So much that has not been measured waits to be charged; less, in this proportion, as long as little has been. (The more
/// waits, the less does it matter how much comes at once; but it is charged to one stack when there will be no more.)
const WAITING: u64 = 5_000_000;
const PART: u64 = 16;
/// What has been measured counts half when it has come to this: what was long ago should not be charged with the rest.
const LONG_AGO: u64 = 100_000_000;

/// CPU time without the GVL of one thread.
#[derive(Clone, Debug)]
pub struct OffGvlCpu {
    jitter: Jitter,
    /// When the last measured suspension ended, and how many after that the one that is to be measured comes.
    last: Nanos,
    drawn: u32,
    /// One in so many is measured.
    every: u64,
    /// The mean time from one suspension to the next, in nanoseconds: the thread's own, and those of all threads.
    own: u64,
    all: u64,
    /// How many turns all threads together had had at `last`.
    turns: u64,
    unmeasured: Nanos,
    charged: u64,
    /// What has been measured lately, each as many times as it stands for.
    measured: u64,
}

impl OffGvlCpu {
    /// None yet. `seed` need not be random, only different.
    pub fn new(seed: u64) -> Self {
        Self {
            jitter: Jitter::new(APART, seed),
            last: Nanos::ZERO,
            drawn: 1,
            every: 1,
            own: APART,
            all: APART,
            turns: 0,
            unmeasured: Nanos::ZERO,
            charged: 0,
            measured: 0,
        }
    }

    /// A measured suspension ended, and has been [charged](Self::charge). `turns`: how often any thread has got the GVL so
    /// far. Returns how many are let pass until the next one.
    pub fn next(&mut self, now: Nanos, turns: u64) -> u32 {
        let passed = (now - std::mem::replace(&mut self.last, now)).0;
        let others = turns.saturating_sub(std::mem::replace(&mut self.turns, turns));
        let own = u64::from(self.drawn);
        self.own = lately(self.own, passed / own);
        self.all = lately(self.all, passed / others.max(own));
        // To measure one takes as long, whosever it is.
        self.every = (APART / self.all).min(SHARED * APART / self.own).clamp(1, MOST);
        self.drawn = self.draw();
        self.drawn - 1
    }

    /// Whether too long a time has passed without a measured suspension. Then the next one must be, and stands for itself.
    pub fn is_overdue(&mut self, now: Nanos) -> bool {
        let overdue = now - self.last > OVERDUE;
        if overdue {
            self.every = 1;
        }
        overdue
    }

    /// From a geometric distribution: each suspension is as likely as the next, whatever came before. (With others a program
    /// that does the same things in turn would be seen at the same one.)
    fn draw(&mut self) -> u32 {
        if self.every == 1 {
            return 1;
        }
        const STEPS: u64 = 1 << 32;
        let uniform = (self.jitter.below(STEPS) + 1) as f64 / STEPS as f64;
        1 + (uniform.ln() / (1.0 - 1.0 / self.every as f64).ln()) as u32
    }

    /// Time of suspensions that were not measured.
    pub fn add_unmeasured(&mut self, time: Nanos) {
        self.unmeasured += time;
    }

    /// A measured suspension, which was not [long](LONG), used so much: what its stack is charged with. `met`: it is the one to be charged with the
    /// [rest](Self::rest).
    pub fn charge(&mut self, time: Nanos) -> Charge {
        if time == Nanos::ZERO {
            return Charge::default();
        }
        let others = self.others(time.0);
        self.unmeasured = self.unmeasured - others;
        self.charged += (time + others).0;
        Charge { tally: Tally { time: time + others, count: 1 }, met: self.is_met(time) }
    }

    /// What is charged for those that were not measured: more the more of it waits. (How much that is depends on what was
    /// before, so it is the same for whatever is measured now.)
    fn others(&self, time: u64) -> Nanos {
        let share = time.saturating_mul(self.every - 1);
        let waiting = WAITING.min(self.charged / PART).max(1);
        let due = u128::from(share) * u128::from(self.unmeasured.0) / u128::from(waiting);
        Nanos(due.min(u128::from(self.unmeasured.0)) as u64)
    }

    /// Whether this one is chosen from all that were measured, each with a probability of its share (reservoir sampling
    /// with weights; Chao, "A general purpose unequal probability sampling plan", 1982).
    fn is_met(&mut self, time: Nanos) -> bool {
        if self.measured > LONG_AGO {
            self.measured /= 2;
        }
        let weight = time.0.saturating_mul(self.every);
        self.measured = self.measured.saturating_add(weight);
        self.jitter.below(self.measured) < weight
    }

    /// What has not been measured or charged.
    pub fn rest(&mut self) -> Nanos {
        std::mem::take(&mut self.unmeasured)
    }
}

/// The mean interval when there was one more, 1 ns at least.
fn lately(mean: u64, interval: u64) -> u64 {
    ((3 * mean + interval.min(MOST * APART)) / 4).max(1)
}

#[cfg(test)]
mod tests {
    use super::{OffGvlCpu, WAITING};
    use crate::time::Nanos;

    /// CPU time and wall time of suspensions.
    type Kind = (u64, u64);

    /// What each kind is charged with, when suspensions of these kinds follow one another, 1 us apart; and how many were
    /// measured.
    fn charge<const N: usize>(kinds: [Kind; N], rounds: usize) -> ([u64; N], usize) {
        let mut cpu = OffGvlCpu::new(7);
        let (mut now, mut passes, mut measured, mut candidate) = (0, 0, 0, 0);
        let mut charged = [0; N];
        for turn in 0..rounds * N {
            let (used, wall) = kinds[turn % N];
            now += wall + 1_000;
            if passes > 0 {
                passes -= 1;
                cpu.add_unmeasured(Nanos(used));
                continue;
            }
            measured += 1;
            let charge = cpu.charge(Nanos(used));
            charged[turn % N] += charge.tally.time.0;
            if charge.met {
                candidate = turn % N;
            }
            passes = cpu.next(Nanos(now), turn as u64 + 1);
        }
        charged[candidate] += cpu.rest().0;
        (charged, measured)
    }

    #[test]
    fn where_suspensions_are_few_all_are_measured() {
        let (charged, measured) = charge([(30_000, 30_000), (15_000, 500_000), (2_000, 2_000)], 1_000);
        assert_eq!((charged, measured), ([30_000_000, 15_000_000, 2_000_000], 3_000));
    }

    #[test]
    fn where_they_are_many_one_in_a_fifth_of_a_millisecond() {
        let (_, measured) = charge([(2_000, 2_000); 1], 1_000_000);
        assert!((10_000..22_500).contains(&measured), "{measured} in 3 s");
    }

    /// How many suspensions of one thread are measured in a second, when so many threads take turns of 2 us.
    fn measured_beside(threads: u64) -> usize {
        let mut cpu = OffGvlCpu::new(7);
        let mut turns = 0;
        let measured = std::iter::repeat_with(|| {
            turns += threads;
            let passes = u64::from(cpu.next(Nanos(turns * 2_000), turns));
            turns += passes * threads;
            turns
        });
        measured.take_while(|turns| turns * 2_000 < 1_000_000_000).count()
    }

    #[test]
    fn threads_that_take_turns_share_what_is_measured() {
        let [alone, two, four, forty] = [1, 2, 4, 40].map(measured_beside);
        assert!((4_000..7_500).contains(&alone), "{alone}");
        assert!((2_000..3_750).contains(&two), "{two}");
        assert!((1_000..1_875).contains(&four), "{four}");
        assert!((1_000..1_875).contains(&forty), "{forty}: at most four times as far apart");
    }

    #[test]
    fn where_they_become_few_the_next_is_measured_soon() {
        let mut cpu = OffGvlCpu::new(7);
        let mut now = 0;
        for _ in 0..1_000 {
            now += 2_000;
            let passes = cpu.next(Nanos(now), now / 2_000);
            now += 2_000 * u64::from(passes);
        }
        assert!(!cpu.is_overdue(Nanos(now + 1_000_000)));
        assert!(cpu.is_overdue(Nanos(now + 15_000_000)));
        assert_eq!(cpu.charge(Nanos(700)).tally.time, Nanos(700));
    }

    #[test]
    fn each_is_charged_with_its_share() {
        let burst =
            [(2_000, 2_000), (3_000, 3_000), (1_000, 1_000), (4_000, 4_000), (2_000, 2_000), (0, 60_000)];
        let wait_beside_writes = [(5_000, 5_000), (5_000, 5_000), (5_000, 5_000), (9_000, 80_000)];
        check(burst);
        check(wait_beside_writes);
        check([(1_000, 1_000), (2_000, 2_000), (8_000, 8_000)]);
    }

    fn check<const N: usize>(kinds: [Kind; N]) {
        let all: u64 = kinds.iter().map(|(used, _)| used).sum();
        let rounds = 4_000_000_000 / all;
        let (charged, _) = charge(kinds, rounds as usize);
        assert_eq!(charged.iter().sum::<u64>(), all * rounds, "no time is lost");
        for (charged, (used, _)) in charged.into_iter().zip(kinds) {
            let expected = (used * rounds) as f64;
            // Each measured one stands for 50 others or less, of so much time; three standard deviations, and the rest.
            let tolerance = 3.0 * (expected * 50.0 * used as f64).sqrt() + WAITING as f64;
            assert!((charged as f64 - expected).abs() <= tolerance, "{charged} of {expected} in {kinds:?}");
        }
    }
}
