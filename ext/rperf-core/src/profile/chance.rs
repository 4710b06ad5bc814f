//! What chance explains of the difference of two profiles.
//!
//! Two recordings of the same program differ, for four reasons:
//!
//! * Ticks meet a function by chance: with `n` ticks a share `p` is known to `sqrt(p(1-p)/n)`.
//! * The machine is not always as fast. All functions then change as the total does.
//! * The collector begins in one method in one run, and in another method in the next.
//! * What waits depends on other programs and threads.

use super::{Change, Precision, Profile, Tally, diff};
use crate::time::Nanos;

/// How sure it is that a change is beyond chance: of comparisons of equal programs, so many have
/// not a single one.
pub const CONFIDENCE: f64 = 0.95;

/// By how much two runs of one program may differ in speed as far as is known from one recording a
/// side: the same work took 0.60 to 0.91 s of CPU time on a machine with busy neighbours.
const SPEED: f64 = 1.5;

/// By which factor time off the GVL may differ: other programs, disks and the threads that compete
/// for the GVL decide it.
const WAITS: f64 = 2.0;

/// Student's t for [`CONFIDENCE`], two-sided, with 1, 2, ... degrees of freedom; then about 2.2.
const STUDENT: [f64; 10] = [12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23];

/// What chance explains of changes between two profiles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chance {
    /// Of the base and of the target.
    pub precision: [Precision; 2],
    /// By which factor two runs of the same program may differ in speed, at least 1.
    pub speed: f64,
    total: Change,
    /// How many standard deviations a change must have.
    deviations: f64,
}

impl Chance {
    /// That of whole profiles, as their functions are compared. Their numbers decide how rare a
    /// change must be: one in twenty comparisons of equal programs may have any beyond chance.
    pub fn of(base: &Profile, target: &Profile) -> Self {
        let diff = diff(base, target).expect("check_alike has been called");
        let changes = diff.functions.iter().flat_map(|function| [function.self_time, function.cumulative]);
        Self {
            precision: [base, target].map(Precision::of),
            speed: speed([base, target].map(|side| side.meta.recordings.as_slice())),
            total: diff.total,
            deviations: deviations(changes.filter(|change| change.is_any()).count().max(1)),
        }
    }

