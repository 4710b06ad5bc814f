//! Differences of two profiles that chance explains.
//!
//! Two recordings of the same program differ, for four reasons:
//!
//! * Ticks meet a function by chance: with `n` ticks a share `p` deviates by `sqrt(p(1-p)/n)`.
//!   Ticks that meet a thread while it waits for a processor meet it at one place, and count as one.
//! * The speed of the machine varies. All functions then change as the total does, without sleep
//!   and waits for what is outside of the program.
//! * A slow machine does not slow down all functions alike.
//! * The collector begins in one method in one run, and in another method in the next. Waiting
//!   depends on other programs and threads (see `certainty`).
//!
//! With one recording a side, the effect of the first is known, and constants stand for the others.
//! With several recordings, the differences among them are measured. For objects, and for what a
//! program counts itself, only the first applies: a slow machine does not make more of them. The
//! total of sampled objects is known no better than its parts: `n` of them deviate by `sqrt(n)`.
//!
//! For how long threads wait for a processor is a matter of the machine. So chance explains each
//! change of that time, and judges other changes without it.

use hashbrown::HashSet;

use super::certainty::time_of_speed;
use super::noise::Noise;
use super::quantile::student;
use super::{Change, Diff, FunctionDiff, Precision, Profile, Tally, diff};
use crate::time::Nanos;

/// Confidence that a change is beyond chance: the part of comparisons of equal programs in which
/// not a single change is found beyond chance.
pub const CONFIDENCE: f64 = 0.95;

/// Factor by which two runs of one program may differ in speed, with one recording a side: the same
/// work took 0.66 to 1.22 s of CPU time on a machine with busy neighbours.
pub(crate) const SPEED: f64 = 2.0;

/// Standard deviation of a function's time between two runs of one program, as a part of that time
/// and beside that of the total, as far as is known from one recording a side. It was 0.05 to 0.15
/// beside busy neighbours.
pub(crate) const UNEVENNESS: f64 = 0.12;

/// Times tell how fast the machine was if they are at least 1/`TIME_PART` of their totals: in a
/// program that only sleeps, the rest is a matter of chance.
pub(crate) const TIME_PART: f64 = 10.0;

/// Part of the probability of an error that is spent on the speed if there are several recordings.
pub(crate) const SPEED_PART: f64 = 0.5;

/// Minimum number of ticks, before and after together, for a change to be beyond chance.
pub(crate) const LEAST_TICKS: f64 = 4.0;

/// Changes between two profiles that chance explains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chance {
    /// Precision of the base and of the target.
    pub precision: [Precision; 2],
    /// Factor by which two runs of the same program may differ in speed, at least 1.
    pub speed: f64,
    /// Standard deviation of a function's time between two runs, as a part of that time, beside
    /// that of the total.
    pub unevenness: f64,
    total: Change,
    /// Times before and after that depend on the machine's speed.
    times: [u64; 2],
    /// Probability that a single change is found beyond chance though nothing changed.
    each: f64,
}

impl Chance {
    /// Computes the chance for two whole profiles whose functions are compared. The number of
    /// changes decides how rare one must be: at most one in twenty comparisons of equal programs
    /// has any change beyond chance (Bonferroni).
    pub fn of(base: &Profile, target: &Profile) -> Self {
        let Diff { total, functions } = diff(base, target).expect("check_alike has been called");
        let total = total.of_program();
        let functions: Vec<_> = functions.into_iter().map(FunctionDiff::of_program).collect();
        let precision = [base, target].map(Precision::of);
        let times = [base, target].map(time_of_speed);
        let wrong = 1.0 - CONFIDENCE;
        let is_time = precision.iter().any(|side| side.are_ticks);
        let (speed, unevenness) = if is_time { (SPEED, UNEVENNESS) } else { (1.0, 0.0) };
        let mut chance = Self { precision, speed, unevenness, total, times, each: wrong };
        if is_time && chance.freedom() > 0.0 {
            let recordings = [base, target].map(|side| side.meta.recordings.as_slice());
            let totals = recordings.map(|side| side.iter().map(|recording| recording.total).collect());
            chance.speed = chance.speed_between(totals, wrong * SPEED_PART);
            chance.unevenness = chance.unevenness_of(&functions);
            chance.each *= 1.0 - SPEED_PART;
        }
        chance.each /= chance.distinct(&functions).max(1) as f64;
        chance
    }

    /// Returns the maximum size of a change by chance alone, in the unit of weights. It includes
    /// the machine's part of the change.
    pub fn margin(&self, change: Change) -> f64 {
        let program = change.of_program();
        let machine = change.delta() - program.delta();
        let of_machine = if (machine > 0) == (change.delta() > 0) { machine.unsigned_abs() } else { 0 };
        self.margin_of_program(program) + of_machine as f64
    }

