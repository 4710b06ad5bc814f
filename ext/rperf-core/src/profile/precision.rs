//! Precision of a profile: the number of its ticks, and how far chance may have moved weights.

use super::draws::Draws;
use super::{Profile, Sample, Ticks, ValueType, state_totals};
use crate::state::VmState;
use crate::time::Nanos;

/// A weight, and how far chance may have moved it.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Tally {
    /// The weight; the mean if there are several recordings.
    pub weight: u64,
    /// Part of the weight in which threads waited for a processor. It is the machine's time, so the
    /// variance does not include it, and changes are judged without it.
    pub machine: u64,
    /// Variance of the weight, since chance decides whether a tick meets something.
    pub variance: f64,
    /// Standard deviation of its uncertain parts, such as the collector's, in one recording.
    pub uncertain: f64,
    /// Sum over the recordings of the squared distance between the weight in the recording and the
    /// mean share of the recording's total; 0 for one recording.
    pub spread: f64,
}

impl Tally {
    /// Adds the weight of another sample, with its variance and uncertain parts.
    pub(super) fn add(&mut self, other: Self) {
        self.weight += other.weight;
        self.machine += other.machine;
        self.variance += other.variance;
        self.uncertain += other.uncertain;
    }

    /// Returns the tally without the machine's time.
    pub(super) fn of_program(self) -> Self {
        Self { weight: self.weight - self.machine, machine: 0, ..self }
    }
}

/// Precision with which ticks measure the weights of a profile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Precision {
    /// Number of ticks of the samples that have a weight: others are of other values. The number of
    /// draws, if chance decides which objects or bytes these are.
    pub ticks: u64,
    /// Whether that number is estimated from the weight, since the profile does not contain it.
    pub is_estimated: bool,
    /// Whether these are ticks of a timer, and not samples of something else.
    pub are_ticks: bool,
    /// Whether chance decides which objects or bytes these are, and so their total, too.
    pub(super) are_draws: bool,
    /// Number of recordings.
    pub recordings: usize,
    /// Weight of a tick in the mean of the recordings if no tick before it was lost.
    pub(super) period: f64,
    /// Mean number of ticks that meet a thread at the same place, since it waits for a processor
    /// there; at least 1.
    pub(super) ticks_a_place: f64,
}

/// Assumed weight of a tick if the profile does not contain it, in nanoseconds: rperf's default
/// frequency is 1000 Hz.
pub(crate) const PERIOD_NS: f64 = 1e6;

impl Precision {
    /// Returns the precision of all samples.
    pub fn of(profile: &Profile) -> Self {
        let recordings = profile.meta.recordings.len().max(1);
        let period = period(profile) / recordings as f64;
        let are_ticks = profile.meta.frequency > 0 || profile.value_type().is_time();
        let draws = Draws::of(profile);
        let is_estimated = !profile.is_counted();
        let ticks_a_place = ticks_a_place(profile);
        let ticks = match draws {
            Some(draws) => draws.count(profile),
            None if is_estimated => (profile.total().0 as f64 / period).round() as u64,
            None => weighed_ticks(profile),
        };
        let are_draws = draws.is_some();
        Self { ticks, is_estimated, are_ticks, are_draws, recordings, period, ticks_a_place }
    }

    /// Returns a function for the variance of a sample's weight. In profiles of time, time off the
    /// GVL and the collector's was measured, and is treated as if ticks had met it.
    pub(super) fn variances<'p>(self, profile: &'p Profile) -> impl Fn(&Sample) -> f64 + use<'p> {
        let (ticks, draws) = (Ticks::of(profile), Draws::of(profile));
        move |sample| {
            if let Some(draws) = draws {
                return draws.variance(sample, sample.weight.0);
            }
            let (weight, met) = (sample.weight.0 as f64, ticks.count(profile, sample));
            if self.is_estimated || met == 0 { weight * self.period } else { self.met(weight, met as f64) }
        }
    }

    /// Returns the variance of a weight that `count` ticks met. Ticks that weigh less than a period
    /// (in cpu mode) have at most the squares of whole ones. A tick that follows lost ones has
    /// their weight, too: if each tick is lost with the same probability, the squares are up to
    /// twice those of equal ones.
    fn met(self, weight: f64, count: f64) -> f64 {
        weight * self.period.max(2.0 * weight / count - self.period)
    }
}

impl Profile {
    /// Returns whether the counts of samples are ticks. Formats without counts have no frequency.
    pub(crate) fn is_counted(&self) -> bool {
        let has_ticks = self.meta.frequency > 0 && !self.meta.ticks_are_estimated;
        has_ticks || !self.value_type().is_time()
    }
}

fn weighed_ticks(profile: &Profile) -> u64 {
    let ticks = Ticks::of(profile);
    let weighed = profile.samples.iter().filter(|sample| sample.weight > Nanos::ZERO);
    weighed.map(|sample| ticks.count(profile, sample)).sum()
}

/// Returns the time for which threads ran or waited for a processor, by that for which they ran.
fn ticks_a_place(profile: &Profile) -> f64 {
    let totals = state_totals(profile);
    let [ran, waited] = [VmState::Running, VmState::CpuWait].map(|state| totals[state as usize].0 as f64);
    if ran > 0.0 { 1.0 + waited / ran } else { 1.0 }
}

