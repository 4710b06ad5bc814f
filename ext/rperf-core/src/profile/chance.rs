//! What chance explains of the difference of two profiles.
//!
//! Two recordings of the same program differ, for four reasons:
//!
//! * Ticks meet a function by chance: with `n` ticks a share `p` is known to `sqrt(p(1-p)/n)`.
//! * The machine is not always as fast. All functions then change as the total does.
//! * Nor does it slow down all functions alike.
//! * The collector begins in one method in one run, and in another method in the next; what waits
//!   depends on other programs and threads (see `certainty`).
//!
//! Of one recording a side the first is known, and constants stand for the others. Several
//! recordings say how much they differ among themselves. Of objects, and of what a program counts
//! itself, the first is all: no machine makes more of them by being slow.

use hashbrown::HashSet;

use super::noise::Noise;
use super::quantile::student;
use super::{Change, Diff, FunctionDiff, Precision, Profile, Tally, diff};
use crate::time::Nanos;

/// How sure it is that a change is beyond chance: of comparisons of equal programs, so many have
/// not a single one.
pub const CONFIDENCE: f64 = 0.95;

/// By how much two runs of one program may differ in speed as far as is known from one recording a
/// side: the same work took 0.66 to 1.22 s of CPU time on a machine with busy neighbours.
pub(crate) const SPEED: f64 = 2.0;

/// The standard deviation of a function's time between two runs of one program, as a part of it,
/// beside that of the total, as far as is known from one recording a side: 0.05 to 0.15 beside busy
/// neighbours.
pub(crate) const UNEVENNESS: f64 = 0.12;

/// With several recordings, which part of the chance to be wrong is left for the speed.
pub(crate) const SPEED_PART: f64 = 0.5;

/// What has fewer ticks than this, before and after together, is never beyond chance.
pub(crate) const LEAST_TICKS: f64 = 4.0;

/// What chance explains of changes between two profiles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chance {
    /// Of the base and of the target.
    pub precision: [Precision; 2],
    /// By which factor two runs of the same program may differ in speed, at least 1.
    pub speed: f64,
    /// The standard deviation of a function's time between two runs, as a part of it, beside that
    /// of the total.
    pub unevenness: f64,
    total: Change,
    /// With which probability a single change is found beyond chance though nothing changed.
    each: f64,
}

impl Chance {
    /// That of whole profiles, as their functions are compared. Their numbers decide how rare a
    /// change must be: one in twenty comparisons of equal programs may have any beyond chance
    /// (Bonferroni).
    pub fn of(base: &Profile, target: &Profile) -> Self {
        let Diff { total, functions } = diff(base, target).expect("check_alike has been called");
        let precision = [base, target].map(Precision::of);
        let wrong = 1.0 - CONFIDENCE;
        let is_time = precision.iter().any(|side| side.are_ticks);
        let (speed, unevenness) = if is_time { (SPEED, UNEVENNESS) } else { (1.0, 0.0) };
        let mut chance = Self { precision, speed, unevenness, total, each: wrong };
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

    /// How large a change may be by chance alone, in the unit of weights.
    pub fn margin(&self, change: Change) -> f64 {
        let drift = (self.ratio() - 1.0) * change.base.weight as f64;
        let same_direction = drift * change.delta() as f64 > 0.0;
        let (variance, freedom) = self.variance(change);
        student(self.each, freedom) * variance.sqrt() + if same_direction { drift.abs() } else { 0.0 }
    }

    /// Whether chance alone does not explain it.
    pub fn is_exceeded_by(&self, change: Change) -> bool {
        change.delta().unsigned_abs() as f64 > self.margin(change)
    }

    /// How much slower the target may have run, as far as the totals say so.
    fn ratio(&self) -> f64 {
        let Change { base, target } = self.total;
        if base.weight == 0 || target.weight == 0 {
            return 1.0;
        }
        (target.weight as f64 / base.weight as f64).clamp(1.0 / self.speed, self.speed)
    }

    /// That of the difference, and the degrees of freedom with which it is known: what the
    /// recordings of a side differ by beyond what is expected counts in full, but is known from
    /// them alone (Welch and Satterthwaite).
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
        let side = |part, total, precision: Precision| Noise::of(part, total, precision.recordings as f64);
        [
            side(change.base, self.total.base, self.precision[0]),
            side(change.target, self.total.target, self.precision[1]),
        ]
    }

    /// From how many differences between recordings of the same side the spread is known.
    fn freedom(&self) -> f64 {
        self.precision.iter().map(|side| side.recordings as f64 - 1.0).sum()
    }

    /// The factor that the totals of such recordings, equal but for the speed, exceed with this
    /// probability.
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

    /// From what functions' own times, as far as they are certain, differ by among the recordings
    /// of a side.
    fn unevenness_of(&self, functions: &[FunctionDiff<'_>]) -> f64 {
        let changes = functions.iter().map(|row| row.self_time).filter(|change| {
            let Change { base, target } = change;
            base.uncertain + target.uncertain <= UNEVENNESS * (base.weight + target.weight) as f64
        });
        let sides: Vec<Noise> = changes.flat_map(|change| self.sides(change)).collect();
        let spread: f64 = sides.iter().map(Noise::spread_beyond_ticks).sum();
        let weights: f64 = sides.iter().map(|side| (side.recordings - 1.0) * side.uneven).sum();
        if weights > 0.0 { (spread / weights).max(0.0).sqrt() } else { 0.0 }
    }

    /// How many changes there are of which one may be beyond chance. Those that are the same to a
    /// tick (a method, and the block in it) are one.
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

    /// So many objects of a method, and as many of another one, of which one of `interval` was
    /// sampled.
    fn objects(interval: u64, number: u64) -> Profile {
        let count = |kind: &str| ValueType::new(kind, "count");
        let meta = Meta {
            value_types: ValueTypes::from(count("alloc_objects")),
            period: Some(Period { value_type: count("objects"), length: interval }),
            ..Meta::default()
        };
        let mut builder = Builder::new(meta);
        for (label, number) in [("a", number), ("b", 100_000)] {
            let function = builder.intern_function("a.rb", label, 0);
            let location = builder.intern_location(function, 1);
            builder.push(&[location], Nanos(number), number / interval, ThreadSeq(1), LabelSetId(0));
        }
        builder.build()
    }

    #[test]
    fn of_objects_chance_explains_which_were_sampled_and_nothing_else() {
        let is_beyond = |interval, number| {
            let (base, target) = (objects(interval, 100_000), objects(interval, number));
            let change = diff(&base, &target).expect("they measure the same").functions[0].self_time;
            Chance::of(&base, &target).is_exceeded_by(change)
        };
        assert!(is_beyond(1, 100_001) && !is_beyond(1, 100_000));
        assert!(is_beyond(100, 125_000) && !is_beyond(100, 103_000));
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