    fn margin_of_program(&self, change: Change) -> f64 {
        let drift = (self.ratio() - 1.0) * change.base.weight as f64;
        let same_direction = drift * change.delta() as f64 > 0.0;
        let (variance, freedom) = self.variance(change);
        student(self.each, freedom) * variance.sqrt() + if same_direction { drift.abs() } else { 0.0 }
    }

    /// Returns whether chance alone does not explain a change.
    pub fn is_exceeded_by(&self, change: Change) -> bool {
        change.delta().unsigned_abs() as f64 > self.margin(change)
    }

    /// Returns the factor by which the target may have run slower, as far as the times show it.
    fn ratio(&self) -> f64 {
        let [before, after] = self.times.map(|time| time as f64);
        let Change { base, target } = self.total;
        let tells = |time: f64, total: Tally| time > 0.0 && time * TIME_PART >= total.weight as f64;
        if !tells(before, base) || !tells(after, target) {
            return 1.0;
        }
        (after / before).clamp(1.0 / self.speed, self.speed)
    }

    /// Returns the variance of the difference, and its degrees of freedom. Differences among the
    /// recordings of a side beyond the expected ones count in full, but are known from these
    /// recordings alone (Welch and Satterthwaite).
    fn variance(&self, change: Change) -> (f64, f64) {
        let sides = self.sides(change);
        let expected: f64 = sides.iter().map(|side| side.of_mean(self.unevenness)).sum();
        let freedom = self.freedom();
        let spread: f64 = sides.iter().map(|side| side.unexpected_spread(self.unevenness)).sum();
        if spread <= 0.0 || freedom == 0.0 {
            return (expected, f64::INFINITY);
        }
        let unexpected = spread / freedom * sides.iter().map(|side| 1.0 / side.recordings).sum::<f64>();
        let variance = expected + unexpected;
        (variance, freedom * (variance / unexpected).powi(2))
    }

    fn sides(&self, change: Change) -> [Noise; 2] {
        let mut both = change.base;
        both.add(change.target);
        [
            Noise::of(change.base, self.total.base, both, self.precision[0]),
            Noise::of(change.target, self.total.target, both, self.precision[1]),
        ]
    }

    /// Returns the number of differences between recordings of a side that make up the spread.
    fn freedom(&self) -> f64 {
        self.precision.iter().map(|side| side.recordings as f64 - 1.0).sum()
    }

    /// Returns the factor that the totals of such recordings, equal but for the speed, exceed with
    /// this probability.
    fn speed_between(&self, totals: [Vec<Nanos>; 2], probability: f64) -> f64 {
        let mean = |side: &[Nanos]| side.iter().map(|it| it.0 as f64).sum::<f64>() / side.len() as f64;
        let squares = |side: &Vec<Nanos>| {
            let mean = mean(side).max(1.0);
            side.iter().map(|total| (total.0 as f64 / mean - 1.0).powi(2)).sum::<f64>()
        };
        let spread = totals.iter().filter(|side| side.len() > 1).map(squares).sum::<f64>() / self.freedom();
        let parts: f64 = self.precision.iter().map(|side| 1.0 / side.recordings as f64).sum();
        (1.0 + student(probability, self.freedom()) * (spread * parts).sqrt()).min(SPEED)
    }