fn period(profile: &Profile) -> f64 {
    if profile.meta.frequency > 0 {
        return 1e9 / f64::from(profile.meta.frequency);
    }
    // Values without a kind may lack the unit, too. Each stack has at least one tick: lower weights
    // are not times, but ticks.
    let are_low = (profile.total().0 as f64) < PERIOD_NS * profile.samples.len() as f64;
    let are_ticks = are_low && profile.value_type().kind == ValueType::NO_KIND;
    if profile.is_counted() || are_ticks { 1.0 } else { PERIOD_NS }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{LabelSetId, ThreadSeq};
    use crate::profile::{Builder, Comparison, Meta, Period, Recording, ValueTypes};

    fn profile(meta: Meta, samples: &[(&str, &str, u64, u64)]) -> Profile {
        let mut builder = Builder::new(meta);
        for (path, label, weight, count) in samples {
            let function = builder.intern_function(path, label, 0);
            let location = builder.intern_location(function, 0);
            builder.push(&[location], Nanos(*weight), *count, ThreadSeq(1), LabelSetId(0));
        }
        builder.build()
    }

    fn variances(profile: &Profile) -> Vec<f64> {
        profile.samples.iter().map(Precision::of(profile).variances(profile)).collect()
    }

    #[test]
    fn counted_ticks_and_measured_times() {
        let meta = Meta { frequency: 100, ..Meta::default() };
        let samples = [
            ("a.rb", "a", 40_000_000, 4),
            ("a.rb", "suspended", 1_000, 0),
            ("<GC>", "[GC marking]", 30_000_000, 700),
            ("<GC>", "[GC marking]", 30_000_000, 2),
            ("<GVL>", "[GVL blocked]", 30_000_000, 1),
        ];
        let profile = profile(meta, &samples);
        let Precision { ticks, is_estimated, .. } = Precision::of(&profile);
        assert_eq!((ticks, is_estimated), (4, false));
        assert_eq!(variances(&profile), [4e14, 1e10, 3e14, 3e14, 3e14]);
    }

    #[test]
    fn ticks_that_are_not_known() {
        let times = profile(Meta::default(), &[("", "a", 5_000_000, 1), ("", "b", 1_000_000, 1)]);
        let Precision { ticks, is_estimated, .. } = Precision::of(&times);
        assert_eq!((ticks, is_estimated), (6, true));
        assert_eq!(variances(&times), [5e12, 1e12]);
        let meta = Meta { value_types: ValueType::time(ValueType::NO_KIND).into(), ..Meta::default() };
        let counts = profile(meta, &[("", "a", 500, 1), ("", "b", 100, 1)]);
        assert_eq!((Precision::of(&counts).ticks, variances(&counts)), (600, vec![500.0, 100.0]));
    }

    #[test]
    fn low_times_of_a_known_clock_are_no_ticks() {
        let times = profile(Meta::default(), &[("", "a", 500_000, 1), ("", "b", 700_000, 1)]);
        assert_eq!((Precision::of(&times).ticks, variances(&times)), (1, vec![5e11, 7e11]));
    }

    #[test]
    fn values_that_are_no_times() {
        let value_types = ValueType::new("samples", "count").into();
        let profile = profile(Meta { value_types, ..Meta::default() }, &[("a.rb", "a", 9, 9)]);
        assert_eq!((Precision::of(&profile).is_estimated, variances(&profile)), (false, vec![9.0]));
    }

    /// Samples of objects in use have no counts: these are of allocations.
    #[test]
    fn objects_in_use_are_counted_by_their_draws() {
        let types = [("inuse_objects", "count"), ("inuse_space", "bytes")];
        let profile = |length| {
            let period = Period { value_type: ValueType::new("objects", "count"), length };
            let value_types =
                ValueTypes::new(types.map(|(kind, unit)| ValueType::new(kind, unit)).to_vec(), 1);
            let meta = Meta { value_types, period: Some(period), ..Meta::default() };
            let mut builder = Builder::new(meta);
            for values in [[1_500, 60_000], [500, 80]] {
                builder.push_values(&[], &values, 0, ThreadSeq(1), LabelSetId(0));
            }
            builder.build()
        };
        assert_eq!([500, 1].map(|length| Precision::of(&profile(length)).ticks), [4, 2_000]);
        let recording = profile(500);
        let mean = Comparison::of(&[&recording; 3], &[&recording]).expect("they are alike").base;
        assert_eq!(Precision::of(&mean).ticks, 3 * 4);
    }

    #[test]
    fn a_mean_of_recordings_rests_on_all_their_ticks() {
        let recordings = vec![Recording::default(); 4];
        let meta = Meta { frequency: 1000, recordings, ..Meta::default() };
        let profile = profile(meta, &[("a.rb", "a", 3_000_000, 12), ("a.rb", "b", 2_000_000, 0)]);
        assert_eq!(variances(&profile), [0.75e12, 0.5e12]);
    }
}