    /// How large a change may be by chance alone, in the unit of weights.
    pub fn margin(&self, change: Change) -> f64 {
        let drift = (self.ratio() - 1.0) * change.base.weight as f64;
        let same_direction = drift * change.delta() as f64 > 0.0;
        let variance = variance(change.base, self.total.base) + variance(change.target, self.total.target);
        let moved = (change.target.movable - change.base.movable).abs()
            + change.target.waited.min(change.base.waited) as f64 * (WAITS - 1.0);
        self.deviations * variance.sqrt() + moved + if same_direction { drift.abs() } else { 0.0 }
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
}

/// Of a part whose share of the total is what chance decides: `n p (1-p)` for equal ticks, and one
/// tick, since less than one is not seen.
fn variance(part: Tally, total: Tally) -> f64 {
    let share = if total.weight == 0 { 0.0 } else { part.weight as f64 / total.weight as f64 };
    let rest = (total.variance - part.variance).max(0.0);
    let tick = if total.weight == 0 { 0.0 } else { total.variance / total.weight as f64 };
    (1.0 - share).powi(2) * part.variance + share.powi(2) * rest + tick.powi(2)
}

/// How many standard deviations none of so many changes exceeds, with [`CONFIDENCE`] (Bonferroni).
/// Of normal distributions, and of those that are as wide, at most `2 exp(-z²/2)` is beyond `z`.
fn deviations(changes: usize) -> f64 {
    let each = (1.0 - CONFIDENCE) / changes as f64;
    (2.0 * (2.0 / each).ln()).sqrt()
}

/// From what the recordings of each side weigh, where there are several on one of them.
fn speed(sides: [&[Nanos]; 2]) -> f64 {
    let mean = |side: &[Nanos]| side.iter().map(|total| total.0 as f64).sum::<f64>() / side.len() as f64;
    let squares = |side: &[Nanos]| {
        let mean = mean(side);
        side.iter().map(|total| (total.0 as f64 / mean - 1.0).powi(2)).sum::<f64>()
    };
    let known = sides.into_iter().filter(|side| side.len() > 1 && mean(side) > 0.0);
    let freedom: usize = known.clone().map(|side| side.len() - 1).sum();
    if freedom == 0 {
        return SPEED;
    }
    let spread = known.map(squares).sum::<f64>() / freedom as f64;
    let parts: f64 = sides.iter().map(|side| 1.0 / side.len().max(1) as f64).sum();
    let student = STUDENT.get(freedom - 1).copied().unwrap_or(2.2);
    (1.0 + student * (spread * parts).sqrt()).min(SPEED)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{LabelSetId, ThreadSeq};
    use crate::profile::{Builder, Meta};
    use crate::state::VmState;

    /// Functions that were met so often, with ticks of 1 ms; all are called by `main`.
    fn profile(ticks: &[(&str, u64)], recordings: &[u64]) -> Profile {
        let recordings = recordings.iter().map(|total| Nanos(*total)).collect();
        let mut builder = Builder::new(Meta { frequency: 1000, recordings, ..Meta::default() });
        let [main] = ["main"].map(|label| builder.intern_function("a.rb", label, 0));
        let main = builder.intern_location(main, 1);
        for (label, count) in ticks {
            let function = builder.intern_function("a.rb", label, 0);
            let location = builder.intern_location(function, 1);
            builder.push(&[location, main], Nanos(count * 1_000_000), *count, ThreadSeq(1), LabelSetId(0));
        }
        builder.build()
    }

    fn beyond<'p>(base: &'p Profile, target: &'p Profile) -> Vec<&'p str> {
        let chance = Chance::of(base, target);
        let functions = diff(base, target).expect("they measure the same").functions;
        let beyond = functions
            .into_iter()
            .filter(|row| chance.is_exceeded_by(row.self_time) || chance.is_exceeded_by(row.cumulative));
        beyond.map(|row| row.label).collect()
    }

    #[test]
    fn a_share_is_known_by_its_ticks() {
        let base = profile(&[("a", 100), ("b", 900)], &[]);
        let chance = Chance::of(&base, &base);
        let row = diff(&base, &base).expect("it is the same").functions[1];
        // Three functions, one of which has no weight of its own, make five changes.
        assert!((3.25..3.26).contains(&chance.deviations), "{}", chance.deviations);
        let margin = chance.deviations * (2.0f64 * (1000.0 * 0.1 * 0.9 + 1.0)).sqrt() * 1e6;
        assert!((chance.margin(row.self_time) - margin).abs() < 1.0);
        assert_eq!(chance.precision.map(|side| side.ticks), [1000, 1000]);
    }

    #[test]
    fn deviations_are_at_least_those_of_the_normal_distribution() {
        for (changes, least) in [(1, 1.96), (10, 2.807), (100, 3.48), (10_000, 4.56)] {
            assert!(
                (least..least * 1.4).contains(&deviations(changes)),
                "{changes}: {}",
                deviations(changes)
            );
        }
    }

    #[test]
    fn more_ticks_see_smaller_changes() {
        let changed = |factor: u64| {
            let base = profile(&[("a", 30 * factor), ("b", 70 * factor)], &[]);
            let target = profile(&[("a", 36 * factor), ("b", 70 * factor)], &[]);
            beyond(&base, &target).contains(&"a")
        };
        assert_eq!([1, 10, 100].map(changed), [false, false, true]);
    }

    #[test]
    fn a_slower_machine_explains_what_grew_as_the_total_did() {
        let base = profile(&[("a", 30_000), ("b", 70_000)], &[]);
        assert!(beyond(&base, &profile(&[("a", 42_000), ("b", 98_000)], &[])).is_empty());
        assert_eq!(beyond(&base, &profile(&[("a", 54_000), ("b", 84_000)], &[])), ["a"]);
        assert_eq!(beyond(&base, &profile(&[("a", 60_000), ("b", 140_000)], &[])), ["main", "a", "b"]);
        assert_eq!(beyond(&base, &profile(&[("a", 15_000), ("b", 70_000)], &[])), ["a"]);
    }

    #[test]
    fn several_recordings_say_how_fast_the_machine_is() {
        let functions = [("a", 30_000), ("b", 70_000)];
        let slower = [("a", 33_000), ("b", 77_000)];
        let base = profile(&functions, &[100, 101, 99]);
        let chance = Chance::of(&base, &profile(&slower, &[110, 111, 109]));
        assert!((1.02..1.03).contains(&chance.speed), "{}", chance.speed);
        assert_eq!(beyond(&base, &profile(&slower, &[110, 111, 109])), ["main", "a", "b"]);
        assert!(beyond(&base, &profile(&slower, &[130, 110, 90])).is_empty());
        assert!(beyond(&profile(&functions, &[]), &profile(&slower, &[])).is_empty());
    }

    /// 10,000 ticks of a method, and a state for so many milliseconds, in the method and elsewhere.
    fn with_state(state: VmState, inside: u64, elsewhere: u64) -> Profile {
        let mut builder = Builder::new(Meta { frequency: 1000, ..Meta::default() });
        let [path, label] = [state.path(), state.label()].map(|name| name.expect("it has a frame"));
        let [state, method, other] = [(path, label), ("a.rb", "method"), ("a.rb", "other")].map(|it| {
            let function = builder.intern_function(it.0, it.1, 0);
            builder.intern_location(function, 0)
        });
        let stacks = [
            (vec![method], 10_000, 10_000),
            (vec![state, method], inside, 500),
            (vec![state, other], elsewhere, 500),
            (vec![other], 10_000, 10_000),
        ];
        for (stack, milliseconds, count) in stacks {
            builder.push(&stack, Nanos(milliseconds * 1_000_000), count, ThreadSeq(1), LabelSetId(0));
        }
        builder.build()
    }

    #[test]
    fn where_the_collector_begins_is_chance_but_not_how_much_it_does() {
        let base = with_state(VmState::GcSweep, 2000, 0);
        assert!(beyond(&base, &with_state(VmState::GcSweep, 0, 2000)).is_empty());
        assert_eq!(beyond(&base, &with_state(VmState::GcSweep, 4000, 0)), ["[GC sweeping]"]);
    }

    #[test]
    fn waits_may_take_twice_as_long() {
        let base = with_state(VmState::GvlBlocked, 1000, 1000);
        assert!(beyond(&base, &with_state(VmState::GvlBlocked, 1900, 1900)).is_empty());
        assert_eq!(beyond(&base, &with_state(VmState::GvlBlocked, 4000, 1000)), ["[GVL blocked]", "method"]);
    }

    #[test]
    fn nothing_before_and_nothing_now() {
        let (something, nothing) = (profile(&[("a", 1000)], &[]), profile(&[], &[]));
        assert_eq!(beyond(&nothing, &something), ["main", "a"]);
        assert_eq!(beyond(&something, &nothing), ["main", "a"]);
        assert!(beyond(&nothing, &nothing).is_empty());
    }

    /// Ticks that chance has shared out: 40 functions, one of them half of all, most of them small.
    fn drawn(random: &mut impl FnMut() -> f64) -> Profile {
        let mut counts = [0u64; 40];
        for _ in 0..1500 {
            counts[(-random().log2() * 4.0) as usize % 40] += 1;
        }
        let names: Vec<String> = (0..40).map(|number| format!("f{number}")).collect();
        let rows: Vec<_> = names.iter().map(String::as_str).zip(counts).filter(|row| row.1 > 0).collect();
        profile(&rows, &[])
    }

    #[test]
    fn chance_alone_is_seldom_exceeded() {
        let mut state = 7u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 11) as f64 + 1.0) / (1u64 << 53) as f64
        };
        let pairs = (0..400).map(|_| [drawn(&mut random), drawn(&mut random)]);
        let wrong = pairs.filter(|[base, target]| !beyond(base, target).is_empty()).count();
        assert!(wrong <= 20, "{wrong} of 400 comparisons of the same program have a change beyond chance");
    }
}