    /// Estimates the unevenness from the differences of functions' own times, as far as these are
    /// certain, among the recordings of a side. A function without own time says nothing about it.
    fn unevenness_of(&self, functions: &[FunctionDiff<'_>]) -> f64 {
        let changes = functions.iter().map(|row| row.self_time).filter(|change| {
            let Change { base, target } = change;
            base.uncertain + target.uncertain < UNEVENNESS * (base.weight + target.weight) as f64
        });
        let sides: Vec<Noise> = changes.flat_map(|change| self.sides(change)).collect();
        let spread: f64 = sides.iter().map(Noise::spread_beyond_ticks).sum();
        let weights: f64 = sides.iter().map(|side| (side.recordings - 1.0) * side.uneven).sum();
        if weights > 0.0 { (spread / weights).max(0.0).sqrt() } else { 0.0 }
    }

    /// Returns the number of changes that may be beyond chance. Changes that are equal to a tick (a
    /// method, and the block in it) count once.
    fn distinct(&self, functions: &[FunctionDiff<'_>]) -> usize {
        let ticks = |part: Tally, precision: Precision| part.weight as f64 / precision.period;
        let changes = functions.iter().flat_map(|row| [row.self_time, row.cumulative]);
        let counts = changes
            .map(|it| [ticks(it.base, self.precision[0]), ticks(it.target, self.precision[1])])
            .filter(|counts| counts.iter().sum::<f64>() >= LEAST_TICKS);
        counts.map(|counts| counts.map(|count| count.round() as u64)).collect::<HashSet<_>>().len()
    }
}

#[cfg(test)]
mod tests {
    use super::super::quantile::normal;
    use super::*;
    use crate::ids::{LabelSetId, ThreadSeq};
    use crate::profile::{Builder, Meta, Period, ValueType, ValueTypes};

    /// Makes a profile of `number` objects of one method, and `others` of another one. One in
    /// `interval` objects was sampled.
    fn objects(interval: u64, number: u64, others: u64) -> Profile {
        let count = |kind: &str| ValueType::new(kind, "count");
        let meta = Meta {
            value_types: ValueTypes::from(count("alloc_objects")),
            period: Some(Period { value_type: count("objects"), length: interval }),
            ..Meta::default()
        };
        let mut builder = Builder::new(meta);
        for (label, number) in [("a", number), ("b", others)] {
            let function = builder.intern_function("a.rb", label, 0);
            let location = builder.intern_location(function, 1);
            builder.push(&[location], Nanos(number), number / interval, ThreadSeq(1), LabelSetId(0));
        }
        builder.build()
    }

    #[test]
    fn of_objects_chance_explains_which_were_sampled_and_nothing_else() {
        let is_beyond = |interval, number| {
            let [base, target] = [100_000, number].map(|number| objects(interval, number, 100_000));
            let change = diff(&base, &target).expect("they measure the same").functions[0].self_time;
            Chance::of(&base, &target).is_exceeded_by(change)
        };
        assert!(is_beyond(1, 100_001) && !is_beyond(1, 100_000));
        assert!(is_beyond(100, 125_000) && !is_beyond(100, 103_000));
    }

    #[test]
    fn the_number_of_all_sampled_objects_is_a_matter_of_chance() {
        let chance_of = |draws: [u64; 2]| {
            let [base, target] = draws.map(|draws| objects(500, draws * 500, 0));
            let change = diff(&base, &target).expect("they measure the same").functions[0].self_time;
            (Chance::of(&base, &target).margin(change) / 500.0, change.delta() / 500)
        };
        let (margin, change) = chance_of([379, 419]);
        // One draw on each side is not seen.
        let expected = normal(1.0 - CONFIDENCE) * f64::sqrt((379.0 + 419.0 + 2.0) * 0.998);
        assert!((margin - expected).abs() < 0.1 && change == 40, "{margin}, not {expected}");
        let (margin, change) = chance_of([379, 479]);
        assert!(margin < change as f64, "{margin}");
    }

    #[test]
    fn small_objects_are_judged_by_their_own_size() {
        let side = |small: u64| {
            let types =
                vec![ValueType::new("alloc_objects", "count"), ValueType::new("alloc_space", "bytes")];
            let period = Some(Period { value_type: ValueType::new("objects", "count"), length: 500 });
            let mut builder =
                Builder::new(Meta { value_types: ValueTypes::new(types, 1), period, ..Meta::default() });
            for (label, draws, bytes) in [("small", small, 40), ("large", 3, 1 << 20)] {
                let function = builder.intern_function("a.rb", label, 0);
                let location = builder.intern_location(function, 1);
                let values = [draws * 500, draws * 500 * bytes];
                builder.push_values(&[location], &values, draws, ThreadSeq(1), LabelSetId(0));
            }
            builder.build()
        };
        let is_beyond = |number| {
            let [base, target] = [100, number].map(side);
            let functions = diff(&base, &target).expect("they measure the same").functions;
            let small = functions.iter().find(|row| row.label == "small").expect("it is a function");
            Chance::of(&base, &target).is_exceeded_by(small.self_time)
        };
        assert!(is_beyond(200) && !is_beyond(110));
    }

    #[test]
    fn a_share_is_known_by_its_ticks_and_as_far_as_functions_slow_down_alike() {
        let mut builder = Builder::new(Meta { frequency: 1000, ..Meta::default() });
        let [main, a, b] = ["main", "a", "b"].map(|label| {
            let function = builder.intern_function("a.rb", label, 0);
            builder.intern_location(function, 1)
        });
        for (leaf, count) in [(a, 100), (b, 900)] {
            builder.push(&[leaf, main], Nanos(count * 1_000_000), count, ThreadSeq(1), LabelSetId(0));
        }
        let profile = builder.build();
        let chance = Chance::of(&profile, &profile);
        let row = diff(&profile, &profile).expect("it is the same").functions[1];
        // 100, 900 and 1000 ticks.
        assert_eq!(chance.each, (1.0 - CONFIDENCE) / 3.0);
        let uneven = (UNEVENNESS * 100.0).powi(2) * 0.9;
        let margin = normal(chance.each) * (2.0 * (1000.0 * 0.1 * 0.9 + 1.0 + uneven)).sqrt() * 1e6;
        assert!((chance.margin(row.self_time) - margin).abs() < 1.0);
        assert_eq!(chance.precision.map(|side| side.ticks), [1000, 1000]);
    }
}
