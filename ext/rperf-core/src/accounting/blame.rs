//! Blame: how long threads wait for the GVL, and how much of that time a tick charges to the stack
//! of the thread that has the GVL.

use super::waiters::Waited;
use crate::time::Nanos;

/// A usual tick corrects 1/`SLOWNESS` of the difference between time waited and time charged.
const SLOWNESS: i128 = 16;
/// Number of ticks over which the usual charge is averaged.
const LATELY: u64 = 64;

/// Charges of ticks, one after the other.
#[derive(Debug, Default)]
pub struct Blame {
    /// Time that threads had waited at the last tick.
    seen: Nanos,
    /// Time waited that is not charged yet, in nanoseconds; negative where more is charged.
    owed: i64,
    /// Recent mean charge of the ticks that charge anything.
    usual: u64,
}

impl Blame {
    /// Returns the charge of a tick that stands for `span`: the number of threads that wait now,
    /// times the span. A late tick does not know how many threads waited when it was due, so it
    /// charges the time waited since the last tick. Later ticks correct the errors, each in
    /// proportion to its own charge: code that runs while few threads wait gets no part of the time
    /// that is due to other code.
    pub fn tick(&mut self, waited: Waited, span: Nanos, is_late: bool) -> Nanos {
        let open = waited.time - self.seen;
        self.seen = waited.time;
        let own = if is_late { open.0 } else { span.0.saturating_mul(waited.count) };
        let charged = Nanos(own.saturating_add_signed(self.correction(own)));
        self.owed = self.owed.saturating_add_unsigned(open.0).saturating_sub_unsigned(charged.0);
        charged
    }

    /// Returns the correction of a tick that charges `own`, from the opposite of `own` to `own`.
    fn correction(&mut self, own: u64) -> i64 {
        if own == 0 {
            return 0;
        }
        let usual = if self.usual == 0 { own } else { self.usual };
        self.usual = ((LATELY - 1) * usual + own) / LATELY;
        let correction = i128::from(self.owed) * i128::from(own) / (SLOWNESS * i128::from(usual.max(1)));
        correction.clamp(-i128::from(own), i128::from(own)) as i64
    }

    /// Gives back the charge of a lost tick: later ticks charge it.
    pub fn give_back(&mut self, charged: Nanos) {
        self.owed = self.owed.saturating_add_unsigned(charged.0);
    }
}

/// Divides the time that both parts caused others to wait, in proportion to their own times. The
/// second part gets all of it where neither took any time.
pub fn divide(caused: Nanos, [first, second]: [Nanos; 2]) -> [Nanos; 2] {
    let both = u128::from(first.0) + u128::from(second.0);
    let part = u128::from(caused.0) * u128::from(first.0) / both.max(1);
    // No more than `caused`.
    let part = Nanos(part as u64);
    [part, caused - part]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accounting::Schedule;

    const TICK: u64 = 1_000_000;
    const PROMPT: bool = false;
    /// A late tick also charges half a period, on average, of the code that ran before.
    const LATE: bool = true;

    /// A piece of a program: the method that runs, for how long, and how many threads wait.
    type Piece = (usize, u64, u64);

    /// Returns the time waited during each of two methods, and the charge of each, in a program
    /// that repeats these pieces. `late`: ticks of the first method are seen at its end.
    fn charged(program: &[Piece], late: bool) -> [[f64; 2]; 2] {
        let (mut blame, mut schedule) = (Blame::default(), Schedule::new(TICK, 7));
        let (mut now, mut time) = (0, 0);
        let (mut waited, mut charged) = ([0.0; 2], [0.0; 2]);
        let mut tick = schedule.after(0);
        while now < 200_000 * TICK {
            for (method, length, waiting) in program {
                let begin = now;
                now += length;
                while tick < now {
                    let is_late = late && *method == 0;
                    let (seen, count) = if is_late { (now, 0) } else { (tick, *waiting) };
                    let seen_waits = Waited { count, time: Nanos(time + (seen - begin) * waiting) };
                    let caused = blame.tick(seen_waits, Nanos(TICK), is_late);
                    charged[*method] += caused.0 as f64;
                    tick = schedule.after(seen);
                }
                time += length * waiting;
                waited[*method] += (length * waiting) as f64;
            }
        }
        [waited, charged]
    }

    /// `tolerance`: the error that is allowed, as a part of each charge.
    fn assert_right(program: &[Piece], late: bool, tolerance: f64) {
        let [waited, charged] = charged(program, late);
        for (waited, charged) in waited.into_iter().zip(charged) {
            let all: f64 = waited.max(charged);
            assert!(
                (waited - charged).abs() <= tolerance * all + 20.0 * TICK as f64,
                "{charged} of {waited}: {program:?}"
            );
        }
    }

    #[test]
    fn each_method_is_charged_with_what_others_waited_for_it() {
        assert_right(&[(0, 30 * TICK, 3), (1, 10 * TICK, 3), (1, 2 * TICK, 0)], PROMPT, 0.02);
        assert_right(&[(0, 300_000, 2), (1, 700_000, 5)], PROMPT, 0.02);
        assert_right(&[(0, 200_000, 4), (1, 5 * TICK, 0)], PROMPT, 0.02);
        assert_right(&[(0, 90_000, 1), (1, 10_000, 7)], PROMPT, 0.02);
    }

    #[test]
    fn a_late_tick_charges_what_was_waited_since_the_last_one() {
        assert_right(&[(0, 40 * TICK, 3), (1, 20 * TICK, 1)], LATE, 0.04);
    }

    #[test]
    fn what_a_lost_tick_should_have_charged_later_ones_do() {
        let mut blame = Blame::default();
        let mut charged = 0;
        for tick in 1..=1_000 {
            let waited = Waited { count: 2, time: Nanos(2 * tick * TICK) };
            let caused = blame.tick(waited, Nanos(TICK), PROMPT);
            if tick % 10 == 0 { blame.give_back(caused) } else { charged += caused.0 }
        }
        assert!(charged.abs_diff(2_000 * TICK) < 50 * TICK, "{charged}");
    }

    fn divided(caused: u64, parts: [u64; 2]) -> [u64; 2] {
        divide(Nanos(caused), parts.map(Nanos)).map(|part| part.0)
    }

    #[test]
    fn each_part_has_its_share_and_nothing_is_lost() {
        assert_eq!(divided(900, [200, 100]), [600, 300]);
        assert_eq!(divided(10, [1, 2]), [3, 7]);
        assert_eq!(divided(7, [3, 0]), [7, 0]);
        assert_eq!(divided(7, [0, 0]), [0, 7]);
        assert_eq!(divided(u64::MAX, [u64::MAX, 0]), [u64::MAX, 0]);
    }
}
